//! The join handle against completion.

use super::*;

#[test]
fn the_waker_that_a_joiner_left_last_is_woken() {
    loom::model(|| {
        let (home, (runnable, mut handle), counts) = Home::of_unlisted_task(Probe::ready_after(0));
        let worker = thread::spawn(move || runnable.run());
        let (first, second) = (Arc::<Bell>::default(), Arc::<Bell>::default());
        let result = match poll(&mut handle, &first) {
            Poll::Pending => poll(&mut handle, &second),
            ready => ready,
        };
        worker.join().unwrap();
        match result {
            Poll::Ready(result) => assert!(result.is_ok()),
            Poll::Pending => {
                assert_eq!((first.0.load(SeqCst), second.0.load(SeqCst)), (0, 1));
                assert!(matches!(poll(&mut handle, &second), Poll::Ready(Ok(_))));
            }
        }
        drop(handle);
        assert_eq!((Arc::strong_count(&first), Arc::strong_count(&second)), (1, 1));
        counts.check(&home);
    });
}

#[test]
fn a_joiner_back_with_the_same_waker_is_woken_once() {
    loom::model(|| {
        let (home, (runnable, mut handle), counts) = Home::of_unlisted_task(Probe::ready_after(0));
        let bell = Arc::<Bell>::default();
        let first = poll(&mut handle, &bell);
        assert!(first.is_pending());
        let worker = thread::spawn(move || runnable.run());
        // Compares with the waker in the slot, while the other side takes it out.
        let second = poll(&mut handle, &bell);
        worker.join().unwrap();
        assert_eq!(bell.0.load(SeqCst), 1);
        match second {
            Poll::Ready(result) => assert!(result.is_ok()),
            Poll::Pending => assert!(matches!(poll(&mut handle, &bell), Poll::Ready(Ok(_)))),
        }
        drop(handle);
        assert_eq!(Arc::strong_count(&bell), 1);
        counts.check(&home);
    });
}

#[test]
fn a_handle_dropped_at_completion_drops_the_output_once() {
    for awaited in [false, true] {
        loom::model(move || {
            let (home, (runnable, mut handle), counts) = Home::of_unlisted_task(Probe::ready_after(0));
            let bell = Arc::<Bell>::default();
            if awaited {
                assert!(poll(&mut handle, &bell).is_pending());
            }
            let abort = handle.abort_handle();
            let worker = thread::spawn(move || runnable.run());
            drop(handle);
            worker.join().unwrap();
            assert_eq!(counts.output_drops.load(SeqCst), 1);
            assert_eq!(Arc::strong_count(&bell), 1);
            drop(abort);
            counts.check(&home);
        });
    }
}

#[test]
fn a_handle_dropped_at_completion_leaks_no_waker() {
    loom::model(|| {
        let (home, (runnable, mut handle), counts) = Home::of_unlisted_task(Probe::ready_after(0));
        // Keeps the cell, so that a waker forgotten in it is not freed with it.
        let abort = handle.abort_handle();
        let worker = thread::spawn(move || runnable.run());
        let bell = Arc::<Bell>::default();
        drop(poll(&mut handle, &bell));
        drop(handle);
        worker.join().unwrap();
        assert_eq!(Arc::strong_count(&bell), 1);
        drop(abort);
        counts.check(&home);
    });
}

#[test]
fn a_handle_that_lets_go_is_through_with_the_cell() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_unlisted_task(Probe::ready_after(0));
        let worker = thread::spawn(move || runnable.run());
        home.witness.look();
        drop(handle);
        worker.join().unwrap();
        counts.check(&home);
    });
}
