//! Task-local values, which belong to a future as `thread_local!` values belong to a thread.

use std::any::Any;
use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::mem;
use std::pin::Pin;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use wsrt_sync::drop_in::NO_TASK_LOCAL;

use super::inherited::{self, LayersAside, SharedValue, leave_layers};
use crate::util::pinned_on_stack::{FrameRef, FramesAside};

/// Declares task-local keys, which give the code inside a future access to the future's values.
///
/// Each key is a static of type [`task::LocalKey`](crate::task::LocalKey). A key has no initial
/// value: it has a value only inside a [`scope`](crate::task::LocalKey::scope).
///
/// Spawned tasks inherit the values of keys that are declared with the word `inherit` before
/// `static`, and no others. The type of such a value must be `Send` and `Sync`, because the scope
/// and the tasks share the value.
///
/// - A task inherits the values at the place where it is spawned, and keeps them for as long as it
///   lives. This holds for all tasks and blocking jobs: of [`spawn`](crate::spawn),
///   [`spawn_local`](crate::task::spawn_local), [`spawn_blocking`](crate::task::spawn_blocking),
///   `JoinSet`, `TaskGroup`, `task::Builder`, and of a `Handle` of another runtime.
/// - Threads that the program starts inherit nothing, and neither do the other threads that run the
///   closures of [`parallel`](crate::parallel).
/// - With [`Builder::inherit(false)`](crate::task::Builder::inherit), a task inherits nothing.
/// - Where no scope of an inherited key is entered, a spawn pays for reading a single word.
///
/// # Examples
///
/// ```
/// wsrt::task_local! {
///     /// Whose request this is.
///     pub static USER: String;
///     static ATTEMPT: u32;
/// }
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let greeting = USER.scope("ferris".to_owned(), async {
///     wsrt::task::yield_now().await;
///     ATTEMPT.sync_scope(2, || USER.with(|user| format!("hello {user}, for the {}nd time", ATTEMPT.get())))
/// });
/// assert_eq!(greeting.await, "hello ferris, for the 2nd time");
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// A value that spawned tasks inherit:
///
/// ```
/// wsrt::task_local! {
///     /// The request that the work is done for.
///     pub inherit static REQUEST: u64;
/// }
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let answer = REQUEST.scope(7, async {
///     let task = wsrt::spawn(async { format!("row of request {}", REQUEST.get()) });
///     task.await.expect("it does not panic")
/// });
/// assert_eq!(answer.await, "row of request 7");
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[macro_export]
macro_rules! task_local {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis inherit static $name:ident: $type:ty; $($rest:tt)*) => {
        $crate::task_local!($(#[$attribute])* $visibility inherit static $name: $type);
        $crate::task_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $visibility:vis inherit static $name:ident: $type:ty) => {
        $(#[$attribute])*
        $visibility static $name: $crate::task::LocalKey<$type> = $crate::task::LocalKey::__inherited();
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty; $($rest:tt)*) => {
        $crate::task_local!($(#[$attribute])* $visibility static $name: $type);
        $crate::task_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty) => {
        $(#[$attribute])*
        $visibility static $name: $crate::task::LocalKey<$type> = $crate::task::LocalKey::__new();
    };
}

/// A key for a task-local value, declared with [`task_local!`](crate::task_local).
///
/// The value is stored in the future that [`scope`](Self::scope) returns. An access searches the
/// current scopes, starting with the innermost, for the scope of this key. The value of a key that
/// is declared with `inherit` is shared by that future and the tasks that are spawned inside it.
pub struct LocalKey<T: 'static> {
    /// For a key whose values are inherited. Also gives each key its own address.
    sharing: Option<ValueSharing<T>>,
}

/// How a value is shared with tasks, and taken back: for a type of which only the key's declaration
/// knows that threads can share it.
struct ValueSharing<T> {
    share: fn(T) -> SharedValue,
    take_back: fn(SharedValue) -> Result<T, SharedValue>,
}

/// The value of a scope.
enum ScopeValue<T> {
    /// `None` once it was taken.
    Own(Option<T>),
    Shared(SharedValue),
}

fn share<T: Send + Sync + 'static>(value: T) -> SharedValue {
    SharedValue(Arc::new(value))
}

/// Returns the value, or what was passed if others share it.
fn take_back<T: Send + Sync + 'static>(shared: SharedValue) -> Result<T, SharedValue> {
    let typed = shared.0.downcast::<T>().map_err(SharedValue)?;
    Arc::try_unwrap(typed).map_err(|typed| SharedValue(typed))
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn __new() -> Self {
        Self { sharing: None }
    }

    // The bound is the function's own, so that the compiler names the trait that a type lacks.
    #[doc(hidden)]
    pub const fn __inherited() -> Self
    where
        T: Send + Sync,
    {
        Self { sharing: Some(ValueSharing { share: share::<T>, take_back: take_back::<T> }) }
    }

    fn address(&'static self) -> *const () {
        std::ptr::from_ref(self).cast()
    }

    /// Puts a value where the key's scopes keep it.
    fn keep(&'static self, value: T) -> ScopeValue<T> {
        match &self.sharing {
            Some(sharing) => ScopeValue::Shared((sharing.share)(value)),
            None => ScopeValue::Own(Some(value)),
        }
    }

    /// Calls `f` in a scope in which this key has `value`.
    fn within<R>(&'static self, value: &ScopeValue<T>, f: impl FnOnce() -> R) -> R {
        match value {
            ScopeValue::Own(value) => within(self.address(), value, f),
            ScopeValue::Shared(value) => inherited::within_value(self.address().addr(), value, f),
        }
    }

    /// Sets the key's value inside `future`. An inner scope hides the value of an outer scope.
    ///
    /// The value is dropped together with the returned future. Destructors that run while `future`
    /// is dropped can still access the value.
    ///
    /// # Cancel safety
    ///
    /// The returned future is as cancel safe as `future`.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::task_local!(static NUMBER: u32);
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// assert_eq!(NUMBER.scope(7, async { NUMBER.get() }).await, 7);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn scope<F: Future>(&'static self, value: T, future: F) -> TaskLocalFuture<T, F> {
        TaskLocalFuture { key: self, value: self.keep(value), future: Some(future), _pinned: PhantomPinned }
    }

    /// Sets the key's value while `f` runs, and returns the result of `f`.
    ///
    /// # Panics
    ///
    /// If `f` panics, this method panics with the same payload.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::task_local! { static USER: u32; }
    ///
    /// let name = USER.sync_scope(7, || format!("user {}", USER.get()));
    /// assert_eq!(name, "user 7");
    /// ```
    #[track_caller]
    pub fn sync_scope<F, R>(&'static self, value: T, f: F) -> R
    where
        F: FnOnce() -> R,
    {
        self.within(&self.keep(value), f)
    }

    /// Calls `f` with a reference to the key's current value, and returns the result of `f`.
    ///
    /// # Panics
    ///
    /// Panics if called outside a scope of this key. [`try_with`](Self::try_with) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// wsrt::task_local! { static USER: String; }
    ///
    /// let length = USER.scope("ada".to_owned(), async { USER.with(|user| user.len()) }).await;
    /// assert_eq!(length, 3);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        match self.try_with(f) {
            Ok(result) => result,
            Err(error) => panic!("wsrt: `LocalKey::with`: {error}"),
        }
    }

    /// Calls `f` with a reference to the key's current value, and returns the result of `f`.
    ///
    /// # Errors
    ///
    /// Returns an [`AccessError`] without calling `f` if called outside a scope of this key.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::task_local! { static USER: String; }
    ///
    /// assert!(USER.try_with(|user| user.len()).is_err(), "there is no scope here");
    /// ```
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        let found = if self.sharing.is_some() {
            inherited::with_value(self.address().addr(), |value| value.downcast_ref::<T>().map(f))
        } else {
            let typed = |value: &dyn Any| value.downcast_ref::<Option<T>>().and_then(Option::as_ref).map(f);
            with_value(self.address(), typed)
        };
        found.flatten().ok_or(AccessError { _private: () })
    }
}

impl<T: Clone + 'static> LocalKey<T> {
    /// Returns a clone of the key's current value.
    ///
    /// # Panics
    ///
    /// Panics if called outside a scope of this key. [`try_get`](Self::try_get) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// wsrt::task_local! { static REQUEST: u64; }
    ///
    /// assert_eq!(REQUEST.scope(42, async { REQUEST.get() }).await, 42);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn get(&'static self) -> T {
        self.with(T::clone)
    }

    /// Returns a clone of the key's current value.
    ///
    /// # Errors
    ///
    /// Returns an [`AccessError`] if called outside a scope of this key.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// wsrt::task_local! { static REQUEST: u64; }
    ///
    /// assert!(REQUEST.try_get().is_err());
    /// assert_eq!(REQUEST.scope(42, async { REQUEST.try_get() }).await.ok(), Some(42));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn try_get(&'static self) -> Result<T, AccessError> {
        self.try_with(T::clone)
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

pin_project! {
    /// A future with a value for a task-local key. Returned by [`LocalKey::scope`].
    pub struct TaskLocalFuture<T: 'static, F> {
        key: &'static LocalKey<T>,
        value: ScopeValue<T>,
        // `None` after it was ready, so that the future is dropped inside the scope.
        #[pin]
        future: Option<F>,
        #[pin]
        _pinned: PhantomPinned,
    }

    impl<T, F> PinnedDrop for TaskLocalFuture<T, F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            this.key.within(this.value, || this.future.set(None));
        }
    }
}

