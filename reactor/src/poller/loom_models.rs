//! Models of turns and interrupts, with a kernel whose wake-up event is reported once.

use super::gate::{Stay, TurnGate, Turned};
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;
use std::time::Duration;

/// An edge-triggered wake-up descriptor and the poll it is in.
struct Kernel {
    event: Mutex<bool>,
    arrived: Condvar,
    writes: AtomicUsize,
}

impl Kernel {
    fn write(&self) {
        self.writes.fetch_add(1, Relaxed);
        *self.event.lock().unwrap() = true;
        self.arrived.notify_one();
    }

    /// Reports the event at most once, as epoll does; a poll that may block and misses it hangs,
    /// which loom reports.
    fn poll(&self, timeout: Option<Duration>) {
        let mut event = self.event.lock().unwrap();
        while !*event && timeout.is_none() {
            event = self.arrived.wait(event).unwrap();
        }
        *event = false;
    }
}

struct World {
    gate: TurnGate,
    kernel: Kernel,
    work: AtomicBool,
}

impl World {
    fn new() -> Arc<Self> {
        let kernel = Kernel { event: Mutex::new(false), arrived: Condvar::new(), writes: AtomicUsize::new(0) };
        Arc::new(Self { gate: TurnGate::new(), kernel, work: AtomicBool::new(false) })
    }

    fn interrupt(&self) {
        self.gate.interrupt(|| self.kernel.write());
    }

    fn turn(&self, timeout: Option<Duration>) -> Result<Turned<()>, Stay> {
        self.gate.turn(timeout, |timeout| self.kernel.poll(timeout))
    }

    /// Blocking turns until one was interrupted.
    fn wait_for_interrupt(&self) {
        loop {
            match self.turn(None) {
                Ok(Turned { interrupted: true, .. }) => return,
                Ok(_) => {}
                Err(_) => thread::yield_now(),
            }
        }
    }
}

fn spawn(world: &Arc<World>, act: impl FnOnce(&World) + 'static) -> thread::JoinHandle<()> {
    let world = Arc::clone(world);
    thread::spawn(move || act(&world))
}

fn bounded(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

#[test]
fn an_interrupt_ends_a_blocking_turn_and_publishes_work() {
    loom::model(|| {
        let world = World::new();
        let caller = spawn(&world, |world| {
            world.work.store(true, Relaxed);
            world.interrupt();
        });
        world.wait_for_interrupt();
        assert!(world.work.load(Relaxed), "published before the interrupt");
        caller.join().unwrap();
    });
}

#[test]
fn a_look_keeps_the_interrupt_of_a_blocking_turn() {
    bounded(3, || {
        let world = World::new();
        let caller = spawn(&world, World::interrupt);
        let looker = spawn(&world, |world| {
            let _ = world.turn(Some(Duration::ZERO));
        });
        world.wait_for_interrupt();
        caller.join().unwrap();
        looker.join().unwrap();
    });
}

#[test]
fn work_of_an_interrupter_that_wrote_nothing_is_seen() {
    bounded(3, || {
        let world = World::new();
        let first = spawn(&world, World::interrupt);
        let second = spawn(&world, |world| {
            world.work.store(true, Relaxed);
            world.interrupt();
        });
        // Whichever of the two ended the first turn, an interrupt that is not taken yet ends the
        // next one.
        world.wait_for_interrupt();
        if !world.work.load(Relaxed) {
            world.wait_for_interrupt();
            assert!(world.work.load(Relaxed));
        }
        first.join().unwrap();
        second.join().unwrap();
    });
}

#[test]
fn interrupts_before_a_turn_cost_one_write() {
    loom::model(|| {
        let world = World::new();
        let other = spawn(&world, World::interrupt);
        world.interrupt();
        other.join().unwrap();
        assert_eq!(world.kernel.writes.load(Relaxed), 1);
        world.wait_for_interrupt();
    });
}

#[test]
fn one_thread_at_a_time_is_in_the_poll() {
    loom::model(|| {
        let world = World::new();
        let inside = Arc::new(AtomicBool::new(false));
        let look = {
            let inside = Arc::clone(&inside);
            move |world: &World| {
                let _ = world.gate.turn(Some(Duration::ZERO), |_| {
                    assert!(!inside.swap(true, Relaxed));
                    inside.store(false, Relaxed);
                });
            }
        };
        let other = spawn(&world, look.clone());
        look(&world);
        other.join().unwrap();
    });
}
