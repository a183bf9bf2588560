//! Walks the copy of a stack, by the tables that the compiler has written for exceptions.

use std::fs::File;
use std::ops::Range;

use framehop::{
    CacheNative, ExplicitModuleSectionInfo, MayAllocateDuringUnwind, Module, UnwindRegsNative, Unwinder, UnwinderNative,
};
use object::SegmentFlags;
use object::elf::PF_X;
use object::read::{Object, ObjectSection, ObjectSegment, ReadCache, ReadRef};

use super::memory;
use super::modules::Mapping;
use super::sample::Sample;

/// More frames than a stack of the copy's size has.
const MOST_FRAMES: usize = 2_000;

/// The tables of the program and its libraries.
pub(super) struct Walker {
    unwinder: UnwinderNative<Vec<u8>, MayAllocateDuringUnwind>,
    cache: CacheNative<MayAllocateDuringUnwind>,
    mappings: Vec<Mapping>,
    loaded: Vec<Loaded>,
}

/// Code in memory, and what was added to its addresses when it was loaded.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    pub(super) mapping: Mapping,
    pub(super) bias: u64,
}

impl Walker {
    /// Reads the tables of all that is in memory now.
    pub(super) fn new() -> Self {
        let (mut unwinder, mut loaded, mappings) = (UnwinderNative::new(), Vec::new(), Mapping::all());
        for mapping in &mappings {
            if let Some((bias, sections)) = read(mapping) {
                unwinder.add_module(Module::new(mapping.name.clone(), mapping.addresses.clone(), bias, sections));
                loaded.push(Loaded { mapping: mapping.clone(), bias });
            }
        }
        Self { unwinder, cache: CacheNative::new(), mappings, loaded }
    }

    /// Returns whether other code is in memory now.
    pub(super) fn is_outdated(&self) -> bool {
        Mapping::all() != self.mappings
    }

    /// Returns an address in each call on the stack, the innermost first, as far as can be told.
    pub(super) fn walk(&mut self, sample: &Sample) -> Vec<u64> {
        let registers = sample.registers;
        #[cfg(target_arch = "x86_64")]
        let from = UnwindRegsNative::new(registers.program_counter, registers.stack_pointer, registers.frame_pointer);
        #[cfg(target_arch = "aarch64")]
        let from = UnwindRegsNative::new(registers.link, registers.stack_pointer, registers.frame_pointer);
        let mut read_stack = |address| sample.word_at(address).ok_or(());
        let mut frames = self.unwinder.iter_frames(registers.program_counter, from, &mut self.cache, &mut read_stack);
        let mut addresses = Vec::new();
        while let (Ok(Some(frame)), true) = (frames.next(), addresses.len() < MOST_FRAMES) {
            addresses.push(frame.address_for_lookup());
        }
        addresses.drain(..sample.own_frames.min(addresses.len()));
        addresses
    }

    /// Returns the code that the address is in.
    pub(super) fn find(&self, address: u64) -> Option<&Loaded> {
        self.loaded.iter().find(|loaded| loaded.mapping.addresses.contains(&address))
    }
}

type Sections = ExplicitModuleSectionInfo<Vec<u8>>;

/// Reads the tables of a file in memory.
fn read(mapping: &Mapping) -> Option<(u64, Sections)> {
    match mapping.path() {
        Some(path) => tables(&ReadCache::new(File::open(path).ok()?), mapping),
        None if mapping.name == "[vdso]" => {
            let Range { start, end } = mapping.addresses;
            tables(&*memory::copied(start as usize, (end - start) as usize), mapping)
        }
        None => None,
    }
}

fn tables<'a>(data: impl ReadRef<'a>, mapping: &Mapping) -> Option<(u64, Sections)> {
    let file = object::File::parse(data).ok()?;
    // The segment that the mapping is of tells where in memory the file believes to be.
    let stated = file.segments().find_map(|segment| {
        if !matches!(segment.flags(), SegmentFlags::Elf { p_flags } if p_flags & PF_X != 0) {
            return None;
        }
        let (start, size) = segment.file_range();
        let first = start - start % memory::PAGE as u64;
        let is_in = (first..start.checked_add(size)?).contains(&mapping.offset);
        is_in.then(|| segment.address().wrapping_sub(start).wrapping_add(mapping.offset))
    })?;
    let bias = mapping.addresses.start.wrapping_sub(stated);
    let range = |name: &str| {
        let section = file.section_by_name(name)?;
        Some(section.address()..section.address().checked_add(section.size())?)
    };
    let bytes = |name: &str| file.section_by_name(name)?.data().ok().map(<[u8]>::to_vec);
    let sections = Sections {
        base_svma: 0,
        text_svma: range(".text"),
        got_svma: range(".got"),
        eh_frame_svma: range(".eh_frame"),
        eh_frame: bytes(".eh_frame"),
        eh_frame_hdr_svma: range(".eh_frame_hdr"),
        eh_frame_hdr: bytes(".eh_frame_hdr"),
        ..Sections::default()
    };
    Some((bias, sections))
}
