//! The promises of `#[main]` about the function that it makes, run on a stand-in for the runtime.

mod runtime_double;

use std::cell::Cell;
use std::error::Error;
use std::future::poll_fn;
use std::panic::catch_unwind;
use std::process::{ExitCode, Termination};
use std::rc::Rc;
use std::task::Poll;
use std::thread::{self, ThreadId};

use runtime_double::runtime::{Started, started, with_failing_builds};

/// Makes the root suspend once, so that its values are held across an await.
async fn yield_once() {
    let mut yielded = false;
    poll_fn(|_| if std::mem::replace(&mut yielded, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

#[wsrt_macros::main(crate = "crate::runtime_double")]
async fn with_defaults() -> Option<Started> {
    yield_once().await;
    started()
}

#[wsrt_macros::main(flavor = "multi_thread", worker_threads = 3, crate = "crate::runtime_double")]
async fn with_three_workers() -> Option<Started> {
    started()
}

#[wsrt_macros::main(flavor = "current_thread", start_paused = true, crate = "crate::runtime_double")]
async fn with_its_clock_paused() -> Option<Started> {
    started()
}

#[wsrt_macros::main(flavor = "current_thread", crate = "crate::runtime_double")]
async fn on_this_thread() -> (Option<Started>, Rc<Cell<u32>>) {
    let not_send = Rc::new(Cell::new(1));
    yield_once().await;
    not_send.set(2);
    (started(), not_send)
}

#[test]
fn the_default_is_multi_thread_with_its_own_worker_count() {
    assert_eq!(with_defaults(), Some(Started::MultiThread { worker_threads: None }));
}

#[test]
fn worker_threads_reach_the_builder() {
    assert_eq!(with_three_workers(), Some(Started::MultiThread { worker_threads: Some(3) }));
}

#[test]
fn start_paused_reaches_the_builder() {
    assert_eq!(with_its_clock_paused(), Some(Started::CurrentThread { paused: true }));
}

#[test]
fn a_current_thread_root_need_not_be_send() {
    let (started, output) = on_this_thread();
    assert_eq!(started, Some(Started::CurrentThread { paused: false }));
    assert_eq!(output.get(), 2);
}

/// Keeps what is not `Send` across an await.
#[wsrt_macros::main(crate = "crate::runtime_double")]
async fn beside_the_processors() -> (ThreadId, Option<Started>) {
    let not_send = Rc::new(());
    yield_once().await;
    drop(not_send);
    (thread::current().id(), started())
}

/// Is `Send`, and returns what is not.
#[wsrt_macros::main(crate = "crate::runtime_double")]
async fn with_a_local_output() -> Rc<ThreadId> {
    yield_once().await;
    Rc::new(thread::current().id())
}

#[wsrt_macros::main(crate = "crate::runtime_double")]
async fn on_a_processor() -> ThreadId {
    yield_once().await;
    thread::current().id()
}

#[test]
fn a_root_runs_here_only_if_it_is_not_send() {
    let here = thread::current().id();
    assert_eq!(beside_the_processors(), (here, Some(Started::MultiThread { worker_threads: None })));
    assert_eq!(*with_a_local_output(), here);
    assert_ne!(on_a_processor(), here);
}

mod failing {
    #[wsrt_macros::main(crate = "crate::runtime_double")]
    pub(crate) async fn main() -> Result<(), Box<dyn super::Error>> {
        super::yield_once().await;
        let _port: u16 = "eighty".parse()?;
        Ok(())
    }
}

mod succeeding {
    #[wsrt_macros::main(flavor = "current_thread", crate = "crate::runtime_double")]
    pub(crate) async fn main() -> Result<(), Box<dyn super::Error>> {
        let _port: u16 = "80".parse()?;
        Ok(())
    }
}

mod unit {
    #[wsrt_macros::main(crate = "crate::runtime_double")]
    pub(crate) async fn main() {
        #![allow(unused_variables)]
        let inner_attributes_are_legal = true;
        super::yield_once().await;
    }
}

mod exit_code {
    #[wsrt_macros::main(crate = "crate::runtime_double")]
    pub(crate) async fn main() -> super::ExitCode {
        super::ExitCode::from(7)
    }
}

mod opaque {
    #[wsrt_macros::main(crate = "crate::runtime_double")]
    pub(crate) async fn main() -> impl super::Termination {
        super::ExitCode::from(8)
    }
}

mod never {
    #[wsrt_macros::main(crate = "crate::runtime_double")]
    pub(crate) async fn main() -> ! {
        std::panic::resume_unwind(Box::new("left by the only door"))
    }
}

#[test]
fn main_reports_an_output_that_is_not_send() {
    assert_eq!(failing::main(), ExitCode::FAILURE);
    assert_eq!(succeeding::main(), ExitCode::SUCCESS);
    assert_eq!(unit::main(), ExitCode::SUCCESS);
    assert_eq!(exit_code::main(), ExitCode::from(7));
    assert_eq!(opaque::main(), ExitCode::from(8));
}

#[test]
fn a_panic_of_the_root_comes_out_of_main() {
    let payload = catch_unwind(never::main).expect_err("the root panics");
    assert_eq!(payload.downcast_ref(), Some(&"left by the only door"));
}

#[test]
fn main_ends_with_failure_when_the_runtime_cannot_start() {
    assert_eq!(with_failing_builds(unit::main), ExitCode::FAILURE);
}

#[test]
fn another_function_panics_when_the_runtime_cannot_start() {
    let payload = with_failing_builds(|| catch_unwind(with_defaults)).expect_err("no runtime, no output");
    assert_eq!(payload.downcast_ref::<String>().map(String::as_str), Some("wsrt: no threads left"));
}