impl<T: 'static, F> TaskLocalFuture<T, F> {
    /// Takes the key's value out of the future, whether or not the future has completed. Returns
    /// `None` if the value was taken before. From then on, code inside the future finds no value.
    ///
    /// Also returns `None`, and leaves the value where it is, if a task shares the value because it
    /// has inherited it.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::cell::Cell;
    /// use std::pin::pin;
    ///
    /// wsrt::task_local!(static COUNT: Cell<u32>);
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut counting = pin!(COUNT.scope(Cell::new(0), async { COUNT.with(|count| count.set(3)) }));
    /// counting.as_mut().await;
    /// assert_eq!(counting.take_value(), Some(Cell::new(3)));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn take_value(self: Pin<&mut Self>) -> Option<T> {
        let this = self.project();
        match (this.value, &this.key.sharing) {
            (ScopeValue::Own(value), _) => value.take(),
            (ScopeValue::Shared(value), Some(sharing)) => {
                let taken = (sharing.take_back)(mem::replace(value, SharedValue::nothing()));
                taken.map_err(|shared| *value = shared).ok()
            }
            (ScopeValue::Shared(_), None) => None,
        }
    }
}

impl<T: 'static, F: Future> Future for TaskLocalFuture<T, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let mut this = self.project();
        this.key.within(this.value, || {
            let Some(future) = this.future.as_mut().as_pin_mut() else {
                panic!("wsrt: a `TaskLocalFuture` was polled after it was ready");
            };
            let answer = future.poll(cx);
            if answer.is_ready() {
                this.future.set(None);
            }
            answer
        })
    }
}

