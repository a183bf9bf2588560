//! Fuzzing on a stable compiler: inputs of a corpus, and mutations of them, are given to a property
//! that must hold for all.
//!
//! Each run makes the same inputs, so that CI is repeatable. `WSRT_FUZZ_SECONDS=600` goes on for so
//! long, with inputs that no run before it has tried. A failure prints the input as a literal of
//! bytes: put it into the corpus, a file for each input, and it is tried first from then on.

mod corpus;
mod memory;
mod mutation;

use std::env;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub use self::corpus::{Corpus, corpus};
pub use self::memory::Metered;
pub use self::mutation::Mutator;

/// How long one input may take on a busy machine before it counts as a hang.
const LONGEST: Duration = Duration::from_secs(20);

/// Gives `property` each input of `corpus` and `count` mutations of them, or as many as there is
/// time for where the environment asks for more. Returns how many there were.
///
/// # Panics
///
/// Panics with the panic of `property`, or if an input takes too long; the input is printed.
pub fn check(corpus: &Corpus, count: usize, property: impl Fn(&[u8])) -> usize {
    for input in &corpus.inputs {
        check_one(input, &property);
    }
    let deadline = time_limit().map(|limit| Instant::now() + limit);
    let mut mutator = Mutator::new(corpus, deadline.map_or(1, |_| seed_of_now()));
    let mut made = 0;
    while deadline.map_or(made < count, |deadline| Instant::now() < deadline) {
        check_one(&mutator.next_input(), &property);
        made += 1;
    }
    corpus.inputs.len() + made
}

/// The time for which the environment asks, if it does.
fn time_limit() -> Option<Duration> {
    let seconds = env::var("WSRT_FUZZ_SECONDS").ok()?;
    Some(Duration::from_secs(seconds.parse().expect("WSRT_FUZZ_SECONDS is a whole number of seconds")))
}

fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_nanos() as u64);
    println!("seed {now}");
    now
}

fn check_one(input: &[u8], property: &impl Fn(&[u8])) {
    // Twice, since the machine may have stood still meanwhile.
    if time_of(input, property) >= LONGEST {
        let took = time_of(input, property);
        assert!(took < LONGEST, "it has taken {took:?} for {}", literal(input));
    }
}

/// How long the input takes.
fn time_of(input: &[u8], property: &impl Fn(&[u8])) -> Duration {
    let start = Instant::now();
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| property(input))) {
        eprintln!("the property does not hold for {}", literal(input));
        resume_unwind(panic);
    }
    start.elapsed()
}

/// The input as Rust and Python spell bytes.
fn literal(input: &[u8]) -> String {
    let mut text = String::from("b\"");
    for &byte in input {
        match byte {
            b'"' | b'\\' => _ = write!(text, "\\{}", byte as char),
            b' '..=b'~' => text.push(byte as char),
            _ => _ = write!(text, "\\x{byte:02x}"),
        }
    }
    text + "\""
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn letters() -> Corpus {
        Corpus { inputs: vec![b"some letters".to_vec(), b"and more".to_vec()], words: vec![b"word".to_vec()] }
    }

    #[test]
    fn each_run_makes_the_same_inputs() {
        let run = || {
            let mut mutator = Mutator::new(&letters(), 1);
            (0..1000).map(|_| mutator.next_input()).collect::<Vec<_>>()
        };
        assert_eq!(run(), run());
    }

    #[test]
    fn the_corpus_comes_first_and_mutations_differ() {
        let seen = RefCell::new(Vec::new());
        let count = check(&letters(), 200, |input| seen.borrow_mut().push(input.to_vec()));
        let mut seen = seen.into_inner();
        assert_eq!((seen.len(), &seen[..2]), (count, &letters().inputs[..]));
        seen.sort();
        seen.dedup();
        assert!(seen.len() > 150, "{} of 202 differ", seen.len());
    }

    #[test]
    fn a_property_that_fails_for_a_mutation_is_found() {
        let found = catch_unwind(|| check(&letters(), 10_000, |input| assert!(!input.ends_with(b"wordword"))));
        assert!(found.is_err());
    }

    #[test]
    fn an_input_is_printed_so_that_it_can_be_kept() {
        assert_eq!(literal(b"a\"\\\n\xff"), r#"b"a\"\\\x0a\xff""#);
    }
}
