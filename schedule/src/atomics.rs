//! The atomics: std's, with a step of the schedule before each access.

use std::fmt;
use std::sync::atomic::{self as std_atomic, Ordering};

use crate::steps::step;

/// The operations of every atomic.
macro_rules! common {
    ($name:ident $(<$generic:ident>)?, $inner:ty, $value:ty) => {
        impl$(<$generic>)? $name$(<$generic>)? {
            /// Returns an atomic with this value.
            #[must_use]
            pub const fn new(value: $value) -> Self {
                Self(<$inner>::new(value))
            }

            /// Returns the value of an atomic that no thread shares.
            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            /// Returns the value.
            #[must_use]
            pub fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            /// Loads the value.
            #[must_use]
            pub fn load(&self, order: Ordering) -> $value {
                step();
                self.0.load(order)
            }

            /// Stores a value.
            pub fn store(&self, value: $value, order: Ordering) {
                step();
                self.0.store(value, order);
            }

            /// Stores a value, and returns the one before.
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                step();
                self.0.swap(value, order)
            }

            /// Stores `new` if the value is `old`.
            ///
            /// # Errors
            ///
            /// Returns the value if it is another.
            pub fn compare_exchange(
                &self,
                old: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                step();
                self.0.compare_exchange(old, new, success, failure)
            }

            /// Stores `new` if the value is `old`. In a schedule it never fails for nothing.
            ///
            /// # Errors
            ///
            /// Returns the value if it is another.
            pub fn compare_exchange_weak(
                &self,
                old: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(old, new, success, failure)
            }

            /// Replaces the value by what `f` makes of it.
            ///
            /// # Errors
            ///
            /// Returns the value if `f` returns `None`.
            pub fn fetch_update(
                &self,
                success: Ordering,
                failure: Ordering,
                mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut value = self.load(failure);
                while let Some(next) = f(value) {
                    match self.compare_exchange(value, next, success, failure) {
                        Ok(old) => return Ok(old),
                        Err(other) => value = other,
                    }
                }
                Err(value)
            }
        }

        impl$(<$generic>)? fmt::Debug for $name$(<$generic>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

/// Operations that read, change and write.
macro_rules! changes {
    ($name:ident, $value:ty, $($change:ident)*) => {
        impl $name {
            $(
                /// Changes the value as std's operation of this name does; returns the one before.
                pub fn $change(&self, value: $value, order: Ordering) -> $value {
                    step();
                    self.0.$change(value, order)
                }
            )*
        }
    };
}

macro_rules! integers {
    ($($name:ident $value:ty;)*) => { $(
        /// std's atomic of this name, each access to which is a step of the schedule.
        #[derive(Default)]
        #[repr(transparent)]
        pub struct $name(std_atomic::$name);

        common!($name, std_atomic::$name, $value);
        changes!($name, $value, fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand fetch_max fetch_min);
    )* };
}

integers! {
    AtomicU8 u8;
    AtomicU16 u16;
    AtomicU32 u32;
    AtomicU64 u64;
    AtomicUsize usize;
    AtomicI32 i32;
    AtomicI64 i64;
    AtomicIsize isize;
}

/// std's atomic of this name, each access to which is a step of the schedule.
#[derive(Default)]
#[repr(transparent)]
pub struct AtomicBool(std_atomic::AtomicBool);

common!(AtomicBool, std_atomic::AtomicBool, bool);
changes!(AtomicBool, bool, fetch_and fetch_or fetch_xor fetch_nand);

/// std's atomic of this name, each access to which is a step of the schedule.
#[repr(transparent)]
pub struct AtomicPtr<T>(std_atomic::AtomicPtr<T>);

common!(AtomicPtr<T>, std_atomic::AtomicPtr<T>, *mut T);

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self(std_atomic::AtomicPtr::default())
    }
}
