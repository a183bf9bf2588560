//! Many small pieces: what a `join` costs that no thread steals, and simple loops.

use rayon::prelude::*;

use crate::Random;

type Run = Box<dyn FnMut() -> u64>;

pub fn fib_join() -> Run {
    fn fib(n: u64) -> u64 {
        if n < 2 {
            return n;
        }
        let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
        a + b
    }
    Box::new(|| fib(25))
}

fn words() -> Vec<u64> {
    let mut random = Random::new();
    (0..1 << 20).map(|_| random.below(1 << 30)).collect()
}

/// Adds and takes away, so that each run begins with the same numbers.
fn both_ways(mut add: impl FnMut(&mut [u64], u64) + 'static) -> Run {
    let mut words = words();
    Box::new(move || {
        add(&mut words, 1);
        add(&mut words, 1_u64.wrapping_neg());
        words[words.len() / 2]
    })
}

pub fn increment_join() -> Run {
    fn add(words: &mut [u64], by: u64) {
        if words.len() <= 64 {
            return words.iter_mut().for_each(|word| *word = word.wrapping_add(by));
        }
        let (left, right) = words.split_at_mut(words.len() / 2);
        rayon::join(|| add(left, by), || add(right, by));
    }
    both_ways(add)
}

pub fn increment_scope() -> Run {
    both_ways(|words, by| {
        rayon::scope(|scope| {
            for words in words.chunks_mut(256) {
                scope.spawn(move |_| words.iter_mut().for_each(|word| *word = word.wrapping_add(by)));
            }
        });
    })
}

pub fn increment_par_iter() -> Run {
    both_ways(|words, by| words.par_iter_mut().for_each(|word| *word = word.wrapping_add(by)))
}

pub fn sum_par_iter() -> Run {
    let words = words();
    Box::new(move || words.par_iter().map(|word| word.rotate_left(7) ^ 5).sum())
}

pub fn filter_collect() -> Run {
    let words = words();
    Box::new(move || {
        let odd: Vec<u64> = words.par_iter().copied().filter(|word| word % 3 == 1).collect();
        odd.len() as u64
    })
}

/// The primes below some millions, in blocks that fit the caches.
pub fn sieve() -> Run {
    const END: usize = 4 << 20;
    const BLOCK: usize = 64 << 10;
    let root = (END as f64).sqrt() as usize + 1;
    let small: Vec<usize> = (2..root).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d > 0)).collect();
    Box::new(move || {
        let mut composite = vec![false; END];
        let primes = composite.par_chunks_mut(BLOCK).enumerate().map(|(number, block)| {
            let start = number * BLOCK;
            for prime in &small {
                let first = (prime * prime).max(start.next_multiple_of(*prime));
                for at in (first..start + block.len()).step_by(*prime) {
                    block[at - start] = true;
                }
            }
            let skipped = if number == 0 { 2 } else { 0 };
            block[skipped..].iter().filter(|composite| !**composite).count() as u64
        });
        primes.sum()
    })
}
