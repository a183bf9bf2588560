//! Sorts: two written with `join`, and rayon's own.

use rayon::prelude::*;

use crate::Random;

type Run = Box<dyn FnMut() -> u64>;

fn numbers() -> Vec<u32> {
    let mut random = Random::new();
    (0..200_000).map(|_| random.next() as u32).collect()
}

/// Sorts a copy, and returns a number of the middle.
fn sorted_by(mut sort: impl FnMut(&mut Vec<u32>) + 'static) -> Run {
    let numbers = numbers();
    Box::new(move || {
        let mut copy = numbers.clone();
        sort(&mut copy);
        assert!(copy.is_sorted());
        u64::from(copy[copy.len() / 2])
    })
}

pub fn quicksort() -> Run {
    fn partition(numbers: &mut [u32]) -> usize {
        let last = numbers.len() - 1;
        numbers.swap(last / 2, last);
        let (pivot, mut smaller) = (numbers[last], 0);
        for at in 0..last {
            if numbers[at] < pivot {
                numbers.swap(at, smaller);
                smaller += 1;
            }
        }
        numbers.swap(smaller, last);
        smaller
    }
    fn sort(numbers: &mut [u32]) {
        if numbers.len() > 1 {
            let middle = partition(numbers);
            let (left, right) = numbers.split_at_mut(middle);
            rayon::join(|| sort(left), || sort(&mut right[1..]));
        }
    }
    sorted_by(|numbers| sort(numbers))
}

pub fn mergesort() -> Run {
    fn merge(left: &[u32], right: &[u32], merged: &mut [u32]) {
        let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
        for place in merged {
            let from_left = right.peek().is_none_or(|right| left.peek().is_some_and(|left| left <= right));
            *place = *if from_left { left.next() } else { right.next() }.expect("as many as there are places");
        }
    }
    fn sort(numbers: &mut [u32], other: &mut [u32]) {
        if numbers.len() <= 512 {
            return numbers.sort();
        }
        let middle = numbers.len() / 2;
        let ((left, right), (other_left, other_right)) = (numbers.split_at_mut(middle), other.split_at_mut(middle));
        rayon::join(|| sort(left, other_left), || sort(right, other_right));
        merge(left, right, other);
        numbers.copy_from_slice(other);
    }
    sorted_by(|numbers| {
        let mut other = vec![0; numbers.len()];
        sort(numbers, &mut other);
    })
}

pub fn par_sort() -> Run {
    sorted_by(|numbers| numbers.par_sort())
}

pub fn par_sort_unstable() -> Run {
    sorted_by(|numbers| numbers.par_sort_unstable())
}
