//! The modules of rayon-core that its unit tests name, made of its public interface. The folder
//! `theirs` holds its sources, of which the tests alone are compiled.
#![allow(unused_imports)]

pub use rayon_core::*;

pub(crate) mod unwind {
    pub(crate) fn halt_unwinding<R>(f: impl FnOnce() -> R) -> std::thread::Result<R> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(f))
    }
}

pub(crate) mod registry {
    pub(crate) fn in_worker<R: Send>(f: impl FnOnce((), bool) -> R + Send) -> R {
        rayon_core::scope(|_| f((), false))
    }
}

mod broadcast {
    #[path = "../../theirs/src/broadcast/test.rs"]
    mod test;
}

mod join {
    pub(crate) use crate::{join, join_context, unwind};

    #[path = "../../theirs/src/join/test.rs"]
    mod test;
}

mod scope {
    #[path = "../../theirs/src/scope/test.rs"]
    mod test;
}

mod spawn {
    pub(crate) use crate::{spawn, spawn_fifo};

    #[path = "../../theirs/src/spawn/test.rs"]
    mod test;
}

#[path = "../theirs/src/test.rs"]
mod test;