impl<T: fmt::Debug + 'static, F> fmt::Debug for TaskLocalFuture<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match &self.value {
            ScopeValue::Own(value) => value.as_ref(),
            ScopeValue::Shared(value) => value.0.downcast_ref::<T>(),
        };
        f.debug_struct("TaskLocalFuture").field("value", &value).finish_non_exhaustive()
    }
}

/// The error of [`LocalKey::try_with`] and [`LocalKey::try_get`] outside a scope of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessError {
    _private: (),
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NO_TASK_LOCAL)
    }
}

impl Error for AccessError {}

thread_local! {
    /// The innermost scope of this thread, which links the scopes around it. Has no destructor, so
    /// it can be used while the thread ends.
    static INNERMOST: Cell<Option<ScopeRef>> = const { Cell::new(None) };
}

/// The scope of a task-local value, in a frame of the thread's stack: the address of the key, the
/// value, and the scope around it.
struct ValueScope<'a> {
    key: *const (),
    value: &'a (dyn Any + 'static),
    outer: Option<ScopeRef>,
}

type ScopeRef = FrameRef<ValueScope<'static>>;

/// Calls `f` in a new innermost scope, in which `key` has `value`.
fn within<R>(key: *const (), value: &(dyn Any + 'static), f: impl FnOnce() -> R) -> R {
    INNERMOST.with(|place| {
        let scope = ValueScope { key, value, outer: place.get() };
        // SAFETY: the scope stays in this frame until the call returns, and so does its value. The
        // address is copied into scopes further in and into `ScopesAside`, all of them in frames of
        // `f` on this thread.
        unsafe { ScopeRef::nest(place, NonNull::from(&scope).cast(), f) }
    })
}

/// Calls `f` with the value in the innermost scope of `key`, if there is such a scope.
fn with_value<R>(key: *const (), f: impl FnOnce(&(dyn Any + 'static)) -> R) -> Option<R> {
    let mut next = INNERMOST.get();
    while let Some(innermost) = next {
        let scope = innermost.get();
        if scope.key == key {
            return Some(f(scope.value));
        }
        next = scope.outer;
    }
    None
}

/// The scopes that a thread has left for a while: in the middle of a poll that blocks, other tasks
/// are polled, which have their own scopes. Dropping this, in an inner frame, enters them again.
pub(crate) struct ScopesAside {
    scopes: FramesAside<ValueScope<'static>>,
    layers: LayersAside,
}

impl ScopesAside {
    /// Leaves the scopes that this thread is in.
    pub(crate) fn take() -> Self {
        Self { scopes: FramesAside::take(&INNERMOST), layers: leave_layers() }
    }

    /// Remembers the scopes that this thread is in, and stays in them.
    pub(crate) fn keep() -> Self {
        Self { scopes: FramesAside::keep(&INNERMOST), layers: LayersAside::keep(&inherited::INNERMOST) }
    }

    /// Enters the scopes again, and leaves the thread's current scopes, for a poll of the future
    /// that was in them. Dropping the returned value undoes this.
    pub(crate) fn put_back(&self) -> Self {
        Self { scopes: self.scopes.put_back(), layers: self.layers.put_back() }
    }
}
