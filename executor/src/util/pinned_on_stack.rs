//! A future that is pinned in a frame of this thread's stack, where frames further in poll it too:
//! a thread that waits inside one future's poll continues with the others that it has begun.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::Poll;
use std::thread::LocalKey;

use crate::util::unwind::Payload;

/// A future that is pinned in this frame or one further out, and its result.
pub(crate) struct PinnedFuture<'a, F: Future> {
    /// Borrowed while it is being polled.
    future: RefCell<Pin<&'a mut F>>,
    /// `None` until it is done.
    result: Cell<Option<Result<F::Output, Payload>>>,
    is_done: Cell<bool>,
}

impl<'a, F: Future> PinnedFuture<'a, F> {
    pub(crate) fn new(future: Pin<&'a mut F>) -> Self {
        Self { future: RefCell::new(future), result: Cell::new(None), is_done: Cell::new(false) }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.is_done.get()
    }

    /// Returns whether a frame further out is in the middle of its poll.
    pub(crate) fn is_being_polled(&self) -> bool {
        self.future.try_borrow_mut().is_err()
    }

    /// Polls the future, which nothing polls now. Returns whether it is done.
    ///
    /// A panic is kept as its result: the frames between must end in good order, and the panic
    /// continues in the frame that takes the result.
    pub(crate) fn poll(&self, poll: impl FnOnce(Pin<&mut F>) -> Poll<F::Output>) -> bool {
        let mut future = self.future.borrow_mut();
        let result = match catch_unwind(AssertUnwindSafe(|| poll(future.as_mut()))) {
            Ok(Poll::Pending) => return false,
            Ok(Poll::Ready(output)) => Ok(output),
            Err(panic) => Err(panic),
        };
        self.result.set(Some(result));
        self.is_done.set(true);
        true
    }

    /// Ends it without a result.
    pub(crate) fn give_up(&self) {
        self.is_done.set(true);
    }

    pub(crate) fn take_result(&self) -> Option<Result<F::Output, Payload>> {
        self.result.take()
    }
}

/// The address of a value in a frame further out on this thread's stack.
pub(crate) struct FrameRef<T: ?Sized>(NonNull<T>);

impl<T: ?Sized> FrameRef<T> {
    /// Calls `run` with the address of a value in `place`, and puts back the one before it.
    ///
    /// # Safety
    ///
    /// The value stays where it is until this call returns. Copies of the address that `run` makes
    /// stay on this thread, and are forgotten by then.
    pub(crate) unsafe fn nest<R>(place: &Cell<Option<Self>>, value: NonNull<T>, run: impl FnOnce() -> R) -> R {
        let _nested = Nested { place, outer: place.replace(Some(Self(value))) };
        run()
    }

    pub(crate) fn get(&self) -> &T {
        // SAFETY: it is in a frame further out on this thread's stack, and stays there until the
        // address is forgotten, as `nest` demands. Shared: it has cells for all that changes.
        unsafe { self.0.as_ref() }
    }
}

impl<T: ?Sized> Clone for FrameRef<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for FrameRef<T> {}

/// The time in which an address is in its place.
struct Nested<'a, T: ?Sized> {
    place: &'a Cell<Option<FrameRef<T>>>,
    outer: Option<FrameRef<T>>,
}

impl<T: ?Sized> Drop for Nested<'_, T> {
    fn drop(&mut self) {
        self.place.set(self.outer);
    }
}

/// Where a thread keeps the address of the innermost of some frames, which link those further out.
type FramePlace<T> = LocalKey<Cell<Option<FrameRef<T>>>>;

/// Frames that a thread has left for a while. Dropping this, in an inner frame, enters them again.
pub(crate) struct FramesAside<T: 'static> {
    place: &'static FramePlace<T>,
    innermost: Option<FrameRef<T>>,
}

impl<T> FramesAside<T> {
    /// Leaves the frames that this thread is in.
    pub(crate) fn take(place: &'static FramePlace<T>) -> Self {
        Self { place, innermost: place.take() }
    }

    /// Remembers the frames that this thread is in, and stays in them.
    pub(crate) fn keep(place: &'static FramePlace<T>) -> Self {
        Self { place, innermost: place.get() }
    }

    /// Enters the frames again, and leaves the thread's current frames. Dropping the returned value
    /// undoes this.
    pub(crate) fn put_back(&self) -> Self {
        Self { place: self.place, innermost: self.place.replace(self.innermost) }
    }
}

impl<T> Drop for FramesAside<T> {
    fn drop(&mut self) {
        self.place.set(self.innermost);
    }
}
