//! The builder's old name.
#![allow(deprecated)]

use std::any::Any;
use std::error::Error;
use std::fmt;

use crate::{ThreadPool, ThreadPoolBuilder};

/// Builds a pool. The new name is [`ThreadPoolBuilder`].
#[deprecated(note = "use `ThreadPoolBuilder`")]
#[derive(Default)]
pub struct Configuration(ThreadPoolBuilder);

/// Hands a setter on to the builder.
macro_rules! setters {
    ($($name:ident($($argument:ident: $kind:ty)?);)*) => {
        $(
            #[doc = concat!("Does as [`ThreadPoolBuilder::", stringify!($name), "`].")]
            #[must_use]
            pub fn $name(self $(, $argument: $kind)?) -> Self {
                Self(self.0.$name($($argument)?))
            }
        )*
    };
}

impl Configuration {
    /// Makes a builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds a pool.
    ///
    /// # Errors
    ///
    /// Returns the error of [`ThreadPoolBuilder::build`].
    pub fn build(self) -> Result<ThreadPool, Box<dyn Error + 'static>> {
        self.0.build().map_err(Box::from)
    }

    setters! {
        thread_name(closure: impl FnMut(usize) -> String + 'static);
        num_threads(num_threads: usize);
        panic_handler(panic_handler: impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static);
        stack_size(stack_size: usize);
        breadth_first();
        start_handler(start_handler: impl Fn(usize) + Send + Sync + 'static);
        exit_handler(exit_handler: impl Fn(usize) + Send + Sync + 'static);
    }
}

impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Builds the process-wide pool.
///
/// # Errors
///
/// Returns the error of [`ThreadPoolBuilder::build_global`].
#[deprecated(note = "use `ThreadPoolBuilder::build_global`")]
pub fn initialize(config: Configuration) -> Result<(), Box<dyn Error>> {
    config.0.build_global().map_err(Box::from)
}
