//! A closure of a spawned broadcast whose captured value panics as it is dropped.

use std::panic::panic_any;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rayon_core::{ThreadPoolBuilder, current_thread_index, join, scope, spawn_broadcast};
use wsrt::runtime::Builder;

struct PanicsInDrop;

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        panic_any("dropped");
    }
}

#[test]
fn a_panic_of_a_destructor_goes_to_the_panic_handler() {
    let (sender, receiver) = channel();
    let sender = Mutex::new(sender);
    let takes = move |payload: Box<dyn std::any::Any + Send>| {
        let text = *payload.downcast::<&'static str>().expect("a text");
        sender.lock().expect("no panic").send(text).expect("it is received");
    };
    ThreadPoolBuilder::new().num_threads(1).panic_handler(takes).build_global().expect("a pool");
    let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    for _ in 0..50 {
        let spawns = async {
            let spawns = || {
                let (fragile, called) = (PanicsInDrop, Arc::new(AtomicBool::new(false)));
                let is_called = Arc::clone(&called);
                spawn_broadcast(move |_| {
                    let _fragile = &fragile;
                    // The last copy is not the caller's.
                    while !is_called.load(SeqCst) {
                        thread::yield_now();
                    }
                });
                called.store(true, SeqCst);
            };
            spawns();
            // Here the thread that has an index runs its part as it waits.
            scope(|_| {
                current_thread_index();
                spawns();
                join(|| join(|| (), || ()), thread::yield_now);
            });
        };
        let task = runtime.spawn(spawns);
        runtime.block_on(task).expect("no panic");
        for _ in 0..2 {
            assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok("dropped"));
        }
    }
}
