//! Rounds: the same piece of work again and again, the first ones to warm up, the others added up.

use std::future::Future;
use std::time::{Duration, Instant};

use super::{About, Figures};
use crate::metric::{Measurement, Metric};
use crate::plan::{Plan, Rounds};
use crate::runtimes::Runtime;

/// Time spent on a number of operations: in one round, or in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Wall-clock time.
    pub elapsed: Duration,
    /// Operations done in it.
    pub operations: u64,
}

impl Round {
    /// Ends the round of `operations` that began at `start`.
    pub(crate) fn since(start: Instant, operations: usize) -> Self {
        Self { elapsed: start.elapsed(), operations: operations as u64 }
    }

    /// Returns the mean time of one operation.
    ///
    /// # Panics
    ///
    /// Panics if there was no operation.
    pub(super) fn per_operation(self) -> Measurement {
        assert!(self.operations > 0, "a measurement of no operations");
        Metric::NANOSECONDS_PER_OPERATION.of(self.elapsed.as_nanos() as f64 / self.operations as f64)
    }

    /// Returns the mean time of one operation where each is a whole of many parts.
    ///
    /// # Panics
    ///
    /// Panics if there was no operation.
    pub(super) fn milliseconds_each(self) -> Measurement {
        Metric::MILLISECONDS.of(self.per_operation().value / 1e6)
    }

    fn add(&mut self, other: Self) {
        self.elapsed += other.elapsed;
        self.operations += other.operations;
    }
}

/// Repeats a round that is a future, all inside the task that awaits this.
pub(super) async fn repeat<F, Fut>(rounds: Rounds, mut round: F) -> Round
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Round>,
{
    for _ in 0..rounds.warm_up {
        round().await;
    }
    let mut total = Round::default();
    for _ in 0..rounds.measured {
        total.add(round().await);
    }
    total
}

/// Repeats a round of the workload's size inside one task, and returns the time of one
/// operation.
pub(crate) fn in_task<R: Runtime, F: Future<Output = Round> + Send + 'static>(
    runtime: &R,
    plan: &Plan,
    about: &About,
    round: fn(usize) -> F,
) -> Figures {
    let size = plan.size(about);
    let total = runtime.run(repeat(plan.rounds(about), move || round(size)));
    Ok(vec![total.per_operation()])
}

/// Repeats a round on the calling thread.
pub(super) fn repeat_blocking(rounds: Rounds, mut round: impl FnMut() -> Round) -> Round {
    for _ in 0..rounds.warm_up {
        round();
    }
    let mut total = Round::default();
    for _ in 0..rounds.measured {
        total.add(round());
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warm_up_rounds_are_run_and_not_counted() {
        let mut runs = 0;
        let rounds = Rounds { warm_up: 3, measured: 2 };
        let total = repeat_blocking(rounds, || {
            runs += 1;
            Round { elapsed: Duration::from_nanos(if runs <= 3 { 1_000_000 } else { 500 }), operations: 10 }
        });
        assert_eq!(runs, 5);
        assert_eq!(total.operations, 20);
        assert_eq!(total.per_operation().value, 50.0);
    }

    #[test]
    #[should_panic(expected = "a measurement of no operations")]
    fn no_operations_have_no_mean() {
        let _measurement = Round::default().per_operation();
    }
}
