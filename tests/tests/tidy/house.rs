//! The house in numbers. Each may only fall: a row that has fallen takes its new number as the
//! limit.
//!
//! `cargo test -p wsrt-tests --test tidy numbers -- --nocapture` prints the table.

use std::collections::BTreeMap;

use crate::cfgs::{is_of_simulation, names_simulation};
use crate::knots::knots;
use crate::ledger::Finding;
use crate::lexer::Source;
use crate::sizes::code_lines;

/// A number of the house: its name, how it is counted, and its limit.
type Row = (&'static str, fn(&[Source]) -> usize, usize);

const ROWS: [Row; 8] = [
    ("lines of executor/src", |sources| of_executor(sources).map(|source| source.lines.len()).sum(), 66_238),
    ("files of executor/src", |sources| of_executor(sources).count(), 326),
    ("code of scheduler/, without simulation and tests", scheduler_code, 5_992),
    ("files in the largest knot of scheduler/", |sources| largest_knot(sources, "executor/src/", "scheduler"), 3),
    ("files in the largest knot of the reactor, beside net/", |sources| largest_knot(sources, "reactor/src/", ""), 0),
    ("cfg(feature = \"sim\") outside the simulation's folders", sim_cfgs, 11),
    ("tuning constants", |sources| tuning_constants(sources).len(), 30),
    ("type names with two meanings", |sources| double_names(sources).len(), 8),
];

/// The rows that have grown.
pub(crate) fn grown(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, count, limit) in ROWS {
        let number = count(sources);
        println!("{number:>7}  {limit:>7}  {name}");
        if number > limit {
            let advice = format!("{number}, and {limit} is the limit");
            findings.push(Finding::new(name, "tests/tests/tidy/house.rs", advice));
        }
    }
    findings
}

fn of_executor(sources: &[Source]) -> impl Iterator<Item = &Source> {
    sources.iter().filter(|source| source.path.starts_with("executor/src/"))
}

fn scheduler_code(sources: &[Source]) -> usize {
    let is_meant = |path: &str| path.contains("/scheduler/") && !path.contains("/simulation");
    of_executor(sources).filter(|source| is_meant(&source.path) && !source.is_of_tests()).map(code_lines).sum()
}

fn largest_knot(sources: &[Source], root: &'static str, folder: &str) -> usize {
    knots(sources, root, folder).iter().map(Vec::len).max().unwrap_or(0)
}

fn sim_cfgs(sources: &[Source]) -> usize {
    let is_meant = |path: &str| path.starts_with("executor/src/") || path.starts_with("reactor/src/");
    let meant = sources.iter().filter(|source| is_meant(&source.path) && !is_of_simulation(source));
    meant.flat_map(|source| &source.lines).filter(|line| names_simulation(line)).count()
}

/// Constants that encode something: states and fields of words, sentinels, sizes of types, limits
/// of the OS. They tune nothing.
const ENCODINGS: [&str; 43] = [
    "ALIVE",
    "AWAITED",
    "AWAKE",
    "CLEAR",
    "CLOSED",
    "EARLY",
    "EMPTY",
    "EXISTS",
    "HALF_RING",
    "HEARS_WHAT_NO_TURN_HAS_SEEN",
    "HOUR",
    "INJECTOR",
    "KINDS",
    "LAST_DEADLINE",
    "MAY_BE_EARLY",
    "MOST_PROCESSORS",
    "MOST_SLOTS",
    "NETWORK",
    "NOBODY",
    "NONE",
    "NOTIFIED",
    "OF_A_THREAD",
    "ONE_IDLE",
    "ONE_SEARCHING",
    "OWNERS",
    "OWN_REFERENCES",
    "PARKED",
    "POLLING",
    "RESET_ON_FORK",
    "RING",
    "RUN",
    "RUNNEXT",
    "SET",
    "SHARD",
    "SHIFTED",
    "SIMULATED",
    "SLICE",
    "STOPPED",
    "SYSTEM",
    "TIMER",
    "TO_SPARE",
    "UNKNOWN",
    "UNSET",
];

