//! The arrows between the executor's rooms: each room imports only from those below it.

use crate::ledger::Finding;
use crate::lexer::Source;
use crate::modules::{Modules, is_within};

const ROOT: &str = "executor/src/";

/// The rooms, by the folder or file that begins their paths. The longest that fits counts. A room
/// may import from rooms of a lower level, and the public modules from each other.
const ROOMS: [(&str, &str, u8); 42] = [
    ("util", "util", 0),
    // Data that other rooms write lies below those rooms.
    ("observe/console", "observe's data", 1),
    ("observe/counters", "observe's data", 1),
    ("observe/ready_times", "observe's data", 1),
    ("task", "task", 2),
    // The components that the scheduler owns and other rooms work with.
    ("blocking/pool", "a component", 3),
    ("blocking/queue", "a component", 3),
    ("observe", "a component", 3),
    ("sysmon/stall", "a component", 3),
    ("tokio_compat", "a component", 3),
    // The data that the machines share, which loom models: no scheduler is in it.
    ("scheduler/core", "the scheduler's core", 4),
    ("scheduler", "scheduler", 5),
    ("blocking", "blocking", 6),
    ("sysmon", "sysmon", 6),
    ("local", "local", 6),
    ("fork_join", "fork_join", 6),
    // The readers: no room imports from them but the public modules.
    ("observe/await_chains", "observe's readers", 7),
    ("observe/dump", "observe's readers", 7),
    ("observe/no_progress", "observe's readers", 7),
    ("observe/sync_waits", "observe's readers", 7),
    ("", PUBLIC, 8),
    ("lib", PUBLIC, 8),
    ("task/blocking_group", PUBLIC, 8),
    ("task/builder", PUBLIC, 8),
    ("task/coop", PUBLIC, 8),
    ("task/join_map", PUBLIC, 8),
    ("task/join_set", PUBLIC, 8),
    ("task/local_set", PUBLIC, 8),
    ("task/scope", PUBLIC, 8),
    ("task/spawn", PUBLIC, 8),
    ("task/task_group", PUBLIC, 8),
    ("fs", PUBLIC, 8),
    ("io", PUBLIC, 8),
    ("parallel", PUBLIC, 8),
    ("process", PUBLIC, 8),
    ("runtime", PUBLIC, 8),
    ("signal", PUBLIC, 8),
    ("sim", PUBLIC, 8),
    ("stream", PUBLIC, 8),
    ("sync", PUBLIC, 8),
    ("team", PUBLIC, 8),
    ("time", PUBLIC, 8),
];

const PUBLIC: &str = "the public modules";

/// The imports that go up or aside, outside tests.
pub(crate) fn upward(sources: &[Source]) -> Vec<Finding> {
    let modules = Modules::new(sources, ROOT);
    let mut findings = Vec::new();
    for import in modules.imports(sources) {
        let (from, to) = (room(&import.from), room(&import.to));
        if to.0 != from.0 && to.1 >= from.1 {
            let advice = format!(
                "{} may not import `{}` from {}: move the data down, or take a trait or a function",
                from.0, import.path, to.0
            );
            let key = format!("{} -> {}", import.source.path.trim_start_matches(ROOT), to.0);
            findings.push(Finding::new(key, import.source.place(import.line), advice));
        }
    }
    findings
}

/// The entries of [`ROOMS`] that are no folder or file any more.
pub(crate) fn gone(sources: &[Source]) -> Vec<Finding> {
    let modules = Modules::new(sources, ROOT);
    let is_there = |room: &str| modules.all.iter().any(|module| is_within(module, room));
    let gone = ROOMS.iter().filter(|(room, ..)| !matches!(*room, "" | "lib") && !is_there(room));
    gone.map(|(room, ..)| Finding::new(*room, ROOMS_PLACE, format!("`{room}` has gone: take it off the list")))
        .collect()
}

const ROOMS_PLACE: &str = "tests/tests/tidy/arrows.rs";

/// The room of a module, `a/b` for `crate::a::b`, and its level.
fn room(module: &str) -> (&'static str, u8) {
    let fits = |prefix: &str| prefix.is_empty() || is_within(module, prefix);
    let room = ROOMS.iter().filter(|(prefix, ..)| fits(prefix)).max_by_key(|(prefix, ..)| prefix.len());
    room.map_or((PUBLIC, 8), |&(_, name, level)| (name, level))
}

#[cfg(test)]
mod tests {
    use super::{Source, gone, upward};

    fn tree(task: &str) -> Vec<String> {
        let sources = [
            Source::new("executor/src/task/cell.rs", task),
            Source::new("executor/src/util/mod.rs", ""),
            Source::new("executor/src/scheduler/mod.rs", "pub(crate) use self::context::Context;\n"),
            Source::new("executor/src/scheduler/context.rs", ""),
            Source::new("executor/src/observe/counters.rs", ""),
            Source::new("executor/src/observe/dump.rs", ""),
            Source::new("executor/src/task/mod.rs", "pub use crate::local::Set;\n"),
            Source::new("executor/src/local/mod.rs", ""),
        ];
        upward(&sources).into_iter().map(|finding| format!("{} {}", finding.place, finding.key)).collect()
    }

    #[test]
    fn an_import_from_a_higher_room_is_found() {
        assert_eq!(
            tree("//! A.\nuse crate::scheduler::Context;\n"),
            ["executor/src/task/cell.rs:2 task/cell.rs -> scheduler"]
        );
        assert_eq!(
            tree("fn a() { super::super::scheduler::context::b() }"),
            ["executor/src/task/cell.rs:1 task/cell.rs -> scheduler"]
        );
    }

    #[test]
    fn a_reexported_name_counts_where_it_is_defined() {
        assert_eq!(tree("use crate::task::Set;\n"), ["executor/src/task/cell.rs:1 task/cell.rs -> local"]);
    }

    #[test]
    fn data_of_observe_is_below_and_its_readers_are_above() {
        assert!(
            tree("use crate::observe::counters::Counters;\nuse crate::util::sync::Arc;\nuse super::header::Header;\n")
                .is_empty()
        );
        assert_eq!(
            tree("use crate::observe::dump;\n"),
            ["executor/src/task/cell.rs:1 task/cell.rs -> observe's readers"]
        );
    }

    #[test]
    fn a_room_that_has_gone_is_found() {
        let rooms: Vec<String> =
            gone(&[Source::new("executor/src/util/rng.rs", "")]).into_iter().map(|finding| finding.key).collect();
        assert!(rooms.contains(&"task".to_owned()) && !rooms.contains(&"util".to_owned()), "{rooms:?}");
    }

    #[test]
    fn tests_may_import_from_everywhere() {
        assert!(tree("#[cfg(test)]\nmod tests {\n    use crate::scheduler::Context;\n}\n").is_empty());
    }
}
