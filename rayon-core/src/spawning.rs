//! The threads of a pool, and how they are started.

use std::fmt;
use std::io;
use std::thread;

use wsrt::team::Place;

/// A thread to be: the caller of [`spawn_handler`](crate::ThreadPoolBuilder::spawn_handler) starts
/// one that calls [`run`](Self::run).
pub struct ThreadBuilder {
    pub(crate) name: Option<String>,
    pub(crate) stack_size: Option<usize>,
    pub(crate) place: Place,
}

impl ThreadBuilder {
    /// Returns the index of the thread in its pool.
    pub fn index(&self) -> usize {
        self.place.index()
    }

    /// Returns the name that the pool's builder has for the thread.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the stack size that the pool's builder has, in bytes.
    pub fn stack_size(&self) -> Option<usize> {
        self.stack_size
    }

    /// Works in the pool, and returns when the pool has ended.
    ///
    /// # Panics
    ///
    /// Panics if the current thread works in a pool already.
    pub fn run(self) {
        self.place.run();
    }
}

impl fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("pool", &self.place.team_id())
            .field("index", &self.index())
            .field("name", &self.name)
            .field("stack_size", &self.stack_size)
            .finish()
    }
}

mod sealed {
    /// Keeps a trait from being implemented by other crates.
    pub trait Sealed {}
}

/// Starts the threads of a pool. Other crates cannot implement it.
pub trait ThreadSpawn: sealed::Sealed {
    /// Starts a thread that calls [`ThreadBuilder::run`].
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;

    /// Whether the threads are the user's.
    #[doc(hidden)]
    fn is_users(&self) -> bool {
        true
    }
}

/// Starts threads by [`std::thread::Builder`].
#[derive(Debug, Default)]
pub struct DefaultSpawn;

impl sealed::Sealed for DefaultSpawn {}

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        named(&thread).spawn(|| thread.run())?;
        Ok(())
    }

    fn is_users(&self) -> bool {
        false
    }
}

/// Returns a builder for a thread with the name and the stack size that `thread` is to have.
pub(crate) fn named(thread: &ThreadBuilder) -> thread::Builder {
    let mut builder = thread::Builder::new();
    if let Some(name) = thread.name() {
        builder = builder.name(name.to_owned());
    }
    if let Some(stack_size) = thread.stack_size() {
        builder = builder.stack_size(stack_size);
    }
    builder
}

/// Starts threads by a closure of the user's.
#[derive(Debug)]
pub struct CustomSpawn<F>(pub(crate) F);

impl<F> sealed::Sealed for CustomSpawn<F> {}

impl<F> ThreadSpawn for CustomSpawn<F>
where
    F: FnMut(ThreadBuilder) -> io::Result<()>,
{
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        (self.0)(thread)
    }
}
