//! Divide and conquer on a tree that is not balanced: each node gives one child a random share of
//! its leaves, and the leaves are where the work is.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::Scenario;
use crate::parallel::pools::Jobs;
use crate::parallel::spin::{Speed, spin};
use crate::random::Random;

pub(super) const NAME: &str = "tree";

const LEAVES: usize = 4_096;
const LEAF_NANOS: u32 = 500;

pub(super) struct Tree {
    leaf_steps: u32,
}

#[derive(Clone, Copy)]
struct Node {
    leaves: usize,
    seed: u64,
}

const ROOT: Node = Node { leaves: LEAVES, seed: 1 };

impl Node {
    /// Returns its children; none for a leaf.
    fn split(self) -> Option<(Self, Self)> {
        if self.leaves == 1 {
            return None;
        }
        let left = 1 + Random::new(self.seed).below(self.leaves - 1);
        let child = |leaves, side| Self { leaves, seed: self.seed.wrapping_mul(31).wrapping_add(side) };
        Some((child(left, 1), child(self.leaves - left, 2)))
    }
}

impl Scenario for Tree {
    fn prepare(speed: Speed) -> Self {
        Self { leaf_steps: speed.steps(LEAF_NANOS) }
    }

    fn nanos(&self) -> u64 {
        LEAVES as u64 * u64::from(LEAF_NANOS)
    }

    fn serial(&self) -> usize {
        serial(ROOT, self.leaf_steps)
    }

    fn wsrt(&self) -> usize {
        wsrt(ROOT, self.leaf_steps)
    }

    fn rayon(&self) -> usize {
        rayon(ROOT, self.leaf_steps)
    }

    fn central(self: &Arc<Self>, jobs: &Jobs) -> usize {
        let leaves = Arc::new(AtomicUsize::new(0));
        central(jobs, ROOT, self.leaf_steps, &leaves);
        jobs.wait_all();
        leaves.load(Relaxed)
    }
}

fn serial(node: Node, steps: u32) -> usize {
    let Some((left, right)) = node.split() else {
        spin(steps);
        return 1;
    };
    serial(left, steps) + serial(right, steps)
}

fn wsrt(node: Node, steps: u32) -> usize {
    let Some((left, right)) = node.split() else {
        spin(steps);
        return 1;
    };
    let (left, right) = wsrt::parallel::join(|| wsrt(left, steps), || wsrt(right, steps));
    left + right
}

fn rayon(node: Node, steps: u32) -> usize {
    let Some((left, right)) = node.split() else {
        spin(steps);
        return 1;
    };
    let (left, right) = rayon::join(|| rayon(left, steps), || rayon(right, steps));
    left + right
}

/// A job for each node: a job cannot wait for others here without taking a thread from them.
fn central(jobs: &Jobs, node: Node, steps: u32, leaves: &Arc<AtomicUsize>) {
    let leaves = Arc::clone(leaves);
    jobs.spawn(move |jobs| {
        let Some((left, right)) = node.split() else {
            spin(steps);
            leaves.fetch_add(1, Relaxed);
            return;
        };
        central(jobs, left, steps, &leaves);
        central(jobs, right, steps, &leaves);
    });
}
