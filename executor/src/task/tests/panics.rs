//! Panics stay in their task, wherever they come from, and nothing is dropped twice or forgotten
//! over them.

use std::io;

use crate::task::tests::*;

/// Runs one task to its end and returns its result.
fn outcome(future: Scripted) -> Result<Output, JoinError> {
    let home = Home::default();
    let counts = Arc::clone(&future.counts);
    let handle = home.spawn(future);
    home.run();
    assert_eq!(counts.future_drops.load(SeqCst), 1);
    result(handle)
}

#[test]
fn a_panic_in_a_poll_reaches_the_joiner() {
    assert_eq!(panic_message(outcome(Scripted::new(&[Step::Panic]))), "poll");
}

#[test]
fn a_panic_dropping_a_ready_future_replaces_its_output() {
    let mut future = Scripted::new(&[Step::Ready]);
    future.panics_in_drop = true;
    let counts = Arc::clone(&future.counts);
    assert_eq!(panic_message(outcome(future)), "future drop");
    assert_eq!((counts.outputs.load(SeqCst), counts.output_drops.load(SeqCst)), (1, 1));
}

#[test]
fn of_panics_in_poll_and_drop_the_first_counts() {
    let mut future = Scripted::new(&[Step::Panic]);
    future.panics_in_drop = true;
    assert_eq!(panic_message(outcome(future)), "poll");
}

#[test]
fn panics_dropping_future_and_output_end_in_one_error() {
    let mut future = Scripted::new(&[Step::Ready]);
    future.panics_in_drop = true;
    future.output_panics_in_drop = true;
    let counts = Arc::clone(&future.counts);
    assert_eq!(panic_message(outcome(future)), "future drop");
    assert_eq!(counts.output_drops.load(SeqCst), 1);
}

#[test]
fn a_panic_dropping_a_cancelled_future_reaches_the_joiner() {
    let home = Home::default();
    let mut future = Scripted::new(&[Step::Ready]);
    future.panics_in_drop = true;
    let counts = Arc::clone(&future.counts);
    let handle = home.spawn(future);
    handle.abort();
    home.run();
    assert_eq!(panic_message(result(handle)), "future drop");
    assert_eq!((counts.polls.load(SeqCst), counts.future_drops.load(SeqCst)), (0, 1));
}

#[test]
fn a_panic_dropping_a_future_does_not_stop_the_shutdown() {
    let home = Home::default();
    let mut all = Vec::new();
    for number in 0..3 {
        let mut future = Scripted::new(&[Step::Pending]);
        future.panics_in_drop = number == 1;
        all.push(Arc::clone(&future.counts));
        drop(home.spawn(future));
    }
    home.run();
    home.shut_down();
    assert!(all.iter().all(|counts| counts.future_drops.load(SeqCst) == 1));
    drop(all);
    assert_eq!(home.cells(), 0);
}

#[test]
fn a_panic_dropping_a_detached_output_goes_nowhere() {
    for drop_handle_first in [true, false] {
        let home = Home::default();
        let mut future = Scripted::new(&[Step::Ready]);
        future.output_panics_in_drop = true;
        let counts = Arc::clone(&future.counts);
        let mut handle = Some(home.spawn(future));
        if drop_handle_first {
            handle = None;
        }
        home.run();
        drop(handle);
        assert_eq!(counts.output_drops.load(SeqCst), 1);
        assert_eq!(home.cells(), 0);
    }
}

