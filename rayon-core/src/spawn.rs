//! Closures that no thread waits for, and broadcasts.

use wsrt::team::Order;

use crate::BroadcastContext;
use crate::global::GLOBAL;

/// Spawns a closure in the current pool.
///
/// A thread runs the closures that it has spawned in last-in, first-out order. A panic goes to the
/// pool's [`panic_handler`](crate::ThreadPoolBuilder::panic_handler); without one it ends the
/// process.
///
/// # Examples
///
/// ```
/// let (sender, receiver) = std::sync::mpsc::channel();
/// rayon_core::spawn(move || sender.send(1 + 1).expect("it is received"));
/// assert_eq!(receiver.recv(), Ok(2));
/// ```
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    wsrt::team::spawn(&GLOBAL, Order::Lifo, func);
}

/// Spawns a closure as [`spawn`] does; a thread runs the closures that it has spawned so in
/// first-in, first-out order.
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    wsrt::team::spawn(&GLOBAL, Order::Fifo, func);
}

/// Runs `op` on each thread of the current pool, and returns the results in the order of the
/// threads' indices.
///
/// # Panics
///
/// Panics with the first panic of `op`, once all threads have run it.
///
/// # Examples
///
/// ```
/// let indices = rayon_core::broadcast(|context| context.index());
/// assert!(indices.into_iter().eq(0..rayon_core::current_num_threads()));
/// ```
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    wsrt::team::broadcast(&GLOBAL, op)
}

/// Spawns `op` on each thread of the current pool. It panics as [`spawn`] does.
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    wsrt::team::spawn_broadcast(&GLOBAL, op);
}
