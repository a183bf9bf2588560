//! The crates that examples in public documentation name.

use crate::ledger::Finding;
use crate::lexer::Source;

/// The visible lines of examples that name `wsrt_reactor`, on which users of wsrt do not depend.
pub(crate) fn naming_the_reactor(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.path.contains("/src/")) {
        let mut is_example = false;
        for (index, line) in source.lines.iter().enumerate() {
            let comment = line.comment.as_str();
            let Some(doc) = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!")) else {
                is_example = false;
                continue;
            };
            let doc = doc.trim();
            is_example ^= doc.starts_with("```");
            let is_hidden = doc == "#" || doc.starts_with("# ");
            if is_example && !is_hidden && doc.contains("wsrt_reactor") {
                let advice =
                    "no user of wsrt depends on this crate: write `wsrt`, and hide `# use wsrt_reactor as wsrt;`";
                findings.push(Finding::new(&source.path, source.place(index), advice));
            }
        }
    }
    findings
}

#[test]
fn a_visible_line_is_found_unlike_a_hidden_one() {
    let text = [
        "/// Of `wsrt_reactor`.",
        "/// ```",
        "/// # use wsrt_reactor as wsrt;",
        "/// use wsrt_reactor::net::TcpStream;",
        "/// ```",
        "/// wsrt_reactor",
        "use wsrt_reactor::net;",
    ];
    let findings = naming_the_reactor(&[Source::new("a/src/a.rs", &text.join("\n"))]);
    let places: Vec<String> = findings.into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["a/src/a.rs:4"]);
}
