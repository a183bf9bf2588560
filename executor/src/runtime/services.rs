//! The services of a runtime to its sockets: it resolves names on the blocking pool, and paces
//! connects with its timers.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{self, Poll};
use std::time::Duration;

use wsrt_reactor::context::{Delay, Services};
use wsrt_reactor::simulated_net::SimulatedNetwork;
use wsrt_reactor::timer::TimerEntry;

use crate::blocking::jobs;
use crate::scheduler::simulation::Simulation;
use crate::scheduler::timers::arm_timer;
use crate::scheduler::{Context, Scheduler};

/// The services of one runtime. They do not keep it alive.
pub(crate) struct RuntimeServices(Weak<Scheduler>);

impl RuntimeServices {
    /// Makes the services of `scheduler`.
    pub(crate) fn of(scheduler: &Weak<Scheduler>) -> Arc<dyn Services> {
        Arc::new(Self(Weak::clone(scheduler)))
    }
}

impl Services for RuntimeServices {
    /// Drops the job if the runtime is gone, which the reactor reports as an error.
    fn offload(&self, job: Box<dyn FnOnce() + Send>) {
        if let Some(scheduler) = self.0.upgrade() {
            drop(jobs::spawn_blocking(&scheduler, job, Location::caller()));
        }
    }

    fn network(&self) -> Option<Arc<dyn SimulatedNetwork>> {
        self.0.upgrade()?.simulation.as_ref().map(Simulation::simulated_network)
    }

    fn drops_what_waits(&self) -> bool {
        Context::with(|context| context.is_some_and(Context::drops_what_waits))
    }

    fn has_io(&self) -> bool {
        self.0.upgrade().is_none_or(|scheduler| scheduler.config.has_io)
    }

    /// Ready at once if the runtime is gone, or as soon as it ends: the caller's next operation
    /// fails then.
    fn delay(&self, duration: Duration) -> Delay {
        match self.0.upgrade() {
            Some(scheduler) => Box::pin(TimerDelay::after(duration, &scheduler)),
            None => Box::pin(std::future::ready(())),
        }
    }
}

/// One arming of one timer: a wait that ends with the runtime at the latest.
pub(crate) struct TimerDelay(Arc<TimerEntry>);

impl TimerDelay {
    fn after(duration: Duration, scheduler: &Scheduler) -> Self {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Self::until(scheduler.clock.timer_now().saturating_add(nanos), scheduler)
    }

    /// Waits until `deadline`, in the nanoseconds of timers.
    pub(crate) fn until(deadline: u64, scheduler: &Scheduler) -> Self {
        let entry = TimerEntry::new();
        arm_timer(scheduler, &entry, deadline);
        Self(entry)
    }
}

impl Future for TimerDelay {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<()> {
        match self.0.poll_fired(cx) {
            // By the end of the runtime, for its owner cancels it only in its drop.
            Poll::Pending if self.0.is_cancelled() => Poll::Ready(()),
            polled => polled,
        }
    }
}

impl Drop for TimerDelay {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
