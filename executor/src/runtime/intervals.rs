//! Builder options that set how often a busy processor checks the global queue and the network.

use super::builder::Builder;

impl Builder {
    /// Sets after how many polls a busy processor checks the global queue. The default is 61.
    ///
    /// The global queue holds tasks that were spawned or woken outside the runtime. A busy
    /// processor also checks the queue at least once every 200 µs, even after fewer polls, unless a
    /// single poll takes longer. If several tasks are waiting, the processor runs a number of them
    /// in a row, before it returns to its own tasks: at most eight times this interval, and for no
    /// longer than its own tasks ran before.
    ///
    /// With an interval of 1, tasks from the global queue always run first, and may delay all other
    /// tasks. A current-thread runtime ignores this option, because its tasks run in the order in
    /// which they were spawned and woken.
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

    /// Sets after how many polls a busy processor checks the network. The default is 61.
    ///
    /// A busy processor also checks the network at least once every millisecond, even after fewer
    /// polls, unless a single poll takes longer.
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

    /// Sets the maximum number of network events that a thread takes at once when it blocks waiting
    /// for the network. The default is 1024.
    ///
    /// Remaining events are taken at the next check, in order. Values above 65,536 are treated as
    /// 65,536.
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

    /// Sets the maximum number of network events that a busy processor takes at once when it checks
    /// the network without blocking. The default is the value of
    /// [`max_io_events_per_tick`](Self::max_io_events_per_tick).
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
