//! The attributes `#[wsrt::main]` and `#[wsrt::test]`: an `async fn` in, a plain `fn` that runs it
//! on a runtime out; and the part of `select!` that a declarative macro cannot do.
//!
//! Use them through the crate `wsrt`, which re-exports them behind its feature `macros`. This crate
//! knows nothing of the runtime but the names that the expansion calls:
//! `runtime::Builder::{new_multi_thread, new_current_thread, enable_all, worker_threads,
//! start_paused, build}`, `runtime::Runtime::block_on`, and the hidden module `runtime::__entry`.

mod entry;
mod errors;
mod expand;
mod function;
mod generate;
mod options;
mod pattern;
#[cfg(test)]
mod test_support;

use proc_macro::TokenStream;

use crate::entry::Entry;

/// Runs an `async fn`, usually `main`, as the root future of a new runtime.
///
/// The function becomes a plain `fn` of the same name, visibility and attributes. When called it
/// builds a runtime, runs the body to its end, and drops the runtime, which drops every task that
/// is still alive: tasks that must finish have to be awaited.
///
/// # Options
///
/// | option | value | when absent |
/// |---|---|---|
/// | `flavor` | `"multi_thread"` or `"current_thread"` | `"multi_thread"` |
/// | `worker_threads` | a whole number of at least 1, as a literal; `"multi_thread"` only | the choice of `runtime::Builder` |
/// | `start_paused` | `true` or `false`; `true` on `"current_thread"` only: the clock stands until it is moved, see `time::pause` | `false` |
/// | `crate` | the path of the crate `wsrt`, in a string, where it is re-exported or renamed | `"::wsrt"` |
///
/// The root need not be `Send`. On `"multi_thread"` a root that is, and whose output is, runs on a
/// processor, as every spawned task does: it is as fast as these at spawning and messaging. One
/// that is not, because it keeps an `Rc` or a lock's guard of the standard library across an
/// `.await`, runs on the thread that called the function, beside the processors: each message
/// between it and a task then goes from thread to thread, which costs some microseconds. The
/// compiler chooses between the two; to see which it is, ask `task::try_id`, which is `None` on the
/// calling thread. On `"current_thread"` the calling thread runs everything.
///
/// # Output
///
/// A function named `main` may return the same types as a plain `main`: `()`, `!`, `ExitCode`, a
/// `Result` of these whose error is `Debug`, or any other `Termination`. The root turns it into an
/// `ExitCode` as the standard library does (an error is printed to standard error as
/// `Error: {error:?}`, and the code is 1), so it need not be `Send` on either flavor. The generated
/// `main` returns that `ExitCode`.
///
/// A function of any other name returns the type that it declares.
///
/// # Not guaranteed
///
/// - Which processor, and so which thread, runs a root that is `Send`; it may change at each
///   `.await`.
/// - Any order between the root's end and the progress of tasks that it did not await.
///
/// # Panics
///
/// A panic of the root continues on the calling thread once the root has been dropped: a program
/// ends with code 101. A function not named `main` also panics, with `wsrt: {error}`, if the
/// runtime cannot be built.
///
/// # Errors
///
/// If the runtime cannot be built, because the OS refuses a thread or a poll instance or because an
/// environment variable such as `WSRT_WORKER_THREADS` has an invalid value, `main` prints `wsrt:
/// {error}` to standard error and ends with code 1.
///
/// All other mistakes are compile errors, at the place of the mistake: a function that is not
/// `async`, takes arguments, is generic, `const`, `unsafe` or `extern`; and an option that is
/// unknown, given twice, of the wrong type, or out of range.
///
/// # Cancel safety
///
/// The root is never cancelled: the generated function returns when the root has ended.
///
/// # Examples
///
/// Every processor that the machine offers, and errors that end the program:
///
/// ```text
/// #[wsrt::main]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let listener = wsrt::net::TcpListener::bind("127.0.0.1:8080").await?;
///     loop {
///         let (stream, _) = listener.accept().await?;
///         wsrt::spawn(serve(stream));
///     }
/// }
/// ```
///
/// A root that is not `Send`, on the program's own thread, while its tasks run on the processors:
///
/// ```text
/// #[wsrt::main]
/// async fn main() {
///     let counter = std::rc::Rc::new(std::cell::Cell::new(0));
///     let task = wsrt::spawn(async { 7 });
///     counter.set(counter.get() + task.await.expect("it does not panic"));
/// }
/// ```
///
/// One thread for everything:
///
/// ```text
/// #[wsrt::main(flavor = "current_thread")]
/// async fn main() {
///     let shared = std::rc::Rc::new(5);
///     let theirs = std::rc::Rc::clone(&shared);
///     wsrt::task::spawn_local(async move { println!("{theirs}") });
///     wsrt::task::yield_now().await;
/// }
/// ```
///
/// By hand the first would be written as
///
/// ```text
/// fn main() -> std::process::ExitCode {
///     async fn root() -> Result<(), Box<dyn std::error::Error>> {
///         // the body
///     }
///     match wsrt::runtime::Builder::new_multi_thread().build() {
///         Ok(runtime) => runtime.run(async { std::process::Termination::report(root().await) }),
///         Err(error) => {
///             eprintln!("wsrt: {error}");
///             std::process::ExitCode::FAILURE
///         }
///     }
/// }
/// ```
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(Entry::Main, arguments.into(), item.into()).into()
}

