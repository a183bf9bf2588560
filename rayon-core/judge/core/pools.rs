//! rayon-core's unit tests of pools, which look into a pool to see when its threads have ended.
#![allow(deprecated, dead_code)]

use std::any::Any;
use std::error::Error;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex};

use rayon_core::ThreadPoolBuildError;
pub use rayon_core::{join, scope, scope_fifo, spawn, spawn_fifo, yield_local, yield_now};
pub use rayon_core::{Configuration, Scope, ScopeFifo};

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

mod thread_pool {
    #[path = "../../theirs/src/thread_pool/test.rs"]
    mod test;
}

/// The threads of a pool.
pub struct Registry {
    count: usize,
    ended: Mutex<usize>,
    ends: Condvar,
}

impl Registry {
    pub fn num_threads(&self) -> usize {
        self.count
    }

    pub fn wait_until_stopped(&self) {
        drop(self.ends.wait_while(self.ended.lock().unwrap(), |ended| *ended < self.count).unwrap());
    }
}

pub struct ThreadPool {
    inner: rayon_core::ThreadPool,
    pub registry: Arc<Registry>,
}

impl ThreadPool {
    pub fn new(configuration: Configuration) -> Result<Self, Box<dyn Error>> {
        let inner = rayon_core::ThreadPool::new(configuration)?;
        let count = inner.current_num_threads();
        Ok(Self { inner, registry: Arc::new(Registry { count, ended: Mutex::new(0), ends: Condvar::new() }) })
    }
}

impl Deref for ThreadPool {
    type Target = rayon_core::ThreadPool;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

type ExitHandler = Box<dyn Fn(usize) + Send + Sync>;

#[derive(Default)]
pub struct ThreadPoolBuilder {
    inner: rayon_core::ThreadPoolBuilder,
    count: usize,
    exit: Option<ExitHandler>,
}

impl ThreadPoolBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn num_threads(self, count: usize) -> Self {
        Self { inner: self.inner.num_threads(count), count, ..self }
    }

    pub fn stack_size(self, size: usize) -> Self {
        Self { inner: self.inner.stack_size(size), ..self }
    }

    pub fn thread_name(self, name: impl FnMut(usize) -> String + 'static) -> Self {
        Self { inner: self.inner.thread_name(name), ..self }
    }

    pub fn start_handler(self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self { inner: self.inner.start_handler(handler), ..self }
    }

    pub fn exit_handler(self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self { exit: Some(Box::new(handler)), ..self }
    }

    pub fn panic_handler(self, handler: impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static) -> Self {
        Self { inner: self.inner.panic_handler(handler), ..self }
    }

    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        let registry = Arc::new(Registry { count: self.count, ended: Mutex::new(0), ends: Condvar::new() });
        let (exit, theirs) = (self.exit, Arc::clone(&registry));
        let ends = move |index| {
            let handled = exit.as_ref().map(|exit| {
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| exit(index)))
            });
            *theirs.ended.lock().unwrap() += 1;
            theirs.ends.notify_all();
            if let Some(Err(panic)) = handled {
                std::panic::resume_unwind(panic);
            }
        };
        let inner = self.inner.exit_handler(ends).build()?;
        Ok(ThreadPool { inner, registry })
    }
}
