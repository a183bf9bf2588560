//! Each section *Cancel safety* is named in the documentation of the test that checks it, or is on
//! the list of sections that are checked elsewhere, or whose items have nothing to wait for.

use wsrt_tests::{Item, items_below};

const SECTION: &str = "Cancel safety";

/// The sections that no test of this folder checks, with the reason.
const ELSEWHERE: [(&str, &str); 16] = [
    ("src/budget::consume", "wsrt hands it on as `consume_budget`"),
    ("src/test::cancel_at_each_await", "the tool itself"),
    ("Empty", "there is neither a wait nor data"),
    ("Repeat", "there is neither a wait nor data"),
    ("Sink", "there is neither a wait nor data"),
    ("ChildStdin::flush", "it completes on its first poll"),
    ("ChildStdin::shutdown", "it completes on its first poll"),
    ("io/stdin::stdin", "in a process of its own: tests/tests/stdio.rs"),
    ("Handle::trace_for", "where recordings are read: tests/tests/timeline.rs"),
    ("Handle::write_flight_record", "where records are read: tests/tests/timeline.rs"),
    ("UnixStream::connect", "the OS answers at once"),
    ("UnixStream::connect_addr", "the OS answers at once"),
    ("UnixSocket::connect", "the OS answers at once"),
    ("UnixSocket::connect_addr", "the OS answers at once"),
    ("signal/ctrl_c_windows::ctrl_c", "on Windows"),
    ("sim/scale::compute", "with feature `sim`: executor/tests/simulation/cancellations.rs"),
];

/// Names that several types have.
const SHARED: [&str; 2] = ["Sender", "Receiver"];

const TESTS: [&str; 12] = [
    include_str!("../../../executor/tests/simulation/cancellations.rs"),
    include_str!("channels.rs"),
    include_str!("files.rs"),
    include_str!("http.rs"),
    include_str!("locks.rs"),
    include_str!("memory.rs"),
    include_str!("processes.rs"),
    include_str!("sockets.rs"),
    include_str!("streams.rs"),
    include_str!("tasks.rs"),
    include_str!("times.rs"),
    include_str!("unix.rs"),
];

/// The name of an item here: its type and its method, or the last two parts of its file's path and
/// its own name.
fn name(item: &Item) -> String {
    let keywords = ["async fn", "fn", "struct", "enum"];
    let own = keywords.iter().find_map(|keyword| item.name_of(keyword)).unwrap_or_default();
    let (file, _) = item.place.split_once(".rs:").expect("a place has a file");
    let file: Vec<_> = file.rsplitn(3, '/').take(2).collect();
    match item.owner.as_deref() {
        // A macro gives it to several types.
        _ if own.is_empty() => format!("{}/{}", file[1], file[0]),
        Some(owner) if !SHARED.contains(&owner) => format!("{owner}::{own}"),
        None if item.name_of("struct").is_some_and(|own| !SHARED.contains(&own)) => own.to_owned(),
        _ => format!("{}/{}::{own}", file[1], file[0]),
    }
}

/// Returns whether the code of a test has the word that calls the item. A type has no such word.
fn calls(test: &str, name: &str) -> bool {
    let Some((_, method)) = name.rsplit_once("::") else { return true };
    let mut code = test.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.any(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == method))
}

#[test]
fn a_name_in_documentation_alone_is_no_test() {
    let test = "/// Of `Queue::take`.\nqueue.take_all();";
    assert!(!calls(test, "Queue::take") && calls(test, "Queue::take_all") && calls(test, "Queue"));
}

#[test]
fn each_section_has_its_test() {
    let mut items = Vec::new();
    for folder in ["sync/src", "executor/src", "reactor/src", "hyper/src", "debug/src"] {
        items.extend(items_below(folder));
    }
    let names: Vec<_> = items.iter().filter(|item| item.has_section(SECTION)).map(name).collect();
    assert!(names.len() > 150, "the sources were not understood");
    let is_tested = |name: &str| TESTS.iter().any(|test| test.contains(&format!("`{name}`")) && calls(test, name));
    let is_elsewhere = |name: &str| ELSEWHERE.iter().any(|(elsewhere, _)| *elsewhere == name);
    let missing: Vec<_> = names.iter().filter(|name| !is_tested(name) && !is_elsewhere(name)).collect();
    assert!(
        missing.is_empty(),
        "no test in tests/tests/cancel_safety/ checks these sections `# {SECTION}`: write one that calls the item by \
         `wsrt::test::cancel_at_each_await`, and name the item in its documentation: {missing:#?}"
    );
    let gone: Vec<_> = ELSEWHERE.iter().filter(|(name, _)| !names.iter().any(|other| other == name)).collect();
    assert!(gone.is_empty(), "these have no section any more, so take them off the list: {gone:?}");
}
