//! Parallel loops beside the tasks, with results that are known.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use wsrt::parallel;

use crate::ledger::Kind;
use crate::soak::Soak;

/// Runs one loop after the other.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(2)).await {
        let entry = soak.ledger.open(Kind::Loop);
        let length = fastrand::u64(1..50_000);
        let expected = length * (length - 1) / 2;
        let sum = match fastrand::u8(..4) {
            0 => parallel::reduce(0..length, || 0, |number| number, |one, other| one + other),
            1 => sum_of_each(length),
            2 => parallel::map_collect(0..length, |number| number).into_iter().sum(),
            _ => sum_of_halves(0, length),
        };
        soak.ledger.check(sum == expected, || format!("a loop of {length} found {sum}, not {expected}"));
        entry.settle();
    }
}

fn sum_of_each(length: u64) -> u64 {
    let sum = AtomicU64::new(0);
    parallel::for_each(0..length, |number| {
        sum.fetch_add(number, Relaxed);
    });
    sum.into_inner()
}

fn sum_of_halves(from: u64, to: u64) -> u64 {
    if to - from < 1000 {
        return (from..to).sum();
    }
    let middle = from.midpoint(to);
    let (low, high) = parallel::join(|| sum_of_halves(from, middle), || sum_of_halves(middle, to));
    low + high
}