#[test]
fn a_payload_that_panics_when_dropped_goes_nowhere() {
    struct Nasty(Arc<AtomicUsize>);
    impl Drop for Nasty {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
            // Leaked on purpose; without a size, so that the leak checker finds nothing.
            resume_unwind(Box::new(()));
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let home = Home::default();
    let payload = Nasty(Arc::clone(&drops));
    drop(home.spawn(async move { resume_unwind(Box::new(payload)) }));
    home.run();
    assert_eq!(drops.load(SeqCst), 1);
    assert_eq!(home.cells(), 0);
}

#[test]
fn a_panic_in_the_join_waker_leaves_the_completion() {
    struct Faulty;
    impl Wake for Faulty {
        fn wake(self: Arc<Self>) {
            resume_unwind(Box::new("wake"));
        }
    }
    let home = Home::default();
    let faulty = Arc::new(Faulty);
    let mut handle = home.spawn(Scripted::new(&[Step::Ready]));
    let waker = Waker::from(Arc::clone(&faulty));
    assert!(Pin::new(&mut handle).poll(&mut Context::from_waker(&waker)).is_pending());
    drop(waker);
    home.run();
    assert_eq!(home.0.released.load(SeqCst), 1);
    assert_eq!(home.0.owned.len(), 0);
    assert_eq!(Arc::strong_count(&faulty), 1);
    assert!(result(handle).is_ok());
    assert_eq!(home.cells(), 0);
}

#[test]
fn a_panicked_task_leaves_the_current_id_as_it_was() {
    let _ = outcome(Scripted::new(&[Step::Panic]));
    assert_eq!(current_id(), None);
}

fn ended<F>(future: F, abort: bool) -> (Id, u32, JoinError)
where
    F: Future + Send + 'static,
    F::Output: Send + std::fmt::Debug,
{
    let home = Home::default();
    let (handle, line) = (home.spawn(future), line!());
    if abort {
        handle.abort();
    }
    home.run();
    (handle.id(), line, result(handle).expect_err("no output"))
}

#[test]
fn a_cancelled_task_is_named_with_its_place() {
    let (id, line, error) = ended(async {}, true);
    let place = format!("task {id} (spawned at {}:{line}:", file!());
    assert!(error.is_cancelled() && !error.is_panic());
    assert_eq!(error.id(), id);
    let text = error.to_string();
    assert!(text.starts_with(&place) && text.ends_with(") was cancelled"), "{text}");
    assert!(format!("{error:?}").contains("Cancelled"));
    let error = error.try_into_panic().expect_err("no panic");
    assert!(error.is_cancelled());
}

#[test]
fn a_panic_is_quoted_if_it_is_text() {
    let (_, _, error) = ended(async { resume_unwind(Box::new("boom")) }, false);
    assert!(error.is_panic() && !error.is_cancelled());
    assert!(error.to_string().ends_with(") panicked with message \"boom\""), "{error}");
    let (_, _, error) = ended(async { resume_unwind(Box::new(String::from("bang"))) }, false);
    assert!(error.to_string().ends_with(") panicked with message \"bang\""), "{error}");
    assert!(format!("{error:?}").ends_with("), \"bang\", ...)"), "{error:?}");
    let (_, _, error) = ended(async { resume_unwind(Box::new(7_u8)) }, false);
    assert!(error.to_string().ends_with(") panicked"), "{error}");
    assert!(format!("{error:?}").ends_with("), ...)"), "{error:?}");
    assert_eq!(error.into_panic().downcast_ref(), Some(&7_u8));
}

#[test]
#[should_panic(expected = "was cancelled")]
fn asking_a_cancellation_for_its_panic_panics() {
    let (_, _, error) = ended(async {}, true);
    drop(error.into_panic());
}

#[test]
fn an_io_error_keeps_the_join_error_inside() {
    let (id, _, error) = ended(async {}, true);
    let error = io::Error::from(error);
    assert_eq!(error.kind(), io::ErrorKind::Other);
    let inner = error.into_inner().expect("wrapped").downcast::<JoinError>().expect("a join error");
    assert_eq!(inner.id(), id);
}

#[test]
fn ids_are_unique_across_blocks_and_the_counter() {
    let mut seen = std::collections::HashSet::new();
    let (mut one, mut two) = (IdBlock::default(), IdBlock::default());
    for _ in 0..1000 {
        assert!(seen.insert(one.next()));
        assert!(seen.insert(Id::next()));
        assert!(seen.insert(two.next()));
    }
    assert!(seen.iter().all(|id| id.to_string() == id.as_u64().to_string()));
}
