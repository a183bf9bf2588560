//! The pictures of the guide are those that the program draws.

use std::fs;

use wsrt_benches::guide::{definitions, files, folder};

const ADVICE: &str = "run `cargo run -p wsrt-benches --bin guide_pictures`";

#[test]
fn the_guide_has_the_pictures_that_are_drawn() {
    for (name, picture) in files() {
        let there = fs::read_to_string(folder().join(&name)).unwrap_or_default();
        assert!(there == picture, "{name} is another: {ADVICE}");
    }
    let links = fs::read_to_string(folder().join("links.md")).expect("it is there");
    for definition in definitions() {
        let name = definition.split_once(": ").expect("a definition").0;
        assert!(links.lines().any(|line| line == definition), "links.md has another {name}: {ADVICE}");
    }
}
