//! CPU samples: how often each stack was found in tasks of each spawn site.

use std::collections::HashMap;

use wsrt_trace::decode::{NameId, NameTable, StackId};

/// The maximum number of pairs of a spawn site and a stack. Further stacks of a site count as one.
const MOST: usize = 1 << 18;

/// The CPU samples of a trace.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    counts: HashMap<(Option<NameId>, StackId), u64>,
    total: u64,
}

/// The samples of one spawn site, or the samples outside tasks.
#[derive(Debug)]
pub(crate) struct SiteSamples {
    /// `None` outside tasks.
    pub(crate) spawned_at: Option<NameId>,
    pub(crate) count: u64,
    /// How often each stack was found, in the order of the stacks' numbers.
    pub(crate) stacks: Vec<(StackId, u64)>,
}

impl Samples {
    pub(crate) fn add(&mut self, spawned_at: Option<NameId>, stack: StackId) {
        let is_room = self.counts.len() < MOST || self.counts.contains_key(&(spawned_at, stack));
        let stack = if is_room { stack } else { StackId::OTHER };
        *self.counts.entry((spawned_at, stack)).or_default() += 1;
        self.total += 1;
    }

    /// Returns the number of samples.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the spawn sites, in descending order of their samples.
    pub(crate) fn by_site(&self) -> Vec<SiteSamples> {
        let mut sites: HashMap<Option<NameId>, SiteSamples> = HashMap::new();
        for (&(spawned_at, stack), &count) in &self.counts {
            let new = || SiteSamples { spawned_at, count: 0, stacks: Vec::new() };
            let site = sites.entry(spawned_at).or_insert_with(new);
            site.count += count;
            site.stacks.push((stack, count));
        }
        let mut sites: Vec<_> = sites.into_values().collect();
        sites.iter_mut().for_each(|site| site.stacks.sort_unstable());
        sites.sort_unstable_by_key(|site| (u64::MAX - site.count, site.spawned_at));
        sites
    }

    /// Returns the functions at the ends of the stacks, in descending order of their samples.
    pub(crate) fn by_function(&self, names: &NameTable) -> Vec<(NameId, u64)> {
        let mut functions: HashMap<NameId, u64> = HashMap::new();
        for (&(_, stack), &count) in &self.counts {
            let function = names.stack(stack).last().copied().unwrap_or(NameId::NONE);
            *functions.entry(function).or_default() += count;
        }
        let mut functions: Vec<_> = functions.into_iter().collect();
        functions.sort_unstable_by_key(|&(function, count)| (u64::MAX - count, function));
        functions
    }
}

/// A function in a flame graph, with the functions that it has called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flame {
    pub(crate) function: NameId,
    pub(crate) count: u64,
    /// In descending order of their samples.
    pub(crate) calls: Vec<Flame>,
}

impl Flame {
    /// Returns the functions at the beginnings of the stacks.
    pub(crate) fn of(stacks: &[(StackId, u64)], names: &NameTable) -> Vec<Self> {
        let stacks: Vec<_> = stacks.iter().map(|&(stack, count)| (names.stack(stack), count)).collect();
        Self::below(&stacks)
    }

    fn below(stacks: &[(&[NameId], u64)]) -> Vec<Self> {
        let mut calls: HashMap<NameId, Vec<(&[NameId], u64)>> = HashMap::new();
        for (stack, count) in stacks {
            if let Some((&first, rest)) = stack.split_first() {
                calls.entry(first).or_default().push((rest, *count));
            }
        }
        let flame = |(function, stacks): (NameId, Vec<(&[NameId], u64)>)| {
            let count = stacks.iter().map(|(_, count)| count).sum();
            Self { function, count, calls: Self::below(&stacks) }
        };
        let mut flames: Vec<_> = calls.into_iter().map(flame).collect();
        flames.sort_unstable_by_key(|flame| (u64::MAX - flame.count, flame.function));
        flames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_with_the_same_beginning_share_it() {
        let mut names = NameTable::default();
        let [main, serve, parse, log] = ["main", "serve", "parse", "log"].map(|name| names.keep(name.as_bytes()));
        let mut samples = Samples::default();
        let site = Some(names.keep(b"src/main.rs:3:5"));
        for (spawned_at, functions, count) in [
            (site, &[main, serve, parse][..], 5),
            (site, &[main, serve], 2),
            (site, &[main, log], 1),
            (None, &[main], 3),
        ] {
            let stack = names.keep_stack(functions);
            (0..count).for_each(|_| samples.add(spawned_at, stack));
        }
        assert_eq!(samples.total(), 11);
        let sites = samples.by_site();
        let counts: Vec<_> = sites.iter().map(|site| (site.spawned_at, site.count)).collect();
        assert_eq!(counts, [(site, 8), (None, 3)]);
        let leaf = |function, count| Flame { function, count, calls: Vec::new() };
        let serves = Flame { function: serve, count: 7, calls: vec![leaf(parse, 5)] };
        let flames = Flame::of(&sites[0].stacks, &names);
        assert_eq!(flames, [Flame { function: main, count: 8, calls: vec![serves, leaf(log, 1)] }]);
        assert_eq!(samples.by_function(&names), [(parse, 5), (main, 3), (serve, 2), (log, 1)]);
    }

    #[test]
    fn the_number_of_stacks_is_bounded() {
        let mut samples = Samples::default();
        let mut names = NameTable::default();
        let functions: Vec<_> = (0..60_000).map(|number: u32| names.keep(number.to_string().as_bytes())).collect();
        let stacks: Vec<_> = functions.iter().map(|&function| names.keep_stack(&[function])).collect();
        let sites: Vec<_> = (0..5).map(|number| Some(names.keep(&[b'a' + number]))).collect();
        for &site in &sites {
            stacks.iter().for_each(|&stack| samples.add(site, stack));
        }
        assert!(samples.counts.len() <= MOST + sites.len());
        assert_eq!(samples.total(), 300_000);
    }
}