/// Turns an `async fn` into a test, whose body is the root future of a runtime.
///
/// The function becomes a `#[test]` of the same name. Its other attributes, such as
/// `#[should_panic]` and `#[ignore]`, keep their meaning.
///
/// # Options
///
/// The options of [`main`](macro@main), with another default: a test runs on `"current_thread"`
/// unless `flavor` says otherwise, so that its tasks run in the same order each time.
/// `worker_threads` therefore needs `flavor = "multi_thread"` beside it. On either flavor the test
/// need not be `Send`.
///
/// # Output
///
/// A test may return the same types as a plain `#[test]`. The root reports it, as described at
/// [`main`](macro@main), so a `Result` whose error is not `Send` is accepted on both flavors. An
/// error fails the test.
///
/// # Not guaranteed
///
/// The test harness may not capture the output of a `"multi_thread"` test that is `Send`: the root
/// runs on a thread of the runtime.
///
/// # Panics
///
/// A panic of the root continues on the test's thread, where it fails the test or satisfies
/// `#[should_panic]`. So does one about a runtime that could not be built, in a test without a
/// return type.
///
/// # Errors
///
/// A test with a return type fails with `wsrt: {error}` on standard error if its runtime cannot be
/// built.
///
/// At compile time this attribute refuses all that [`main`](macro@main) refuses, and a second test
/// attribute on the same function.
///
/// # Cancel safety
///
/// The root is never cancelled: the test ends when the root has ended. Tasks that are still alive
/// then are dropped.
///
/// # Examples
///
/// ```text
/// #[wsrt::test]
/// async fn a_spawned_task_hands_back_its_output() {
///     assert_eq!(wsrt::spawn(async { 6 * 7 }).await.unwrap(), 42);
/// }
///
/// #[wsrt::test(start_paused = true)]
/// async fn an_hour_passes_at_once() {
///     let began = wsrt::time::Instant::now();
///     wsrt::time::sleep(std::time::Duration::from_secs(3_600)).await;
///     assert_eq!(began.elapsed(), std::time::Duration::from_secs(3_600));
/// }
///
/// #[wsrt::test(flavor = "multi_thread", worker_threads = 2)]
/// async fn the_port_is_free() -> Result<(), Box<dyn std::error::Error>> {
///     wsrt::net::TcpListener::bind("127.0.0.1:0").await?;
///     Ok(())
/// }
/// ```
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(Entry::Test, arguments.into(), item.into()).into()
}

/// Called by `select!`: the pattern without `ref` and `mut`, so that it looks at an output without
/// taking it. Not an interface.
#[doc(hidden)]
#[proc_macro]
pub fn without_bindings_by_move(pattern: TokenStream) -> TokenStream {
    pattern::borrowing(pattern.into()).into()
}
