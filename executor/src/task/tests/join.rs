//! The join handle: which task it wakes, its output, and the effect of dropping it.

use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};

use super::*;

#[test]
fn the_last_waker_that_polled_the_handle_is_woken() {
    let home = Home::default();
    let (first, second, third) = (Arc::<Bell>::default(), Arc::<Bell>::default(), Arc::<Bell>::default());
    let mut handle = home.spawn(Scripted::new(&[Step::Ready]));
    for bell in [&first, &first, &second, &first, &third] {
        assert!(poll(&mut handle, bell).is_pending());
    }
    assert_eq!((Arc::strong_count(&first), Arc::strong_count(&second)), (1, 1), "replaced wakers are dropped");
    home.run();
    assert_eq!((first.rings(), second.rings(), third.rings()), (0, 0, 1));
    assert_eq!(Arc::strong_count(&third), 1, "the waker is used up");
    assert!(poll(&mut handle, &first).is_ready());
}

#[test]
fn a_handle_dropped_while_awaited_wakes_no_task() {
    let home = Home::default();
    let bell = Arc::<Bell>::default();
    let mut handle = home.spawn(Scripted::new(&[Step::Ready]));
    assert!(poll(&mut handle, &bell).is_pending());
    assert_eq!(Arc::strong_count(&bell), 2);
    drop(handle);
    assert_eq!(Arc::strong_count(&bell), 1);
    home.run();
    assert_eq!((bell.rings(), home.cells()), (0, 0));
}

#[test]
fn a_joiner_sees_the_future_dropped_and_the_registry_left() {
    let home = Home::default();
    let future = Scripted::new(&[Step::Ready]);
    let counts = Arc::clone(&future.counts);
    let handle = home.spawn(future);
    home.run();
    assert_eq!(counts.future_drops.load(SeqCst), 1);
    assert_eq!(home.0.owned.len(), 0);
    let output = result(handle).expect("ready");
    assert_eq!(counts.output_drops.load(SeqCst), 0, "the output is the joiner's");
    drop(output);
    assert_eq!(counts.output_drops.load(SeqCst), 1);
}

#[test]
fn a_handle_polled_after_its_result_panics_and_says_so() {
    let home = Home::default();
    let mut handle = home.spawn(async {});
    home.run();
    assert!(poll(&mut handle, &Arc::default()).is_ready());
    let again = catch_unwind(AssertUnwindSafe(|| poll(&mut handle, &Arc::default())));
    let payload = again.expect_err("polled twice");
    let message = payload.downcast_ref::<String>().expect("a formatted message");
    assert!(message.contains("polled after it had returned its result"), "{message}");
    assert!(message.contains(&handle.id().to_string()), "{message}");
    drop(handle);
    assert_eq!(home.cells(), 0);
}

#[test]
fn a_handle_answers_after_its_result_was_taken() {
    let home = Home::default();
    let mut handle = home.spawn(async { 7 });
    let id = handle.id();
    home.run();
    assert!(matches!(poll(&mut handle, &Arc::default()), Poll::Ready(Ok(7))));
    handle.abort();
    assert!(handle.is_finished());
    assert_eq!((handle.id(), handle.abort_handle().id()), (id, id));
    assert_eq!(home.queued(), 0);
}

#[test]
fn a_waker_whose_clone_panics_leaves_the_handle_usable() {
    use std::task::{RawWaker, RawWakerVTable};
    static VTABLE: RawWakerVTable = RawWakerVTable::new(|_| resume_unwind(Box::new("clone")), |_| {}, |_| {}, |_| {});
    let home = Home::default();
    let mut handle = home.spawn(Scripted::new(&[Step::Ready]));
    let bell = Arc::<Bell>::default();
    assert!(poll(&mut handle, &bell).is_pending());
    // SAFETY: the functions of the table use no data.
    let faulty = unsafe { Waker::from_raw(RawWaker::new(std::ptr::null(), &VTABLE)) };
    let faulty_poll =
        catch_unwind(AssertUnwindSafe(|| Pin::new(&mut handle).poll(&mut Context::from_waker(&faulty)).is_ready()));
    assert!(faulty_poll.is_err());
    assert!(poll(&mut handle, &bell).is_pending());
    home.run();
    assert_eq!(bell.rings(), 1);
    assert!(result(handle).is_ok());
}

#[test]
fn handles_have_the_auto_traits_that_users_count_on() {
    fn all<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + std::fmt::Debug>() {}
    all::<JoinHandle<std::cell::Cell<u8>>>();
    all::<AbortHandle>();
    fn shared<T: Send + Sync + Unpin + std::error::Error + 'static>() {}
    shared::<JoinError>();
}

#[test]
fn a_handle_is_send_only_if_the_output_is() {
    // Resolves to one `is_send` if the type is Send, and is ambiguous between two otherwise; here
    // it has to resolve to the inherent one only for the type that is Send.
    struct Probe<T>(std::marker::PhantomData<T>);
    trait Fallback {
        const IS_SEND: bool = false;
    }
    impl<T> Fallback for Probe<T> {}
    #[allow(dead_code, reason = "the fallback is chosen for one of the two types")]
    impl<T: Send> Probe<T> {
        const IS_SEND: bool = true;
    }
    const _: () = assert!(Probe::<JoinHandle<u8>>::IS_SEND);
    const _: () = assert!(!Probe::<JoinHandle<std::rc::Rc<u8>>>::IS_SEND);
}
