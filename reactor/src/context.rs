//! The current reactor context of a thread: the netpoller with which new sockets are registered,
//! and the services that the runtime provides for sockets.

use crate::handle::Handle;
use crate::services;
pub use crate::services::{Delay, Services};
use crate::sync::Arc;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use wsrt_sync::drop_in::{IS_ON, NO_IO, OUTSIDE};

/// A netpoller for new sockets, together with the services of the runtime that the sockets belong
/// to. Cloning a context increments a reference count.
#[derive(Clone)]
pub struct ReactorContext(Arc<Parts>);

struct Parts {
    handle: Handle,
    services: Arc<dyn Services>,
}

impl ReactorContext {
    /// Creates a context from a handle to a netpoller and the runtime's services.
    #[must_use]
    pub fn new(handle: Handle, services: Arc<dyn Services>) -> ReactorContext {
        services::answer_by(|| current().is_some_and(|context| context.services().drops_what_waits()));
        ReactorContext(Arc::new(Parts { handle, services }))
    }

    /// Returns the handle with which sockets are registered with the netpoller.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.0.handle
    }

    /// Returns the services that the runtime provides for its sockets.
    #[must_use]
    pub fn services(&self) -> &dyn Services {
        &*self.0.services
    }
}

impl fmt::Debug for ReactorContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReactorContext").field("handle", &self.0.handle).finish_non_exhaustive()
    }
}

thread_local! {
    static CURRENT: RefCell<Option<ReactorContext>> = const { RefCell::new(None) };
}

/// Makes `context` the current context of this thread until the returned guard is dropped. With
/// `None`, the thread has no context until then.
///
/// Guards can be nested: each guard restores the context that was current before it, so guards must
/// be dropped in the reverse order of their creation. On a thread whose thread-local storage is
/// being destroyed, this function does nothing.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// # use wsrt_reactor::Netpoller;
/// # use wsrt_reactor::context::{self, Delay, ReactorContext, Services};
///
/// struct ThreadPerJob;
/// impl Services for ThreadPerJob {
///     fn offload(&self, job: Box<dyn FnOnce() + Send>) {
///         std::thread::spawn(job);
///     }
///
///     fn delay(&self, _: Duration) -> Delay {
///         // No timers here: addresses are tried one after the other.
///         Box::pin(std::future::pending())
///     }
/// }
///
/// let netpoller = Netpoller::new()?;
/// let context = ReactorContext::new(netpoller.handle().clone(), Arc::new(ThreadPerJob));
/// let entered = context::enter(Some(context));
/// assert!(context::current().is_some());
/// drop(entered);
/// assert!(context::current().is_none());
/// # std::io::Result::Ok(())
/// ```
#[must_use = "the context is left again when the guard is dropped"]
pub fn enter(context: Option<ReactorContext>) -> ContextGuard {
    ContextGuard { previous: replace(context), not_send: PhantomData }
}

/// Returns the current context of this thread, or `None` if the thread has none.
#[must_use]
pub fn current() -> Option<ReactorContext> {
    CURRENT.try_with(|current| current.borrow().clone()).ok().flatten()
}

/// Returns the current thread's context for `operation`.
///
/// # Panics
///
/// Panics if there is none, with a message that names `operation` and says where it may be called.
/// Panics also if its runtime has been built without I/O.
#[track_caller]
pub(crate) fn required(operation: &str) -> ReactorContext {
    let context = required_to_look_up(operation);
    assert!(!IS_ON || context.services().has_io(), "wsrt: {NO_IO}");
    context
}

/// Returns the current thread's context for `operation`, which only resolves a name.
///
/// # Panics
///
/// Panics if there is none.
#[track_caller]
pub(crate) fn required_to_look_up(operation: &str) -> ReactorContext {
    match current() {
        Some(context) => context,
        None => panic!(
            "wsrt: {OUTSIDE}`{operation}` needs a running wsrt runtime: call it inside `#[wsrt::main]`, a spawned task, \
             `Runtime::block_on`, or while a `Handle::enter` guard is held"
        ),
    }
}

/// Makes `context` the current context of this thread without a guard, and returns the previous
/// context. This function is for a runtime that manages the order of its contexts itself.
///
/// On a thread whose thread-local storage is being destroyed, this function does nothing.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor::context;
/// let before = context::replace(None);
/// assert!(context::current().is_none());
/// context::replace(before);
/// ```
// The caller drops the previous context, after the borrow has ended: the drop may run code that
// borrows the slot again.
pub fn replace(context: Option<ReactorContext>) -> Option<ReactorContext> {
    CURRENT.try_with(|current| std::mem::replace(&mut *current.borrow_mut(), context)).ok().flatten()
}

/// Restores the previous context of the thread when dropped. Returned by [`enter`]. A guard cannot
/// be sent to another thread.
#[derive(Debug)]
pub struct ContextGuard {
    previous: Option<ReactorContext>,
    not_send: PhantomData<*const ()>,
}

impl Drop for ContextGuard {
    fn drop(&mut self) {
        let left = replace(self.previous.take());
        drop(left);
    }
}
