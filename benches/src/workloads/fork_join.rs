//! Fork-join by spawn and await: each call of fib is a task, which spawns two and awaits both.

use std::time::Instant;

use super::{About, Figures, Plan, Round, Runtime, rounds};

pub(super) const ABOUT: About = About {
    name: "fork_join",
    summary: "fib(22), each call a task that spawns two and awaits both: 57,313 tasks (at most the size); per task",
    size: 57_313,
    rounds: 4,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, |size| round::<R>(number_for(size)))
}

async fn round<R: Runtime>(number: u32) -> Round {
    let start = Instant::now();
    let sum = fork::<R>(number).await;
    let round = Round::since(start, tasks(number));
    assert_eq!(sum, fib(number), "fib({number})");
    round
}

fn fork<R: Runtime>(number: u32) -> R::Task<usize> {
    R::spawn(async move {
        if number < 2 {
            return number as usize;
        }
        let (one, other) = (fork::<R>(number - 1), fork::<R>(number - 2));
        one.await + other.await
    })
}

fn fib(number: u32) -> usize {
    let step = |(this, next), _| (next, this + next);
    (0..number).fold((0, 1), step).0
}

/// How many calls there are in one of fib(`number`).
fn tasks(number: u32) -> usize {
    2 * fib(number + 1) - 1
}

/// The greatest number that has no more than `size` calls; 0 takes one.
fn number_for(size: usize) -> u32 {
    (1..).take_while(|&number| tasks(number) <= size).last().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_size_is_fib_22() {
        assert_eq!(number_for(ABOUT.size), 22);
        assert_eq!(tasks(22), ABOUT.size);
    }

    #[test]
    fn the_calls_are_counted() {
        fn calls(number: u32) -> usize {
            if number < 2 { 1 } else { 1 + calls(number - 1) + calls(number - 2) }
        }
        for number in 0..15 {
            assert_eq!(tasks(number), calls(number));
        }
    }
}
