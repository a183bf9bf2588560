//! One stall after the other, and the wait behind each.
//!
//! ```text
//!   the task that stalls                 the task that waits       the thread outside
//!   rests until a timer is due
//!   spawns the other          ────────▶  waits for its event
//!                             ◀────────  is armed
//!   is stuck in its poll                                    ◀───  wakes it, or writes to its socket
//!                             ◀────────  runs
//!   returns
//! ```
//!
//! A timer ends the rest, so that the poll owner is the machine that gets stuck: nothing else looks
//! at timers and sockets then.

use std::future::Future;
use std::io::Write;
use std::net::TcpStream;
use std::pin::pin;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use futures_lite::future::poll_once;
use tokio::sync::oneshot;

use super::moments::Moments;
use super::situation::{Readied, Situation, Stuck};
use crate::Failure;
use crate::runtimes::Runtime;
use crate::stalls::build;
use crate::stalls::cases::connection;

/// The longest wait: a stall ends then. Longer than a multi-thread runtime of wsrt lets anything
/// wait, and short enough for 10,000 stalls.
pub(super) const LIMIT: Duration = Duration::from_millis(40);

/// One stall.
pub(super) struct Stall {
    /// For how long the runtime had been at rest before.
    pub(super) rest: Duration,
    /// From the moment when the thing was ready until its task ran; [`LIMIT`] if it had not run by
    /// then.
    pub(super) wait: Duration,
}

/// Measures so many stalls on a runtime of their own.
pub(super) fn measure<R: Runtime>(situation: Situation, stalls: usize, seed: u64) -> Result<Vec<Stall>, Failure> {
    let runtime: R = build(situation.workers)?;
    let (client, stream) = connection(&runtime)?;
    let outside = Outside::start(client);
    let moments = Moments::new(seed);
    Ok(runtime.run(stall_again_and_again::<R>(situation, stalls, moments, stream, outside)))
}

async fn stall_again_and_again<R: Runtime>(
    Situation { stuck, readied, .. }: Situation,
    stalls: usize,
    mut moments: Moments,
    mut stream: R::Stream,
    outside: Outside,
) -> Vec<Stall> {
    let mut all = Vec::with_capacity(stalls);
    for _ in 0..stalls {
        let (rest, delay) = (moments.rest(), moments.delay());
        R::sleep_until(Instant::now() + rest).await;
        let due = Instant::now() + delay;
        let (wake, woken) = oneshot::channel();
        let (armed, is_armed) = oneshot::channel();
        let (ran, has_run) = mpsc::channel();
        let waiter = R::spawn(wait(event::<R>(readied, due, woken, stream), armed, ran));
        is_armed.await.expect("the task that waits is alive");
        let wait = match readied {
            Readied::Runnext => {
                let ready = Instant::now();
                wake.send(()).expect("the task that waits is alive");
                wait_from(ready, stick(stuck, &has_run, ready + LIMIT))
            }
            Readied::Timer => wait_from(due, stick(stuck, &has_run, due + LIMIT)),
            Readied::Outside | Readied::Socket => {
                outside.order(due, (readied == Readied::Outside).then_some(wake));
                let ran = stick(stuck, &has_run, due + LIMIT);
                // The thread outside may be late on a busy machine, and the limit is one of waits.
                let ready = outside.readied();
                wait_from(ready, ran.or_else(|| stick(stuck, &has_run, ready + LIMIT)))
            }
        };
        stream = waiter.await;
        all.push(Stall { rest, wait });
    }
    all
}

/// Returns when the thing is ready, with the stream for the next stall.
async fn event<R: Runtime>(
    readied: Readied,
    due: Instant,
    woken: oneshot::Receiver<()>,
    mut stream: R::Stream,
) -> R::Stream {
    match readied {
        Readied::Runnext | Readied::Outside => woken.await.expect("every stall wakes its task"),
        Readied::Timer => R::sleep_until(due).await,
        Readied::Socket => {
            let read = R::read(&mut stream, &mut [0; 2]).await;
            assert_eq!(read.expect("the connection is open"), 1);
        }
    }
    stream
}

/// Waits for `event`: says when that has begun, and when this task runs afterwards.
async fn wait<T>(event: impl Future<Output = T>, armed: oneshot::Sender<()>, ran: Sender<Instant>) -> T {
    let mut event = pin!(event);
    let early = poll_once(event.as_mut()).await;
    // A receiver that is gone is the panic of the task that stalls.
    let _ = armed.send(());
    let output = match early {
        Some(output) => output,
        None => event.await,
    };
    // The stall may have ended at its limit.
    let _ = ran.send(Instant::now());
    output
}

/// Does not return before the other task has run, or `limit` has come.
fn stick(stuck: Stuck, has_run: &Receiver<Instant>, limit: Instant) -> Option<Instant> {
    if stuck == Stuck::Sleeps {
        return has_run.recv_timeout(limit.saturating_duration_since(Instant::now())).ok();
    }
    loop {
        let ran = has_run.try_recv().ok();
        if ran.is_some() || Instant::now() >= limit {
            return ran;
        }
        std::hint::spin_loop();
    }
}

fn wait_from(ready: Instant, ran: Option<Instant>) -> Duration {
    ran.map_or(LIMIT, |ran| ran.saturating_duration_since(ready).min(LIMIT))
}

/// The thread outside the runtime, which makes things ready at their time. Ends when dropped.
struct Outside {
    orders: Sender<Order>,
    readied: Receiver<Instant>,
}

/// To wake a task when it is due, or to write to the socket if there is none.
type Order = (Instant, Option<oneshot::Sender<()>>);

impl Outside {
    fn start(mut client: TcpStream) -> Self {
        let (orders, ordered) = mpsc::channel::<Order>();
        let (says, readied) = mpsc::channel();
        thread::spawn(move || {
            for (due, wake) in ordered {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                let ready = Instant::now();
                match wake {
                    Some(wake) => wake.send(()).expect("the task that waits is alive"),
                    None => client.write_all(b"x").expect("the connection is open"),
                }
                if says.send(ready).is_err() {
                    return;
                }
            }
        });
        Self { orders, readied }
    }

    fn order(&self, due: Instant, wake: Option<oneshot::Sender<()>>) {
        self.orders.send((due, wake)).expect("the thread outside is alive");
    }

    /// Returns the moment of the last order.
    fn readied(&self) -> Instant {
        self.readied.recv().expect("the thread outside is alive")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_begins_when_the_thing_is_ready() {
        let ready = Instant::now();
        let after = Duration::from_millis(3);
        assert_eq!(wait_from(ready, Some(ready + after)), after);
        assert_eq!(wait_from(ready, Some(ready)), Duration::ZERO);
    }

    #[test]
    fn a_stall_that_ends_at_its_limit_is_that_wait() {
        let ready = Instant::now();
        assert_eq!(wait_from(ready, None), LIMIT);
        assert_eq!(wait_from(ready, Some(ready + 2 * LIMIT)), LIMIT);
    }

    #[test]
    fn a_poll_is_stuck_until_the_other_task_has_run() {
        for stuck in [Stuck::Sleeps, Stuck::Computes] {
            let (ran, has_run) = mpsc::channel();
            let now = Instant::now();
            assert_eq!(stick(stuck, &has_run, now), None);
            ran.send(now).unwrap();
            assert_eq!(stick(stuck, &has_run, now + Duration::from_secs(1_000)), Some(now));
        }
    }
}
