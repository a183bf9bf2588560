//! Where `cfg(wsrt_loom)` and `cfg(wsrt_schedule)` may stand: in each crate's `sync.rs`, and above
//! a `mod` or a `use`; and `cfg(feature = "sim")`: in the simulation's folders, and above a `mod`.

use crate::ledger::Finding;
use crate::lexer::{Line, Source};

/// The places of `cfg(wsrt_loom)` elsewhere.
pub(crate) fn elsewhere(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in
        sources.iter().filter(|source| !source.path.ends_with("/sync.rs") && !source.path.starts_with("schedule/"))
    {
        for (index, line) in source.lines.iter().enumerate() {
            if names_loom(&line.code) && !is_on_a_module(source, index) {
                let advice = "`cfg(wsrt_loom)` or `cfg(wsrt_schedule)` here: ask a name in `sync.rs` instead, which is the same under both";
                findings.push(Finding::new(&source.path, source.place(index), advice));
            }
        }
    }
    findings
}

/// Whether the file is in a folder of the simulation.
pub(crate) fn is_of_simulation(source: &Source) -> bool {
    OF_SIMULATION.iter().any(|folder| source.path.starts_with(folder))
}

/// Whether the line asks for the feature.
pub(crate) fn names_simulation(line: &Line) -> bool {
    line.text.contains("feature = \"sim\"")
}

const OF_SIMULATION: [&str; 3] = ["executor/src/sim/", "executor/src/scheduler/simulation/", "world/"];

/// The places of `cfg(feature = "sim")` elsewhere, but for tests and for the choice of a module.
pub(crate) fn simulation_elsewhere(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let is_exempt = source.path.contains("/tests") || is_of_simulation(source);
        for (index, line) in source.lines.iter().enumerate().filter(|(_, line)| !is_exempt && !line.is_test) {
            if names_simulation(line) && !is_on_a_module(source, index) {
                let advice = "`cfg(feature = \"sim\")` here: ask `util::world` or `scheduler::simulation`, whose twins answer without it";
                findings.push(Finding::new(&source.path, source.place(index), advice));
            }
        }
    }
    findings
}

fn names_loom(code: &str) -> bool {
    let mut words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    (code.contains("cfg(") || code.contains("cfg_attr(") || code.contains("cfg!("))
        && words.any(|word| word == "wsrt_loom" || word == "wsrt_schedule")
}

/// Whether the attribute at `index` is of a module, of an import, or of a crate.
fn is_on_a_module(source: &Source, index: usize) -> bool {
    let is_of_crate = source.lines[index].code.starts_with("#![");
    let mut codes = source.lines[index..].iter().map(|line| line.code.trim());
    let item = codes.find(|code| !code.is_empty() && !code.starts_with("#["));
    let item = item
        .unwrap_or_default()
        .trim_start_matches("pub(crate) ")
        .trim_start_matches("pub(super) ")
        .trim_start_matches("pub ");
    is_of_crate || item.starts_with("mod ") || item.starts_with("use ")
}

#[test]
fn cfg_loom_on_a_function_is_found() {
    let text = [
        "#[cfg(not(wsrt_loom))]",
        "fn a() {}",
        "#[cfg(all(test, wsrt_loom))]",
        "#[path = \"b.rs\"]",
        "pub(crate) mod b;",
        "const C: u8 = if cfg!(wsrt_loom) { 1 } else { 2 };",
        "#[cfg(not(wsrt_loom))]",
        "/// D.",
        "pub use d::D;",
    ];
    let sources = ["a.rs", "x/sync.rs"].map(|path| Source::new(path, &text.join("\n")));
    let places: Vec<String> = elsewhere(&sources).into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["a.rs:1", "a.rs:6"]);
}

#[test]
fn cfg_sim_on_a_statement_is_found() {
    let text = "#[cfg(feature = \"sim\")]\nmod a;\n#[cfg(feature = \"sim\")]\nlet b = 1;";
    let sources = ["executor/src/fs/a.rs", "world/src/a.rs"].map(|path| Source::new(path, text));
    let places: Vec<String> = simulation_elsewhere(&sources).into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["executor/src/fs/a.rs:3"]);
}
