//! Users' code may do anything at every place where the runtime runs it: destructors, wakers,
//! hooks and closures end the runtime, resize, drain, spawn, panic and block there.
//!
//! Each place of docs/USERS_CODE.md meets each action, in a runtime of its own, of each flavor.

mod closures;
mod destructors;
mod hooks;
mod places;
mod refused;
mod scene;
mod wakers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Output;

use wsrt_tests::{in_a_process_of_its_own, text_of, within_a_minute};

use self::places::{Place, places};
use self::scene::{Action, Flavor, Scene};

/// Names a cell to the process that it is to be run in.
const CELL: &str = "USERS_CODE_CELL";

/// A place and an action, in a runtime of this flavor.
#[derive(Clone, Copy)]
struct Cell {
    place: Place,
    action: Action,
    flavor: Flavor,
}

impl Cell {
    fn all() -> Vec<Self> {
        let mut cells = Vec::new();
        for place in places() {
            for flavor in place.flavors() {
                cells.extend(Action::ALL.map(|action| Self { place, action, flavor }));
            }
        }
        cells
    }

    fn name(self) -> String {
        format!("{}, {:?}, {:?}", self.place.name, self.action, self.flavor)
    }

    /// The words of the process that this ends, as documented: a hook that panics, or a
    /// destructor of a thread-local.
    fn last_words(self) -> Option<&'static str> {
        self.place.last_words.filter(|_| self.action == Action::Panic)
    }

    fn run(self) {
        let scene = Scene::build(self.flavor, self.action, self.place.prepare);
        (self.place.enact)(&scene);
        scene.end(self.place.name);
    }
}

#[test]
fn every_action_works_at_every_place() {
    let cells = Cell::all();
    assert!(cells.len() > 300, "{} cells", cells.len());
    let mut failed = Vec::new();
    for cell in cells.into_iter().filter(|cell| cell.last_words().is_none()) {
        let run = catch_unwind(AssertUnwindSafe(|| within_a_minute(move || cell.run())));
        if run.is_err() {
            failed.push(cell.name());
        }
    }
    assert!(failed.is_empty(), "{} cells have failed: {failed:#?}", failed.len());
}

fn in_a_process(name: &str) -> Output {
    in_a_process_of_its_own("what_ends_the_process_says_so", &[(CELL, name)], || {
        let name = std::env::var(CELL).expect("it is set");
        let cell = Cell::all().into_iter().find(|cell| cell.name() == name).expect("the parent knows the names");
        within_a_minute(move || cell.run());
    })
}

#[test]
fn what_ends_the_process_says_so() {
    for cell in Cell::all() {
        let Some(words) = cell.last_words() else { continue };
        let output = in_a_process(&cell.name());
        assert!(!output.status.success(), "{}: {}", cell.name(), text_of(&output));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(words), "{}: {errors}", cell.name());
    }
}
