//! Which netpoller the current thread registers new sockets with, and who runs its blocking jobs.

use crate::handle::Handle;
use crate::sync::Arc;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

/// Runs a job that may block, somewhere that is not in the way of tasks.
///
/// Host names are resolved through it. A job that is dropped unrun, or that panics, makes the lookup fail; it must not
/// be kept for ever.
pub trait Offload: Send + Sync {
    /// Takes the job, to be run soon on a thread that may block. Must not block itself.
    fn offload(&self, job: Box<dyn FnOnce() + Send>);
}

/// Says what new sockets belong to: a netpoller, and the place where blocking jobs run.
#[derive(Clone)]
pub struct Context {
    handle: Handle,
    offload: Arc<dyn Offload>,
}

impl Context {
    /// Puts the two together.
    #[must_use]
    pub fn new(handle: Handle, offload: Arc<dyn Offload>) -> Context {
        Context { handle, offload }
    }

    /// Returns the netpoller's registration side.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Returns the place where blocking jobs run.
    #[must_use]
    pub fn offload(&self) -> &dyn Offload {
        &*self.offload
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("handle", &self.handle).finish_non_exhaustive()
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

/// Makes `context` the current thread's until the guard is dropped; `None` makes it have none.
///
/// Guards nest: each restores what it found, so they are to be dropped in the reverse order of their making.
/// On a thread whose thread-local storage is being torn down this does nothing.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use wsrt_reactor::Netpoller;
/// use wsrt_reactor::context::{self, Context, Offload};
///
/// struct ThreadPerJob;
/// impl Offload for ThreadPerJob {
///     fn offload(&self, job: Box<dyn FnOnce() + Send>) {
///         std::thread::spawn(job);
///     }
/// }
///
/// let netpoller = Netpoller::new()?;
/// let context = Context::new(netpoller.handle().clone(), Arc::new(ThreadPerJob));
/// let entered = context::enter(Some(context));
/// assert!(context::current().is_some());
/// drop(entered);
/// assert!(context::current().is_none());
/// # std::io::Result::Ok(())
/// ```
#[must_use = "the context is left again when the guard is dropped"]
pub fn enter(context: Option<Context>) -> Entered {
    Entered { previous: replace(context), not_send: PhantomData }
}

/// Returns the current thread's context, if it has one.
#[must_use]
pub fn current() -> Option<Context> {
    CURRENT.try_with(|current| current.borrow().clone()).ok().flatten()
}

/// Returns the current thread's context for `operation`.
///
/// # Panics
///
/// When there is none, with a message that names `operation` and says where it may be called.
#[track_caller]
pub(crate) fn required(operation: &str) -> Context {
    match current() {
        Some(context) => context,
        None => panic!(
            "wsrt: `{operation}` needs a running wsrt runtime: call it inside `#[wsrt::main]`, a spawned task, \
             `Runtime::block_on`, or while a `Handle::enter` guard is held"
        ),
    }
}

/// Swaps the slot's content. What comes out is dropped by the caller, after the borrow has ended: its drop may run code
/// that looks at the slot again.
fn replace(context: Option<Context>) -> Option<Context> {
    CURRENT.try_with(|current| std::mem::replace(&mut *current.borrow_mut(), context)).ok().flatten()
}

/// Restores the previous context when dropped. Stays on its thread.
#[derive(Debug)]
pub struct Entered {
    previous: Option<Context>,
    not_send: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let left = replace(self.previous.take());
        drop(left);
    }
}
