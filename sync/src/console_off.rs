//! The twin of `console/` without the feature: types and functions that compile to nothing.

use crate::wait::{Place, WaitKind};

#[derive(Debug)]
pub(crate) struct Resource;

impl Resource {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self
    }
}

#[derive(Debug)]
pub(crate) struct AsyncOp;

impl AsyncOp {
    #[inline(always)]
    pub(crate) const fn none() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn pending(&mut self, _: &Resource, _: WaitKind, _: Place) {}

    #[inline(always)]
    pub(crate) fn ready(&mut self) {}
}

#[derive(Debug)]
pub(crate) struct PermitsResource(Resource);

impl PermitsResource {
    #[inline(always)]
    pub(crate) const fn new(_: usize) -> Self {
        Self(Resource)
    }

    #[inline(always)]
    pub(crate) fn resource(&self) -> &Resource {
        &self.0
    }

    #[inline(always)]
    pub(crate) fn changed(&self, _: impl FnOnce() -> (usize, usize)) {}
}

/// Takes the value's expression, so that the compiler does not call unused what only the console
/// reads, and computes nothing.
macro_rules! state {
    ($resource:expr, $name:ident = $value:expr) => {
        _ = || (&$resource, $value)
    };
}
pub(crate) use state;
