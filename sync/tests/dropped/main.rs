//! Senders, receivers, guards and waits are dropped in every order, on one thread and on many, one
//! after the other and at once: no panic, and each value is dropped once.

mod parts;

use crate::parts::{Part, Values, parts};
use std::sync::Barrier;
use std::thread;

/// Calls `drop_all` with the parts in each order, and checks the values.
fn in_every_order(drop_all: impl Fn(Vec<Part>)) {
    for (name, make) in parts() {
        let count = make(&Values::default()).len();
        for order in orders(count) {
            let values = Values::default();
            let mut parts: Vec<Option<Part>> = make(&values).into_iter().map(Some).collect();
            drop_all(order.iter().map(|at| parts[*at].take().expect("each comes once")).collect());
            assert!(values.each_was_dropped_once(), "{name} in the order {order:?}");
        }
    }
}

/// Every order of the numbers below `count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
    let with_last = |order: Vec<usize>| {
        (0..count).map(move |at| {
            let mut longer = order.clone();
            longer.insert(at, last);
            longer
        })
    };
    orders(last).into_iter().flat_map(with_last).collect()
}

#[test]
fn every_order_on_one_thread() {
    in_every_order(|parts| parts.into_iter().for_each(drop));
}

#[test]
fn every_order_with_a_thread_for_each() {
    in_every_order(|parts| {
        for part in parts {
            thread::spawn(move || drop(part)).join().expect("no panic");
        }
    });
}

#[test]
fn all_parts_at_once() {
    for (name, make) in parts() {
        for _ in 0..100 {
            let values = Values::default();
            let parts = make(&values);
            let together = Barrier::new(parts.len());
            thread::scope(|scope| {
                for part in parts {
                    scope.spawn(|| {
                        together.wait();
                        drop(part);
                    });
                }
            });
            assert!(values.each_was_dropped_once(), "{name}");
        }
    }
}
