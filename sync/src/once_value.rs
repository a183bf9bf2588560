//! The value of a cell that is written once: either std's `OnceLock`, which a constant can only
//! create empty, or the value that a constant was created with.

use std::sync::OnceLock;

/// A value that is present from the start, or is set once.
#[derive(Debug)]
pub(crate) enum OnceValue<T> {
    Preset(T),
    Set(OnceLock<T>),
}

impl<T> OnceValue<T> {
    pub(crate) const fn new() -> Self {
        Self::Set(OnceLock::new())
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        match self {
            Self::Preset(value) => Some(value),
            Self::Set(cell) => cell.get(),
        }
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Preset(value) => Some(value),
            Self::Set(cell) => cell.get_mut(),
        }
    }

    pub(crate) fn into_inner(self) -> Option<T> {
        match self {
            Self::Preset(value) => Some(value),
            Self::Set(cell) => cell.into_inner(),
        }
    }

    /// # Errors
    ///
    /// Returns the value if the cell already contains one.
    pub(crate) fn set(&self, value: T) -> Result<(), T> {
        match self {
            Self::Preset(_) => Err(value),
            Self::Set(cell) => cell.set(value),
        }
    }
}
