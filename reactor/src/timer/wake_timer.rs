//! A timer of the kernel's that wakes one thread. Other threads set and clear it at the price of a
//! system call, where to wake the thread costs some twenty times as much.

#[cfg(all(target_os = "linux", not(wsrt_loom), not(wsrt_schedule)))]
pub use self::timerfd::WakeTimer;
#[cfg(not(all(target_os = "linux", not(wsrt_loom), not(wsrt_schedule))))]
pub use self::without::WakeTimer;

#[cfg(all(target_os = "linux", not(wsrt_loom), not(wsrt_schedule)))]
mod timerfd {
    use crate::poller::KernelTimer;
    use std::os::fd::AsRawFd;
    use std::time::Duration;

    /// A timer of the kernel's that one thread waits for.
    #[derive(Debug)]
    pub struct WakeTimer(KernelTimer);

    impl WakeTimer {
        /// Creates a timer that is not set, or returns `None` where the system has none to give,
        /// or refuses to set it: one that it sets once it sets again.
        #[must_use]
        pub fn new() -> Option<Self> {
            let timer = KernelTimer::new().ok()?;
            timer.start(Duration::ZERO).ok()?;
            Some(Self(timer))
        }

        /// Sets the timer to expire after `time`, whatever it was set to before.
        pub fn set(&self, time: Duration) {
            // Zero would clear it.
            let _ = self.0.start(time.max(Duration::from_nanos(1)));
        }

        /// Takes back what was set.
        pub fn clear(&self) {
            let _ = self.0.start(Duration::ZERO);
        }

        /// Waits until the timer expires, for the time `at_most` if there is one.
        pub fn wait(&self, at_most: Option<Duration>) {
            let mut watched = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            let limit = at_most.map(KernelTimer::timespec);
            let limit = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
            // SAFETY: both pointers are to values of this frame; null asks for no other mask.
            if unsafe { libc::ppoll(&raw mut watched, 1, limit, std::ptr::null()) } > 0 {
                self.take_expiry();
            }
        }

        /// Ends an expiry. What another thread has set since then stays set.
        fn take_expiry(&self) {
            let mut expiries = 0_u64;
            // SAFETY: the pointer is to the eight bytes of a value of this frame. Without an expiry
            // the system answers EAGAIN.
            let _ = unsafe { libc::read(self.0.as_raw_fd(), (&raw mut expiries).cast(), size_of::<u64>()) };
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::time::Instant;

        const LONG: Duration = Duration::from_secs(3600);

        #[test]
        fn a_wait_ends_when_another_thread_sets_the_timer() {
            let timer = WakeTimer::new().unwrap();
            timer.set(LONG);
            std::thread::scope(|scope| {
                scope.spawn(|| timer.set(Duration::ZERO));
                timer.wait(None);
            });
        }

        #[test]
        fn a_timer_that_has_expired_is_over_after_one_wait() {
            let timer = WakeTimer::new().unwrap();
            timer.set(Duration::ZERO);
            timer.wait(None);
            let began = Instant::now();
            timer.wait(Some(Duration::from_millis(20)));
            assert!(began.elapsed() >= Duration::from_millis(20), "it has rung once more");
        }

        #[test]
        fn a_timer_set_anew_as_it_expires_rings_again() {
            let timer = WakeTimer::new().unwrap();
            timer.set(Duration::ZERO);
            timer.set(LONG);
            timer.take_expiry();
            let mut setting = libc::itimerspec {
                it_interval: KernelTimer::timespec(Duration::ZERO),
                it_value: KernelTimer::timespec(Duration::ZERO),
            };
            // SAFETY: the pointer is to a whole `itimerspec` of this frame.
            assert_eq!(unsafe { libc::timerfd_gettime(timer.0.as_raw_fd(), &raw mut setting) }, 0);
            assert!(setting.it_value.tv_sec > 0, "it is not set any more");
        }

        #[test]
        fn a_timer_that_is_cleared_ends_no_wait() {
            let timer = WakeTimer::new().unwrap();
            timer.set(Duration::from_millis(1));
            timer.clear();
            let began = Instant::now();
            timer.wait(Some(Duration::from_millis(20)));
            assert!(began.elapsed() >= Duration::from_millis(20));
        }
    }
}

#[cfg(not(all(target_os = "linux", not(wsrt_loom), not(wsrt_schedule))))]
mod without {
    use std::time::Duration;

    /// No timer: the caller has a way of its own.
    #[derive(Debug)]
    pub enum WakeTimer {}

    impl WakeTimer {
        /// Returns `None`.
        #[must_use]
        pub fn new() -> Option<Self> {
            None
        }

        /// Never called.
        pub fn set(&self, _: Duration) {
            match *self {}
        }

        /// Never called.
        pub fn clear(&self) {
            match *self {}
        }

        /// Never called.
        pub fn wait(&self, _: Option<Duration>) {
            match *self {}
        }
    }
}
