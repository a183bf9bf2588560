//! A model of the wait lists' lock, which the other models assume to be correct.

use super::explore;
use crate::short_lock::ShortLock;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

#[test]
fn a_short_lock_is_one_threads_at_a_time() {
    explore(|| {
        let count = Arc::new(ShortLock::new(UnsafeCell::new(0)));
        let add = |count: &ShortLock<UnsafeCell<i32>>| {
            let count = count.lock();
            // SAFETY: the lock is held; loom checks that.
            count.with_mut(|count| unsafe { *count += 1 });
        };
        let other = Arc::clone(&count);
        let thread = thread::spawn(move || add(&other));
        add(&count);
        thread.join().unwrap();
        // SAFETY: the other thread has ended.
        assert_eq!(count.lock().with(|count| unsafe { *count }), 2);
    });
}
