//! The builder's options for how often, and for how much, a busy processor looks away from its own
//! tasks.

use super::builder::Builder;

impl Builder {
    /// Sets after how many polls at most a busy processor takes tasks from the global queue, where
    /// tasks wait that were spawned or woken outside the runtime. The default is 61.
    ///
    /// It looks there at least once in 200 µs, however few polls that were, unless one of them
    /// takes longer. If more than one task waits it runs several in a row: eight times this
    /// interval at most, and for no longer than its own tasks ran before; then it runs its own.
    /// With 1, tasks from that queue always come first, and may hold up all others. A
    /// current-thread runtime, where tasks run in the order in which they were spawned and woken,
    /// does not use it.
    ///
    /// # Panics
    ///
    /// Panics if `polls` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().global_queue_interval(31).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn global_queue_interval(&mut self, polls: u32) -> &mut Self {
        assert!(
            polls > 0,
            "wsrt: `global_queue_interval(0)`: there is no such tick; 1 looks at the queue at every poll"
        );
        self.config.global_queue_interval = polls;
        self
    }

    /// Sets after how many polls at most a busy processor looks at the network. The default is 61.
    /// It looks at least once in a millisecond, however few polls that were, unless one of them
    /// takes longer.
    ///
    /// # Panics
    ///
    /// Panics if `polls` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().event_interval(31).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn event_interval(&mut self, polls: u32) -> &mut Self {
        assert!(polls > 0, "wsrt: `event_interval(0)`: there is no such tick; 1 looks at the network at every poll");
        self.config.event_interval = polls;
        self
    }

    /// Limits the network events that a thread takes at a time when it waits for the network. The
    /// default is 1024. The others follow at its next look, in the order of arrival. More than
    /// 65,536 count as that many.
    ///
    /// # Panics
    ///
    /// Panics if `events` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().max_io_events_per_tick(256).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn max_io_events_per_tick(&mut self, events: usize) -> &mut Self {
        self.config.events_per_turn.waiting = at_least_one("max_io_events_per_tick", events);
        self
    }

    /// Limits the network events that a busy processor takes at a time, which does not wait for
    /// them. The default is the value of [`max_io_events_per_tick`](Self::max_io_events_per_tick).
    ///
    /// # Panics
    ///
    /// Panics if `events` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().max_io_events_per_busy_tick(64).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn max_io_events_per_busy_tick(&mut self, events: usize) -> &mut Self {
        self.config.events_per_turn.busy = Some(at_least_one("max_io_events_per_busy_tick", events));
        self
    }
}

#[track_caller]
fn at_least_one(option: &str, events: usize) -> usize {
    assert!(events > 0, "wsrt: `{option}(0)`: {option} must be non-zero, since no event would ever be taken");
    events
}
