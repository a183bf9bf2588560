//! The names of tests: promises, of a length that can be typed.

use crate::ledger::Finding;
use crate::lexer::Source;
use crate::sizes::function;

const WORDS: usize = 10;

/// The tests whose names have too many words.
pub(crate) fn too_long(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let mut is_test = false;
        for (index, line) in source.lines.iter().enumerate() {
            let code = line.code.trim();
            is_test |= code == "#[test]" || code.ends_with("::test]") || code.contains("::test(");
            let Some(name) = function(code) else { continue };
            let words = name.split('_').count();
            if is_test && words > WORDS {
                let advice = format!("`{name}` has {words} words: say the promise in at most {WORDS}");
                findings.push(Finding::new(&source.path, source.place(index), advice));
            }
            is_test = false;
        }
    }
    findings
}

#[test]
fn a_long_name_is_found_in_tests_only() {
    let long = "a_b_c_d_e_f_g_h_i_j_k";
    let text = format!(
        "fn {long}() {{}}\n#[wsrt::test(flavor = \"current_thread\")]\nasync fn {long}() {{}}\n#[test]\nfn a_b() {{}}\n"
    );
    let places: Vec<String> =
        too_long(&[Source::new("a.rs", &text)]).into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["a.rs:3"]);
}