/// The constants that tune the scheduler and the rooms around it.
fn tuning_constants(sources: &[Source]) -> Vec<String> {
    let rooms = [
        "scheduler/",
        "sysmon/",
        "fork_join/",
        "blocking/",
        "local/",
        "util/backoff",
        "util/spin_time",
        "util/time_slice",
    ];
    let is_meant = |path: &str| {
        let path = path.trim_start_matches("executor/src/");
        rooms.iter().any(|room| path.starts_with(room)) && !path.contains("/simulation")
    };
    let mut constants = Vec::new();
    for source in of_executor(sources).filter(|source| is_meant(&source.path) && !source.is_of_tests()) {
        for line in source.lines.iter().filter(|line| !line.is_test) {
            let Some((before, rest)) = line.code.split_once("const ") else { continue };
            // A parameter of a generic function.
            if before.ends_with('<') {
                continue;
            }
            let Some((name, rest)) = rest.split_once(": ") else { continue };
            let is_number = ["u8", "u32", "u64", "usize", "Duration"].iter().any(|of| rest.starts_with(of));
            let is_mask = ["_BITS", "_MASK"].iter().any(|end| name.ends_with(end));
            if is_number && !is_mask && !ENCODINGS.contains(&name) {
                constants.push(format!("{}: {name}", source.path));
            }
        }
    }
    constants
}

/// Names of two public types, or of two twins, each with the reason why both keep the name.
const TWINS: [(&str, &str); 9] = [
    ("CtrlC", "one future, written for Unix and for Windows"),
    ("TimerFd", "a timer in the poll on Linux, and the poll's own timeout elsewhere"),
    ("Mutex", "the lock of `wsrt::sync`; and loom's behind the interface of parking_lot"),
    ("MutexGuard", "as `Mutex`"),
    ("OpenOptions", "how to open a file, and how to open a pipe: tokio's names"),
    ("RecvError", "each kind of channel has its own: tokio's names"),
    ("RwLock", "as `Mutex`"),
    ("WakeTimer", "a timer of the kernel's on Linux, and none elsewhere"),
    ("UnsafeCell", "std's behind the interface of loom's, one in each crate that has models"),
];

/// Names that mean the same everywhere: natural families.
const FAMILIES: [&str; 18] = [
    "Builder",
    "Error",
    "Handle",
    "IntoIter",
    "Iter",
    "OwnedReadHalf",
    "OwnedWriteHalf",
    "Permit",
    "ReadHalf",
    "Receiver",
    "ReuniteError",
    "SendError",
    "Sender",
    "SocketAddr",
    "TryLockError",
    "TryRecvError",
    "TrySendError",
    "WriteHalf",
];

/// The names of types that stand for more than one thing in the libraries.
fn double_names(sources: &[Source]) -> Vec<String> {
    let folders =
        ["executor/src/", "hyper/src/", "reactor/src/", "stack/src/", "sync/src/", "trace/src/", "world/src/"];
    let is_family = |name| FAMILIES.contains(&name) || TWINS.iter().any(|(twin, _)| *twin == name);
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for source in sources {
        if !folders.iter().any(|folder| source.path.starts_with(folder)) || source.is_of_tests() {
            continue;
        }
        for line in source.lines.iter().filter(|line| !line.is_test) {
            for keyword in ["struct ", "enum ", "trait "] {
                let Some((before, rest)) = line.code.split_once(keyword) else { continue };
                let is_head = before.trim().is_empty() || before.trim_start().starts_with("pub");
                let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or("");
                if is_head && name.starts_with(char::is_uppercase) && !is_family(name) {
                    places.entry(name).or_default().push(&source.path);
                }
            }
        }
    }
    // A twin without a feature stands for the same thing.
    let is_twin = |path: &&str| path.ends_with("_off.rs");
    places.retain(|_, paths| paths.iter().filter(|path| !is_twin(path)).count() > 1);
    places.into_iter().map(|(name, paths)| format!("{name}: {}", paths.join(", "))).collect()
}

#[test]
fn constants_and_double_names_are_counted() {
    let sources = [
        Source::new("executor/src/scheduler/one.rs", "const PERIOD: u64 = 1;\nconst LEN_BITS: u32 = 1;\nstruct A;\n"),
        Source::new("executor/src/scheduler/two.rs", "pub(crate) struct A {\n}\nstruct Sender;\nconst NONE: u8 = 0;\n"),
        Source::new("sync/src/three.rs", "pub struct Sender<T>(T);\npub struct B;\n"),
    ];
    assert_eq!(tuning_constants(&sources), ["executor/src/scheduler/one.rs: PERIOD"]);
    assert_eq!(double_names(&sources), ["A: executor/src/scheduler/one.rs, executor/src/scheduler/two.rs"]);
}
