//! Stacks by tokio's names. wsrt walks none: there are no values of these types, but for a wrapper
//! that does nothing.

use std::ffi::c_void;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

macro_rules! never {
    ($($(#[$about:meta])* $name:ident { $($(#[$method_about:meta])* $method:ident: $result:ty;)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub enum $name {}

        impl $name {$(
            $(#[$method_about])*
            pub fn $method(&self) -> $result {
                match *self {}
            }
        )*}
    )*};
}

never! {
    /// A walk over a stack. There is none on wsrt.
    Backtrace {
        /// Returns the frames.
        frames: std::slice::Iter<'_, BacktraceFrame>;
    }
    /// A frame of a stack. There is none on wsrt.
    BacktraceFrame {
        /// Returns the address of the instruction.
        ip: *mut c_void;
        /// Returns the address of the function.
        symbol_address: *mut c_void;
        /// Returns the names at that address.
        symbols: std::slice::Iter<'_, BacktraceSymbol>;
    }
    /// A function's name. There is none on wsrt.
    BacktraceSymbol {
        /// Returns the name as it is in the program.
        name_raw: Option<&[u8]>;
        /// Returns the name for people.
        name_demangled: Option<&str>;
        /// Returns the address.
        addr: Option<*mut c_void>;
        /// Returns the source file.
        filename: Option<&Path>;
        /// Returns the line in the file.
        lineno: Option<u32>;
        /// Returns the column in the line.
        colno: Option<u32>;
    }
}

/// A future that is polled as it is.
#[derive(Clone, Debug)]
#[must_use = "futures do nothing unless they are awaited or polled"]
pub struct Root<T>(Pin<Box<T>>);

impl<T: Future> Root<T> {
    /// Wraps a future.
    pub fn new(future: T) -> Self {
        Self(Box::pin(future))
    }
}

impl<T: Future> Future for Root<T> {
    type Output = T::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T::Output> {
        self.0.as_mut().poll(cx)
    }
}
