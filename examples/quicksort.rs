//! Divide and conquer with `join`: `cargo run --release --example quicksort`.
//!
//! Each part that is left after a partition is sorted by a join of its two halves, down to a few
//! numbers. A join that no thief steals costs a few nanoseconds, so that there is nothing to tune.
//! Prints the speed-up over the same sort without the joins.
//!
//! How many numbers to sort may be given as an argument.

use std::env;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use wsrt::parallel;

const USUAL_COUNT: usize = 5_000_000;
const MOST_COUNT: usize = 1_000_000_000;
/// So few are sorted by the standard library, which sorts them by insertion.
const FEW: usize = 20;

#[wsrt::main]
async fn main() -> ExitCode {
    // A task should not hold its processor for so long. A blocking thread gets help from the
    // processors as a task does.
    let ran = wsrt::task::spawn_blocking(run).await;
    match ran.expect("it is neither cancelled nor does it panic") {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("quicksort: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut arguments = env::args().skip(1);
    let count = match arguments.next() {
        Some(word) => parse_count(&word)?,
        None => USUAL_COUNT,
    };
    if let Some(word) = arguments.next() {
        return Err(format!("unknown argument `{word}`: how many numbers to sort is all that is asked"));
    }

    let numbers = random_numbers(count);
    let mut serially = numbers.clone();
    let alone = time_of(|| sort_serially(&mut serially));
    let mut joined = numbers;
    let together = time_of(|| sort(&mut joined));
    assert!(joined.is_sorted() && joined == serially, "both have the same numbers in order");

    println!("{count} numbers");
    println!("without joins {:>8.1} ms", alone.as_secs_f64() * 1e3);
    println!("with joins    {:>8.1} ms", together.as_secs_f64() * 1e3);
    println!("speed-up      {:>8.2}", alone.as_secs_f64() / together.as_secs_f64());
    Ok(())
}

fn parse_count(word: &str) -> Result<usize, String> {
    match word.parse() {
        Ok(count @ 0..=MOST_COUNT) => Ok(count),
        _ => Err(format!("`{word}` is not a count of numbers from 0 to {MOST_COUNT}")),
    }
}

fn sort(numbers: &mut [u64]) {
    if numbers.len() <= FEW {
        return numbers.sort_unstable();
    }
    let (low, high) = partition(numbers);
    parallel::join(|| sort(low), || sort(high));
}

fn sort_serially(numbers: &mut [u64]) {
    if numbers.len() <= FEW {
        return numbers.sort_unstable();
    }
    let (low, high) = partition(numbers);
    sort_serially(low);
    sort_serially(high);
}

/// Hoare's partition: moves the smaller numbers to the front and the greater ones to the back,
/// equal ones to either side. Neither side is empty, and nothing in the first is greater than
/// anything in the second.
fn partition(numbers: &mut [u64]) -> (&mut [u64], &mut [u64]) {
    let pivot = median_of_three(numbers);
    let (mut left, mut right) = (0, numbers.len() - 1);
    loop {
        while numbers[left] < pivot {
            left += 1;
        }
        while numbers[right] > pivot {
            right -= 1;
        }
        if left >= right {
            // The pivot is not the greatest of three, so that `left` has not come to the end.
            return numbers.split_at_mut(left.max(1));
        }
        numbers.swap(left, right);
        left += 1;
        right -= 1;
    }
}

fn median_of_three(numbers: &[u64]) -> u64 {
    let mut three = [numbers[0], numbers[numbers.len() / 2], numbers[numbers.len() - 1]];
    three.sort_unstable();
    three[1]
}

/// Marsaglia's xorshift.
fn random_numbers(count: usize) -> Vec<u64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn time_of(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
