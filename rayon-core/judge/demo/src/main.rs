//! Times rows of computations by rayon: `demo [PATTERN] [MILLISECONDS]`. A line for each row: its
//! name, and the median time of a run in nanoseconds.

mod calls;
mod grids;
mod numbers;
mod sorts;
mod tours;

use std::hint::black_box;
use std::time::{Duration, Instant};

/// A name, and a function that prepares the data and returns a run. The result of a run is a
/// checksum, which has to be the same each time.
type Row = (&'static str, fn() -> Box<dyn FnMut() -> u64>);

const ROWS: [Row; 19] = [
    ("fib_join", numbers::fib_join),
    ("increment_join", numbers::increment_join),
    ("increment_scope", numbers::increment_scope),
    ("increment_par_iter", numbers::increment_par_iter),
    ("sum_par_iter", numbers::sum_par_iter),
    ("filter_collect", numbers::filter_collect),
    ("sieve", numbers::sieve),
    ("nbody", grids::nbody),
    ("matmul", grids::matmul),
    ("life", grids::life),
    ("quicksort", sorts::quicksort),
    ("mergesort", sorts::mergesort),
    ("par_sort", sorts::par_sort),
    ("par_sort_unstable", sorts::par_sort_unstable),
    ("tsp", tours::tsp),
    ("nqueens", tours::nqueens),
    ("install", calls::install),
    ("install_join", calls::install_join),
    ("spawn", calls::spawn),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let pattern = arguments.next().unwrap_or_default();
    let millis = arguments.next().map_or(300, |millis| millis.parse().expect("a number of milliseconds"));
    for (name, prepare) in ROWS.iter().filter(|(name, _)| name.contains(&pattern)) {
        println!("{name} {}", time(prepare(), Duration::from_millis(millis)).as_nanos());
    }
}

/// Returns the median time of the runs that take `time` together.
fn time(mut run: Box<dyn FnMut() -> u64>, time: Duration) -> Duration {
    let expected = run();
    let (begin, mut times) = (Instant::now(), Vec::new());
    while begin.elapsed() < time || times.len() < 3 {
        let start = Instant::now();
        let result = black_box(run());
        times.push(start.elapsed());
        assert_eq!(result, expected, "each run has the same result");
    }
    times.sort_unstable();
    times[times.len() / 2]
}

/// A generator of numbers that are the same in each run of the program.
pub struct Random(u64);

impl Random {
    pub fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns a number between 0 and 1.
    pub fn fraction(&mut self) -> f64 {
        self.below(1 << 53) as f64 / (1_u64 << 53) as f64
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}
