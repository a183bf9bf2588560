//! rayon's iterators in tasks, and in pools of their own.

use std::collections::HashMap;
use std::sync::Mutex;

use rayon::prelude::*;

/// Runs `f` in a task of a runtime with two processors.
async fn in_task<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> R {
    tokio::spawn(async { f() }).await.expect("no panic")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loops_have_the_results_of_serial_ones() {
    in_task(|| {
        let numbers: Vec<u64> = (0..100_000).collect();
        let odd = |number: &u64| number % 2 == 1;
        let serial: Vec<u64> = numbers.iter().copied().filter(odd).map(|number| number * 3).collect();
        let parallel: Vec<u64> = numbers.par_iter().copied().filter(odd).map(|number| number * 3).collect();
        assert_eq!(parallel, serial);
        assert_eq!(numbers.par_iter().sum::<u64>(), numbers.iter().sum());
        assert_eq!(numbers.par_iter().position_first(|number| *number == 77_777), Some(77_777));
        assert_eq!(numbers.par_chunks(7).map(|chunk| chunk.len()).max(), Some(7));
        let counts = numbers.par_iter().fold(HashMap::new, |mut counts: HashMap<u64, usize>, number| {
            *counts.entry(number % 10).or_default() += 1;
            counts
        });
        let counts = counts.reduce(HashMap::new, |mut all, some| {
            some.into_iter().for_each(|(digit, count)| *all.entry(digit).or_default() += count);
            all
        });
        assert!(counts.len() == 10 && counts.values().all(|count| *count == 10_000));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sorts_sort() {
    in_task(|| {
        let mut words: Vec<String> = (0..20_000_u32).map(|number| number.reverse_bits().to_string()).collect();
        let mut sorted = words.clone();
        sorted.sort();
        words.par_sort();
        assert_eq!(words, sorted);
        words.par_sort_unstable_by_key(|word| std::cmp::Reverse(word.len()));
        assert!(words.is_sorted_by_key(|word| std::cmp::Reverse(word.len())));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_serial_iterator_is_bridged() {
    let collected = in_task(|| {
        let mut squares: Vec<u64> = (0..10_000_u64).par_bridge().map(|number| number * number).collect();
        squares.sort_unstable();
        squares
    });
    assert!(collected.await.into_iter().eq((0..10_000).map(|number| number * number)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_reaches_the_task() {
    let task = tokio::spawn(async {
        (0..1_000).into_par_iter().for_each(|number| assert_ne!(number, 500, "in the middle"));
    });
    assert!(task.await.expect_err("it panics").is_panic());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pool_counts_its_own_threads() {
    in_task(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
        let indices = Mutex::new(Vec::new());
        pool.install(|| {
            (0..1_000).into_par_iter().for_each(|_| {
                indices.lock().expect("no panic").push(rayon::current_thread_index().expect("it computes"));
            });
        });
        let indices = indices.into_inner().expect("no panic");
        assert!(indices.len() == 1_000 && indices.iter().all(|index| *index < 3));
        assert_eq!(rayon::current_num_threads(), 2);
    })
    .await;
}
