//! The cost of a `join`: Fibonacci's numbers by their definition, a join for each sum and no
//! cut-off.

use std::hint::black_box;

use super::pools::{Pool, Rayon, Wsrt, time_each};
use super::request::Request;
use super::rhythm::Rhythm;
use crate::Failure;
use crate::harness::Series;

pub(super) const SUBJECTS: &[&str] = &["wsrt", "rayon", "serial"];
pub(super) const CASE: &str = "fib(22)";
const NUMBER: u32 = 22;
const RESULT: u64 = 17_711;
/// Calls of the function in one run: twice the next number of the row, less one.
pub(super) const CALLS: f64 = 57_313.0;
/// About the time of a serial run.
const SERIAL_NANOS: u64 = 200_000;

pub(super) fn serve(request: &Request) -> Result<Series, Failure> {
    let processors = request.processors();
    let rhythm = Rhythm::hot(SERIAL_NANOS);
    Ok(match &*request.subject {
        "wsrt" => {
            let pool = Wsrt::build(processors)?;
            rhythm.alternate(run_serial, |times| pool.run_task(move || run(times, wsrt)))
        }
        "rayon" => {
            let pool = <Rayon>::build(processors)?;
            rhythm.alternate(run_serial, |times| pool.install(|| run(times, rayon)))
        }
        "serial" => rhythm.alternate(run_serial, run_serial),
        other => return Err(format!("no pool {other:?} for joins").into()),
    })
}

fn run_serial(times: usize) -> Vec<f64> {
    run(times, serial)
}

fn run(times: usize, fib: fn(u32) -> u64) -> Vec<f64> {
    time_each(times, || assert_eq!(fib(black_box(NUMBER)), RESULT))
}

fn serial(number: u32) -> u64 {
    if number < 2 {
        return u64::from(number);
    }
    // Or else the compiler makes a loop of one of the calls.
    black_box(serial(number - 1)) + black_box(serial(number - 2))
}

fn wsrt(number: u32) -> u64 {
    if number < 2 {
        return u64::from(number);
    }
    let (one, other) = wsrt::parallel::join(|| wsrt(number - 1), || wsrt(number - 2));
    one + other
}

fn rayon(number: u32) -> u64 {
    if number < 2 {
        return u64::from(number);
    }
    let (one, other) = rayon::join(|| rayon(number - 1), || rayon(number - 2));
    one + other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(number: u32) -> u32 {
        if number < 2 { 1 } else { 1 + calls(number - 1) + calls(number - 2) }
    }

    #[test]
    fn so_many_calls_there_are() {
        assert_eq!((serial(NUMBER), f64::from(calls(NUMBER))), (RESULT, CALLS));
    }
}
