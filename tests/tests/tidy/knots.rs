//! Knots: files that import each other in a circle, so that a reader of one has to know them all.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::Finding;
use crate::lexer::Source;
use crate::modules::{Modules, is_within};

/// The folders whose knots are measured, and how many files one knot may have.
const PLACES: [(&str, &str, usize); 2] = [("executor/src/", "scheduler", 3), ("reactor/src/", "", 0)];

/// Imports between the files of this folder do not count: a stream and its halves turn into each
/// other.
const STREAMS: &str = "net";

/// The knots that are too large.
pub(crate) fn large(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (root, folder, most) in PLACES {
        for knot in knots(sources, root, folder).into_iter().filter(|knot| knot.len() > most) {
            let advice = format!("{} files import each other, and {most} may: {}", knot.len(), knot.join(", "));
            let place = format!("{root}{folder}");
            findings.push(Finding { weight: knot.len(), ..Finding::new(&place, &place, advice) });
        }
    }
    findings
}

/// The knots of the modules of `folder`, each sorted by name.
pub(crate) fn knots(sources: &[Source], root: &'static str, folder: &str) -> Vec<Vec<String>> {
    let modules = Modules::new(sources, root);
    let is_here = |module: &str| folder.is_empty() || is_within(module, folder);
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for import in modules.imports(sources) {
        let is_of_streams = is_within(&import.from, STREAMS) && is_within(&import.to, STREAMS);
        if is_here(&import.from) && is_here(&import.to) && import.from != import.to && !is_of_streams {
            imports.entry(import.from).or_default().insert(import.to);
        }
    }
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        imports.keys().map(|from| (from, reach(&imports, from))).collect();
    let mut knots: BTreeSet<Vec<String>> = BTreeSet::new();
    for (from, to) in &reached {
        let leads_back = |other: &&&String| reached.get(**other).is_some_and(|back| back.contains(*from));
        let knot: Vec<String> = to.iter().filter(leads_back).map(|module| (*module).clone()).collect();
        if knot.len() > 1 {
            knots.insert(knot);
        }
    }
    knots.into_iter().collect()
}

/// Every module that is reached by imports from `from`, itself among them if it is in a circle.
fn reach<'a>(imports: &'a BTreeMap<String, BTreeSet<String>>, from: &String) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&String> = imports.get(from).into_iter().flatten().collect();
    while let Some(module) = left.pop() {
        if reached.insert(module) {
            left.extend(imports.get(module).into_iter().flatten());
        }
    }
    reached
}

#[test]
fn files_that_import_each_other_are_a_knot() {
    let sources = [
        Source::new("executor/src/scheduler/one.rs", "use crate::scheduler::two::A;"),
        Source::new("executor/src/scheduler/two.rs", "use crate::scheduler::three::B;"),
        Source::new("executor/src/scheduler/three.rs", "use super::one::C;\nuse super::four::D;"),
        Source::new("executor/src/scheduler/four.rs", "use crate::task::E;"),
        Source::new("executor/src/task.rs", "use crate::scheduler::four::F;"),
    ];
    let found = knots(&sources, "executor/src/", "scheduler");
    assert_eq!(found, [["scheduler/one", "scheduler/three", "scheduler/two"]]);
}
