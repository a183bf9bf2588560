//! A tree of tasks: each spawns ten and awaits them, six levels deep.

use std::array;
use std::time::Instant;

use super::{About, Figures, Plan, Round, Runtime, rounds};

const CHILDREN: usize = 10;

pub(super) const ABOUT: About = About {
    name: "tree",
    summary: "1,111,111 tasks (at most the size) in a tree, each awaits ten children; the whole tree",
    size: 1_111_111,
    rounds: 1,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let rounds = plan.rounds(&ABOUT);
    let levels = levels_for(plan.size(&ABOUT));
    let total = runtime.run(rounds::repeat(rounds, move || round::<R>(levels)));
    Ok(vec![total.milliseconds_each()])
}

async fn round<R: Runtime>(levels: u32) -> Round {
    let start = Instant::now();
    let count = grow::<R>(levels).await;
    let round = Round::since(start, 1);
    assert_eq!(count, tasks(levels), "the tasks of a tree with {levels} levels below the root");
    round
}

/// Spawns a task with `levels` below it; hands over how many tasks there were, with itself.
fn grow<R: Runtime>(levels: u32) -> R::Task<usize> {
    R::spawn(async move {
        let mut count = 1;
        if levels > 0 {
            let children: [_; CHILDREN] = array::from_fn(|_| grow::<R>(levels - 1));
            for child in children {
                count += child.await;
            }
        }
        count
    })
}

fn tasks(levels: u32) -> usize {
    (0..=levels).map(|level| CHILDREN.pow(level)).sum()
}

/// The most levels below the root that take no more than `size` tasks.
fn levels_for(size: usize) -> u32 {
    (1..).take_while(|&levels| tasks(levels) <= size).last().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_size_has_six_levels_below_the_root() {
        assert_eq!(levels_for(ABOUT.size), 6);
        assert_eq!(tasks(6), ABOUT.size);
        assert_eq!((levels_for(10), levels_for(11)), (0, 1));
    }
}
