//! The house checks itself: file heads and sizes, the width of comments, arrows between rooms,
//! `cfg(wsrt_loom)`, quotes in the documents, examples and vocabulary.
//!
//! Each rule is a function from sources to findings, with samples that break it beside it. Places
//! that break a rule and cannot go yet have an entry in `exceptions.txt`, with their count. The
//! counts only shrink: a higher count fails the test, and so does an entry that is too high.
//! `WSRT_TIDY=lower cargo test -p wsrt-tests --test tidy` lowers them.

mod arrows;
mod atomics;
mod cfgs;
mod examples;
mod figures;
mod heads;
mod house;
mod knots;
mod ledger;
mod lexer;

mod manifests;
mod modules;
mod names;
mod quotes;
mod sizes;
mod tree;
mod use_trees;
mod vocabulary;

use crate::ledger::check;
use crate::tree::{documents, manifests, scripts, sources, texts};

#[test]
fn each_file_opens_with_what_it_is_about() {
    check("head", heads::without_head(sources()));
}

#[test]
fn comments_and_documents_end_at_column_100() {
    let mut findings = heads::too_wide(sources());
    findings.extend(heads::wide_documents(texts()));
    check("width", findings);
}

#[test]
fn no_file_has_more_than_450_lines_of_code() {
    check("file", sizes::long_files(sources()));
}

#[test]
fn no_function_has_more_than_60_lines() {
    check("function", sizes::long_functions(sources()));
}

#[test]
fn the_readmes_figures_are_in_benchmarks() {
    let document = |path| documents().iter().find(|document| document.path == path).expect("it is in the tree");
    check("figure", figures::unfounded(document("README.md"), document("docs/BENCHMARKS.md")));
}

#[test]
fn arrows_between_the_executors_rooms_point_down() {
    check("arrow", arrows::upward(sources()));
    check("room", arrows::gone(sources()));
}

#[test]
fn the_numbers_of_the_house_only_fall() {
    check("house", house::grown(sources()));
}

#[test]
fn no_knot_of_imports_is_large() {
    check("knot", knots::large(sources()));
}

#[test]
fn crates_depend_only_on_those_below_them() {
    check("dependency", manifests::upward(manifests()));
}

#[test]
fn crates_ask_for_each_others_exact_version() {
    check("version", manifests::inexact(scripts()));
}

#[test]
fn cfg_loom_is_in_sync_and_on_mod_lines() {
    check("loom", cfgs::elsewhere(sources()));
}

#[test]
fn cfg_sim_is_in_the_simulations_folders() {
    check("simulation", cfgs::simulation_elsewhere(sources()));
}

#[test]
fn atomics_of_modelled_crates_come_from_sync() {
    check("atomic", atomics::elsewhere(sources()));
}

#[test]
fn quoted_paths_and_identifiers_exist() {
    check("quote", quotes::missing(documents(), sources(), scripts()));
    check("foreign", quotes::unquoted(documents()));
}

#[test]
fn no_public_example_names_wsrt_reactor() {
    check("example", examples::naming_the_reactor(sources()));
}

#[test]
fn test_names_have_at_most_ten_words() {
    check("name", names::too_long(sources()));
}

#[test]
fn no_identifier_uses_a_retired_word() {
    check("identifier", vocabulary::in_identifiers(sources()));
}

#[test]
fn doc_comments_stand_alone() {
    check("prose", vocabulary::in_comments(sources()));
}
