//! What tells a task from others: its id, where it was spawned, and what the user calls it.

use std::panic::Location;

use super::Id;

/// Where a task comes from: what its spawner says of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) name: Option<&'a str>,
}

impl From<&'static Location<'static>> for Origin<'_> {
    fn from(spawned_at: &'static Location<'static>) -> Self {
        Self { spawned_at, name: None }
    }
}

/// A name, behind a thin pointer: most tasks have none, and pay one word for that.
#[derive(Debug)]
pub(crate) struct Name(Box<str>);

impl Name {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a task is told of itself when it is made.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) id: Id,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) name: Option<Box<Name>>,
}

impl Identity {
    #[inline]
    pub(crate) fn new<'a>(id: Id, origin: impl Into<Origin<'a>>) -> Self {
        let Origin { spawned_at, name } = origin.into();
        Self { id, spawned_at, name: name.map(|name| Box::new(Name(name.into()))) }
    }
}
