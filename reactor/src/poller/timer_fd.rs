//! The timer descriptor that ends a blocking turn at a deadline.
//!
//! The poll's own timeout counts milliseconds on every system. On Linux a timer of the kernel's is
//! watched beside the sockets in its place: it counts nanoseconds, has no slack, and is set only
//! when the moment that it is set for will not do, so that a server whose earliest time limit stays
//! the same goes to sleep with one system call. Any moment between two will do where a crowd of
//! timers shares a wake.

#[cfg(any(not(target_os = "linux"), wsrt_schedule))]
pub(super) use self::rounded::TimerFd;
#[cfg(all(target_os = "linux", not(wsrt_loom), not(wsrt_schedule)))]
pub(crate) use self::timerfd::KernelTimer;
#[cfg(all(target_os = "linux", not(wsrt_schedule)))]
pub(super) use self::timerfd::TimerFd;

#[cfg(all(target_os = "linux", not(wsrt_schedule)))]
mod timerfd {
    use crate::registry::ALARM;
    use std::io;
    use std::ops::RangeInclusive;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
    use std::time::{Duration, Instant};

    /// A timer of the kernel's.
    #[derive(Debug)]
    pub(crate) struct KernelTimer(OwnedFd);

    impl KernelTimer {
        pub(crate) fn new() -> io::Result<Self> {
            // SAFETY: takes no pointers.
            let number = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_NONBLOCK | libc::TFD_CLOEXEC) };
            if number < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the descriptor was made above, and no other code knows it.
            Ok(Self(unsafe { OwnedFd::from_raw_fd(number) }))
        }

        /// Sets the timer; zero clears it.
        pub(crate) fn start(&self, left: Duration) -> io::Result<()> {
            let setting =
                libc::itimerspec { it_interval: Self::timespec(Duration::ZERO), it_value: Self::timespec(left) };
            // SAFETY: the pointer is to a whole `itimerspec`, readable for the length of the call;
            // null asks for no old value.
            let code = unsafe { libc::timerfd_settime(self.0.as_raw_fd(), 0, &setting, std::ptr::null_mut()) };
            if code < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
        }

        pub(crate) fn timespec(time: Duration) -> libc::timespec {
            libc::timespec {
                // 68 years fit the narrowest of the types that systems have here, and more is as
                // good as never.
                tv_sec: time.as_secs().min(i32::MAX as u64) as _,
                // Below a thousand million, which fits as well.
                tv_nsec: time.subsec_nanos() as _,
            }
        }
    }

    impl AsRawFd for KernelTimer {
        fn as_raw_fd(&self) -> RawFd {
            self.0.as_raw_fd()
        }
    }

    #[derive(Debug)]
    pub(crate) struct TimerFd {
        timer: KernelTimer,
        /// The moment that it will ring at. It may ring although no timer waits any more: that ends
        /// a turn needlessly.
        set_for: Option<Instant>,
        /// How often it was set.
        #[cfg(test)]
        settings: usize,
    }

    impl TimerFd {
        pub(crate) fn new(registry: &mio::Registry) -> io::Result<Self> {
            let timer = KernelTimer::new()?;
            registry.register(&mut mio::unix::SourceFd(&timer.as_raw_fd()), ALARM, mio::Interest::READABLE)?;
            Ok(Self {
                timer,
                set_for: None,
                #[cfg(test)]
                settings: 0,
            })
        }

        /// Makes the poll end at one of `moments`, the last of them if all cost the same, and
        /// returns the timeout to pass to it besides: where the system refuses to set the timer,
        /// the poll's own, which mio rounds up.
        pub(crate) fn set(&mut self, moments: &RangeInclusive<Instant>) -> Option<Duration> {
            let left = moments.end().saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(Duration::ZERO);
            }
            // One that has rung by now, and was not heard of yet, ends the poll at once.
            if !self.set_for.is_some_and(|moment| moments.contains(&moment)) {
                // A refused setting leaves the earlier one as it was, and `set_for` with it.
                if self.timer.start(left).is_err() {
                    return Some(left);
                }
                self.set_for = Some(*moments.end());
                #[cfg(test)]
                {
                    self.settings += 1;
                }
            }
            None
        }

        /// Notes that the timer has expired; called when the poll reports the timer descriptor. The
        /// expiry need not be read from the descriptor: the descriptor is watched for edges, and
        /// setting the timer again clears its count.
        pub(crate) fn note_rung(&mut self) {
            self.set_for = None;
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Though the scheduler has the timers of a crowd wait for one another for another time
        /// after each setting.
        #[test]
        fn equal_deadlines_set_the_timer_fd_a_few_times() {
            let poll = mio::Poll::new().unwrap();
            let mut timer_fd = TimerFd::new(poll.registry()).unwrap();
            let deadline = Instant::now() + Duration::from_secs(3600);
            let mut cost = Duration::from_nanos(800);
            for _ in 0..1000 {
                let settings = timer_fd.settings;
                let moments = deadline..=deadline + cost * 160;
                assert_eq!(timer_fd.set(&moments), None);
                assert!(timer_fd.set_for.is_some_and(|moment| moments.contains(&moment)));
                if timer_fd.settings > settings {
                    cost = Duration::from_nanos(600 + timer_fd.settings as u64 * 77 % 200);
                }
            }
            assert!(timer_fd.settings <= 10, "set {} times for 1000 sleeps", timer_fd.settings);
        }

        #[test]
        fn an_alarm_too_early_or_too_late_is_set_anew() {
            let poll = mio::Poll::new().unwrap();
            let mut timer_fd = TimerFd::new(poll.registry()).unwrap();
            let start = Instant::now() + Duration::from_secs(3600);
            let at = |seconds| start + Duration::from_secs(seconds);
            for (first, last, settings) in [(10, 20, 1), (15, 25, 1), (20, 30, 1), (21, 30, 2), (5, 29, 3), (29, 29, 3)]
            {
                assert_eq!(timer_fd.set(&(at(first)..=at(last))), None);
                assert_eq!(timer_fd.settings, settings, "{first}..={last}");
            }
            timer_fd.note_rung();
            assert_eq!(timer_fd.set(&(at(29)..=at(29))), None);
            assert_eq!(timer_fd.settings, 4);
        }

        #[test]
        fn a_refused_setting_leaves_the_limit_to_the_poll() {
            let poll = mio::Poll::new().unwrap();
            let mut timer_fd = TimerFd::new(poll.registry()).unwrap();
            let moment = Instant::now() + Duration::from_secs(3600);
            // No timer: the system answers EINVAL.
            let no_timer = KernelTimer(OwnedFd::from(std::fs::File::open("/dev/null").unwrap()));
            let timer = std::mem::replace(&mut timer_fd.timer, no_timer);
            let limit = timer_fd.set(&(moment..=moment)).expect("the poll is to end by itself");
            assert!(Duration::from_secs(3590) < limit && limit <= Duration::from_secs(3600), "{limit:?}");
            assert_eq!(timer_fd.set_for, None);
            timer_fd.timer = timer;
            assert_eq!(timer_fd.set(&(moment..=moment)), None, "the system grants it again");
        }
    }
}

#[cfg(any(not(target_os = "linux"), wsrt_schedule))]
mod rounded {
    use crate::sync::now;
    use std::io;
    use std::ops::RangeInclusive;
    use std::time::{Duration, Instant};

    /// The poll's own timeout, which mio rounds up to the system's unit.
    #[derive(Debug)]
    pub(crate) struct TimerFd(());

    impl TimerFd {
        pub(crate) fn new(_: &mio::Registry) -> io::Result<Self> {
            Ok(Self(()))
        }

        pub(crate) fn set(&mut self, moments: &RangeInclusive<Instant>) -> Option<Duration> {
            Some(moments.end().saturating_duration_since(now()))
        }

        pub(crate) fn note_rung(&mut self) {}
    }
}
