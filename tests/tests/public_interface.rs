//! The public interface is recorded in `tests/interface.txt`: what leaves it is a breaking change,
//! and fails here. `WSRT_INTERFACE=record` writes the record anew. Its examples are counted.

use std::collections::BTreeMap;
use std::path::Path;

use wsrt_tests::{PublicLine, public_lines, public_lines_of};

/// Of a hundred public functions, at least so many have an example of their own.
const EXAMPLES: usize = 60;

/// Whether only authors of futures and streams call it.
fn is_for_polling(name: &str) -> bool {
    name.starts_with("poll_")
}

#[test]
fn nothing_recorded_has_left_the_interface() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("interface.txt");
    let lines: Vec<String> = public_lines().into_iter().map(|line| line.text).collect();
    if std::env::var_os("WSRT_INTERFACE").is_some_and(|value| value == "record") {
        std::fs::write(&path, lines.join("\n") + "\n").expect("the record can be written");
    }
    let recorded = std::fs::read_to_string(&path).expect("the record is there");
    let (old, new) = (counted(recorded.lines()), counted(lines.iter().map(String::as_str)));
    let more = |these: &BTreeMap<&str, usize>, those: &BTreeMap<&str, usize>| -> Vec<String> {
        let rest = these.iter().filter(|(line, count)| those.get(*line).is_none_or(|other| other < count));
        rest.map(|(line, _)| (*line).to_owned()).collect()
    };
    let (gone, added) = (more(&old, &new), more(&new, &old));
    println!("not recorded yet: {added:#?}");
    assert!(
        gone.is_empty(),
        "these have left the public interface, or have changed, which breaks users: {gone:#?}. New: {added:#?}. If \
         that is meant, note it in CHANGELOG.md, and run `WSRT_INTERFACE=record cargo test -p wsrt-tests --test \
         public_interface`, as for each release"
    );
}

/// How often each line is there: types of several modules have the same names.
fn counted<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    lines.for_each(|line| *counts.entry(line).or_default() += 1);
    counts
}

#[test]
fn most_public_functions_have_an_example() {
    let mut modules: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut missing = Vec::new();
    for line in public_lines() {
        let Some(name) = line.function.as_deref().filter(|name| !is_for_polling(name)) else { continue };
        let module = line.file.split('/').take(3).collect::<Vec<_>>().join("/");
        let (with, all) = modules.entry(module).or_default();
        *all += 1;
        *with += usize::from(line.has_example);
        if !line.has_example {
            missing.push(format!("{} {name}", line.file));
        }
    }
    for (module, (with, all)) in &modules {
        println!("{with:4} of {all:4} in {module}");
    }
    let (with, all) = modules.values().fold((0, 0), |(a, b), (with, all)| (a + with, b + all));
    println!("{with} of {all} functions, {} %; without: {missing:#?}", with * 100 / all);
    assert!(all > 1000, "only {all} functions are found");
    assert!(with * 100 >= all * EXAMPLES, "{with} of {all} public functions have an example: {missing:#?}");
}

#[test]
fn unstable_crates_show_only_behind_their_features() {
    // The crates below 1.0 whose types are in signatures, and the files that their features switch.
    const ALLOWED: [(&str, &[&str]); 10] = [
        ("futures_task", &["executor/src/runtime/handle.rs"]),
        ("Spawn for ", &["executor/src/runtime/handle.rs"]),
        ("hyper_util", &["hyper/src/"]),
        ("auto::Builder", &["hyper/src/"]),
        ("legacy::", &["hyper/src/client/"]),
        ("FromRequestParts", &["hyper/src/serve/extract.rs"]),
        ("tower_layer", &["hyper/src/tower/"]),
        ("tower_service", &["hyper/src/"]),
        ("Layer<", &["hyper/src/tower/"]),
        ("Service<", &["hyper/src/"]),
    ];
    // Those that no public item may name at all.
    const NEVER: [&str; 8] =
        ["crossbeam", "parking_lot::", "slab::", "socket2::", "libc::", "tracing::", "metrics::Key", "mio::"];
    for PublicLine { text, file, .. } in public_lines() {
        for (word, places) in ALLOWED {
            let is_allowed = places.iter().any(|place| file.starts_with(place));
            assert!(!text.contains(word) || is_allowed, "{file}: {text}: {word} is below 1.0");
        }
        assert!(!NEVER.iter().any(|word| text.contains(word)), "{file}: {text}");
    }
}

#[test]
fn the_list_has_items_variants_and_methods_of_traits() {
    let text = "\
/// Waits.
#[derive(Debug)]
pub enum Answer<'a> {
    /// It is.
    Yes,
    No(&'a str),
}

pub(crate) struct Inner;

impl Answer<'_> {
    /// ```
    /// ```
    pub async fn ask(
        &self,
        what: &str,
    ) -> bool {
        true
    }

    #[doc(hidden)]
    pub fn __inner() {}

    fn own(&self) {}
}

impl Drop for Inner {
    fn drop(&mut self) {}
}

impl Clone for Answer<'_> {}

pub trait Ask {
    fn ask(&self);
}
mod tests {
pub fn none() {}
";
    let lines = public_lines_of(text, "a.rs");
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "pub enum Answer<'a>",
            "pub enum Answer<'a>: Yes",
            "pub enum Answer<'a>: No(&'a str)",
            "impl Answer<'_>: pub async fn ask(&self, what: &str) -> bool",
            "impl Drop for Inner",
            "impl Clone for Answer<'_>",
            "pub trait Ask",
            "pub trait Ask: fn ask(&self)",
        ]
    );
    let asks = &lines[3];
    assert_eq!((asks.function.as_deref(), asks.has_example), (Some("ask"), true));
}
