//! Functions and lines, as the symbols and the debug information of the program tell them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use addr2line::Context;
use addr2line::gimli::{AbbreviationsCacheStrategy, Dwarf, EndianSlice, LittleEndian, SectionId};
use object::read::{Object, ObjectSection, ObjectSymbol};

use super::walker::Loaded;
use crate::StackFrame;
use crate::origin::Origin;

/// The symbols and the debug information of the files that were asked for.
#[derive(Default)]
pub(super) struct Symbols {
    /// By name; none where a file cannot be read.
    files: HashMap<String, Option<DebugInfo>>,
}

/// What one file tells about its functions.
struct DebugInfo {
    context: Context<EndianSlice<'static, LittleEndian>>,
    /// In the order of their addresses.
    symbols: Vec<Symbol>,
}

struct Symbol {
    address: u64,
    size: u64,
    name: &'static str,
}

impl Symbols {
    /// Returns the functions that were inlined at `address`, the innermost first, and the function
    /// itself.
    pub(super) fn name(&mut self, address: u64, loaded: &Loaded) -> Vec<StackFrame> {
        let mut frames = Vec::new();
        let mapping = &loaded.mapping;
        let open = || DebugInfo::read(&mapping.path()?);
        let file = self.files.entry(mapping.name.clone()).or_insert_with(open);
        let stated = address.wrapping_sub(loaded.bias);
        if let Some(file) = file {
            file.add_all(stated, &mut frames);
        }
        if frames.is_empty() {
            let name = format!("{}+{stated:#x}", mapping.file_name());
            let origin = if mapping.is_program { Origin::Program } else { Origin::System };
            frames.push(StackFrame::unnamed(name, origin));
        }
        frames
    }
}

impl DebugInfo {
    fn read(path: &Path) -> Option<Self> {
        let object = object::File::parse(in_memory(path)?).ok()?;
        // One that is compressed is left out.
        let section = |id: SectionId| {
            let section = object.section_by_name(id.name());
            let data = match section.map(|section| section.uncompressed_data()) {
                Some(Ok(Cow::Borrowed(data))) => data,
                _ => &[],
            };
            Ok::<_, addr2line::gimli::Error>(EndianSlice::new(data, LittleEndian))
        };
        let mut dwarf = Dwarf::load(section).ok()?;
        dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
        let context = Context::from_dwarf(dwarf).ok()?;
        let defined = object.symbols().chain(object.dynamic_symbols()).filter(|symbol| symbol.is_definition());
        let named = defined.filter_map(|symbol| {
            Some(Symbol { address: symbol.address(), size: symbol.size(), name: symbol.name().ok()? })
        });
        let mut symbols: Vec<_> = named.collect();
        symbols.sort_by_key(|symbol| symbol.address);
        Some(Self { context, symbols })
    }

    /// Returns the name of the symbol that the address is in.
    fn symbol(&self, stated: u64) -> Option<&'static str> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= stated);
        let symbol = self.symbols[..after].last()?;
        (stated - symbol.address < symbol.size).then_some(symbol.name)
    }

    /// Appends what the debug information tells, or else the symbol. The name of the function
    /// itself is the symbol's: the debug information has some functions' names without their paths.
    fn add_all(&self, stated: u64, frames: &mut Vec<StackFrame>) {
        let symbol = self.symbol(stated);
        let mut found = self.context.find_frames(stated).skip_all_loads().ok();
        let mut next = || found.as_mut().and_then(|found| found.next().ok().flatten());
        let mut frame = next();
        if frame.is_none() {
            frames.extend(symbol.map(|name| named(name, None, 0)));
        }
        while let Some(this) = frame {
            frame = next();
            let own = this.function.as_ref().and_then(|function| function.raw_name().ok());
            let name = if frame.is_none() { symbol.or(own.as_deref()) } else { own.as_deref() };
            let place = this.location.as_ref();
            let line = place.and_then(|place| place.line).unwrap_or(0);
            frames.extend(name.map(|name| named(name, place.and_then(|place| place.file), line)));
        }
    }
}

fn named(raw: &str, file: Option<&str>, line: u32) -> StackFrame {
    match rustc_demangle::try_demangle(raw) {
        Ok(name) => {
            let name = format!("{name:#}");
            let origin = Origin::of(&name, file);
            StackFrame::new(&name, file, line, origin)
        }
        // An inlined function, which has its bare name in line tables: its file says whose it is.
        Err(_) if file.is_some_and(|file| file.ends_with(".rs")) => {
            StackFrame::new(raw, file, line, Origin::of(raw, file))
        }
        // C or assembler, which no author of a Rust program looks for, unless it is called there.
        Err(_) => StackFrame::new(raw, file, line, Origin::System),
    }
}

/// Maps a file into memory, for good: a stack in it may be named again. Only what is looked at is
/// read.
fn in_memory(path: &Path) -> Option<&'static [u8]> {
    static FILES: Mutex<Vec<(PathBuf, &[u8])>> = Mutex::new(Vec::new());
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, bytes)) = files.iter().find(|(known, _)| known == path) {
        return Some(bytes);
    }
    let file = File::open(path).ok()?;
    let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let (anywhere, how) = (ptr::null_mut(), (libc::PROT_READ, libc::MAP_PRIVATE));
    // SAFETY: the kernel chooses a place where nothing is.
    let start = unsafe { libc::mmap(anywhere, length, how.0, how.1, file.as_raw_fd(), 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: so many bytes are there, to be read, and are never unmapped. The file is the program,
    // which cannot be written to while it runs, or a library that it would not survive without.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    files.push((path.to_owned(), bytes));
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::named;
    use crate::Backtrace;

    /// Optimised builds with line tables have such names.
    #[test]
    fn a_bare_name_belongs_to_the_owner_of_its_file() {
        for (name, file, is_kept) in [
            ("hash", Some("/srv/app/src/main.rs"), true),
            ("{async_fn#0}", Some("src/main.rs"), true),
            ("call<app::Service>", Some("/root/.cargo/registry/src/index.crates.io-6f/tower-0.5.2/src/lib.rs"), true),
            ("or_else<u8, app::Error>", Some("/rustc/1a2b/library/core/src/option.rs"), false),
            (
                "rouse<wsrt::Scheduler>",
                Some("/root/.cargo/registry/src/index.crates.io-6f/wsrt-0.1.0/src/wake.rs"),
                false,
            ),
            ("memcpy", Some("/build/glibc/string/memcpy.c"), false),
            ("read", None, false),
        ] {
            assert_eq!(Backtrace::cut(vec![named(name, file, 7)], false).has_program(), is_kept, "{name}");
        }
    }
}
