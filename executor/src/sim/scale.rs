//! Simulations with many processors, in which the scheduler's own work takes time.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::runtime::Handle;
use crate::scheduler::Context as Here;
use crate::sim::Sim;
use crate::time::{Sleep, sleep};

/// Simulates a computation that takes `time`: virtual time passes on the processor that polls the
/// task, while other processors continue.
///
/// The task occupies the processor as if the poll took that long. To other tasks, the task seems to
/// wait: if a message or another event wakes the task during the computation, another processor
/// polls it as well, without effect. In the future of
/// [`block_on`](crate::runtime::Runtime::block_on), and outside simulations, this is a [`sleep`].
///
/// # Cancel safety
///
/// Dropping the future ends the task's wait, but the processor stays occupied for the whole time.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::Instant;
///
/// let elapsed = wsrt::sim::run(7, |_| async {
///     let task = wsrt::spawn(async {
///         let began = Instant::now();
///         wsrt::sim::compute(Duration::from_millis(5)).await;
///         began.elapsed()
///     });
///     task.await.expect("it does not panic")
/// });
/// assert!(elapsed >= Duration::from_millis(5));
/// ```
pub fn compute(time: Duration) -> impl Future<Output = ()> + Send {
    ComputeFuture::Begins(time)
}

enum ComputeFuture {
    Begins(Duration),
    /// On a processor, until so many nanoseconds after the start of the runtime.
    Until(u64),
    Sleeps(Pin<Box<Sleep>>),
}

impl ComputeFuture {
    fn begin(time: Duration, context: &Context<'_>) -> Self {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX / 2);
        let begin = |handle: Handle| {
            let has_turn = Here::current().is_some_and(|here| here.machine().is_some());
            let scheduler = Some(handle.scheduler()).filter(|_| has_turn)?;
            scheduler.simulation.as_ref()?.compute(scheduler.clock.timer_now(), nanos, context.waker())
        };
        match Handle::try_current().ok().and_then(begin) {
            Some(until) => Self::Until(until),
            None => Self::Sleeps(Box::pin(sleep(time))),
        }
    }
}

impl Future for ComputeFuture {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if let Self::Begins(time) = *self {
            *self = Self::begin(time, context);
            if let Self::Until(_) = *self {
                return Poll::Pending;
            }
        }
        match &mut *self {
            // Its machine wakes it: nothing else is to be woken for.
            Self::Until(until) if now() < *until => Poll::Pending,
            Self::Sleeps(sleep) => sleep.as_mut().poll(context),
            Self::Until(_) | Self::Begins(_) => Poll::Ready(()),
        }
    }
}

/// The time of this thread's runtime. Outside it, where no processor computes, it is over.
fn now() -> u64 {
    Handle::try_current().map_or(u64::MAX, |handle| handle.scheduler().clock.timer_now())
}

impl Sim {
    /// Returns the total time for which tasks have [computed](compute), on all processors.
    #[must_use]
    pub fn computed(&self) -> Duration {
        Duration::from_nanos(self.simulation().computed())
    }

    /// Sends a datagram from outside the simulation, which arrives at the address `to` after the
    /// duration `after`. The load costs no time on the runtime's processors.
    ///
    /// If no socket is bound to the address by then, or the socket's buffer is full, the datagram
    /// is lost. The sender's address is 192.0.2.1, port 9.
    ///
    /// # Errors
    ///
    /// Returns an error if `to` is not an address of the simulation.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::net::UdpSocket;
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     let socket = UdpSocket::bind("127.0.0.1:80").await?;
    ///     sim.datagram_from_outside(Duration::from_millis(3), socket.local_addr()?, b"hello")?;
    ///     let mut buffer = [0; 8];
    ///     assert_eq!(socket.recv(&mut buffer).await?, 5);
    ///     std::io::Result::Ok(())
    /// })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn datagram_from_outside(&self, after: Duration, to: SocketAddr, bytes: &[u8]) -> std::io::Result<()> {
        let nanos = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX / 2);
        let due = self.handle().scheduler().clock.timer_now() + nanos;
        self.simulation().world().network().send_from_outside(due, to, bytes)
    }
}
