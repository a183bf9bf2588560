//! The program and the libraries in the process's memory, as `/proc/self/maps` lists them.
//!
//! The loader has a list of its own, behind a lock that the stuck thread may hold: not asked.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;

/// A part of a file, or of the kernel's own library, that is in memory to be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) addresses: Range<u64>,
    /// Where in the file it begins.
    pub(super) offset: u64,
    /// The file's path, or `[vdso]`.
    pub(super) name: String,
    /// True if it is of the program itself, and not of a library.
    pub(super) is_program: bool,
    /// True if the file was removed or replaced since.
    is_gone: bool,
}

impl Mapping {
    /// Returns the mappings of code.
    pub(super) fn all() -> Vec<Self> {
        let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let program = fs::read_link("/proc/self/exe").unwrap_or_default();
        let program = program.to_string_lossy();
        let program = program.strip_suffix(" (deleted)").unwrap_or(&program);
        let mappings = maps.lines().filter_map(Self::parse);
        mappings.map(|mapping| Self { is_program: mapping.name == program, ..mapping }).collect()
    }

    /// Parses `START-END rwxp OFFSET DEVICE INODE PATH`.
    fn parse(line: &str) -> Option<Self> {
        let mut rest = line;
        let mut word = || {
            let (word, behind) = rest.trim_start().split_once(' ')?;
            rest = behind;
            Some(word)
        };
        let (addresses, flags, offset) = (word()?, word()?, word()?);
        let (_, _) = (word()?, word()?);
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let (start, end) = addresses.split_once('-')?;
        let path = rest.trim_start();
        let name = path.strip_suffix(" (deleted)").unwrap_or(path);
        let is_code = flags.contains('x') && (name.starts_with('/') || name == "[vdso]");
        is_code.then_some(Self {
            addresses: number(start)?..number(end)?,
            offset: number(offset)?,
            name: name.to_owned(),
            is_program: false,
            is_gone: name.len() < path.len(),
        })
    }

    /// Returns the path by which the file can be opened: the program's also when it was replaced.
    pub(super) fn path(&self) -> Option<PathBuf> {
        if !self.is_gone {
            return self.name.starts_with('/').then(|| PathBuf::from(&self.name));
        }
        self.is_program.then(|| PathBuf::from("/proc/self/exe"))
    }

    /// Returns the file's name, without its folders.
    pub(super) fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_listed() {
        let line = "7f1b2c000000-7f1b2c021000 r-xp 00026000 fd:01 131 /usr/lib/x86_64-linux-gnu/libc a.so.6";
        let mapping = Mapping::parse(line).expect("it is code");
        assert_eq!(mapping.addresses, 0x7f1b_2c00_0000..0x7f1b_2c02_1000);
        assert_eq!((mapping.offset, mapping.file_name()), (0x26000, "libc a.so.6"));
        let gone = Mapping::parse("1-2 r-xp 0 fd:01 131 /srv/app (deleted)").expect("it is code");
        assert_eq!((gone.name.as_str(), gone.path()), ("/srv/app", None));
        assert!(Mapping::parse("7ffd-7fff r-xp 00000000 00:00 0                  [vdso]").is_some());
        for other in [
            "7f1b-7f1c rw-p 00000000 00:00 0 [stack]",
            "7f1b-7f1c r-xp 00000000 00:00 0 ",
            "7f1b-7f1c r--p 00026000 fd:01 131 /usr/lib/libc.so.6",
            "7f1b 7f1c",
            "",
        ] {
            assert_eq!(Mapping::parse(other), None, "{other}");
        }
    }

    #[test]
    fn this_program_is_one_of_them() {
        let own = only_code_is_listed as fn() as usize as u64;
        let mapping = Mapping::all().into_iter().find(|mapping| mapping.addresses.contains(&own)).expect("it is code");
        assert!(mapping.is_program);
        assert!(mapping.path().is_some_and(|path| path.exists()));
    }
}
