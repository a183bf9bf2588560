//! The list of places.

use wsrt::runtime::Builder;

use crate::scene::{Flavor, Scene};
use crate::{closures, destructors, hooks, refused, wakers};

/// A place where the runtime runs users' code.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) prepare: fn(&mut Builder, &Scene),
    pub(crate) enact: fn(&Scene),
    /// Set where a panic ends the process: words of its standard error.
    pub(crate) last_words: Option<&'static str>,
    needs_threads: bool,
}

impl Place {
    pub(crate) fn new(name: &'static str, enact: fn(&Scene)) -> Self {
        Self { name, prepare: |_, _| (), enact, last_words: None, needs_threads: false }
    }

    pub(crate) fn prepared(self, prepare: fn(&mut Builder, &Scene)) -> Self {
        Self { prepare, ..self }
    }

    pub(crate) fn ends_the_process(self, last_words: &'static str) -> Self {
        Self { last_words: Some(last_words), ..self }
    }

    /// Only where the runtime has threads of its own.
    pub(crate) fn on_threads(self) -> Self {
        Self { needs_threads: true, ..self }
    }

    pub(crate) fn flavors(&self) -> Vec<Flavor> {
        if self.needs_threads {
            vec![Flavor::TwoProcessors]
        } else {
            vec![Flavor::TwoProcessors, Flavor::CurrentThread]
        }
    }
}

pub(crate) fn places() -> Vec<Place> {
    [closures::places(), destructors::places(), refused::places(), wakers::places(), hooks::places()].concat()
}
