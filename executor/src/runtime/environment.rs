//! Reads and checks the environment variables.

use std::ffi::OsString;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Once;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use std::{env, fmt, io};

use wsrt_stack::HIGHEST_FREQUENCY;
use wsrt_sync::drop_in;

use crate::observe::timeline::{TraceSettings, numbered};
use crate::runtime::{FlightRecorder, TraceDirectory, schedtrace};
#[cfg(all(unix, feature = "signal"))]
use crate::signal::unix::SignalKind;
use crate::util::report::report;

const WORKER_THREADS: &str = "WSRT_WORKER_THREADS";
/// Counts where wsrt stands in tokio's place, and the other is not there.
const WORKER_THREADS_OF_TOKIO: &str = "TOKIO_WORKER_THREADS";
const SCHEDTRACE: &str = "WSRT_SCHEDTRACE";
const STALL_MS: &str = "WSRT_STALL_MS";
const TASK_STATS: &str = "WSRT_TASK_STATS";
const DUMP_SIGNAL: &str = "WSRT_DUMP_SIGNAL";
const TRACE: &str = "WSRT_TRACE";
const MAX_MACHINES: &str = "WSRT_MAX_MACHINES";
const LATENCY_HISTOGRAMS: &str = "WSRT_LATENCY_HISTOGRAMS";
const SITE_POLLS: &str = "WSRT_SITE_POLLS";
const NAME_POLLS: &str = "WSRT_NAME_POLLS";
const TRACE_DIRECTORY: &str = "WSRT_TRACE_DIR";
const FLIGHT: &str = "WSRT_FLIGHT";

/// People notice a tenth of a second, and it is a hundred times as long as a poll should take.
const STALL_THRESHOLD: Duration = Duration::from_millis(100);

/// Returns the number of processors of the environment, if it has one, for a builder that has none.
pub(crate) fn worker_threads() -> io::Result<Option<usize>> {
    match count(WORKER_THREADS, "a number of processors, such as 4")? {
        None if drop_in::IS_ON => count(WORKER_THREADS_OF_TOKIO, "a number of processors, such as 4"),
        count => Ok(count),
    }
}

/// Returns the limit of threads of the environment, if it has one, for a builder that has none.
pub(crate) fn max_machines() -> io::Result<Option<usize>> {
    count(MAX_MACHINES, "a number of threads, such as 512")
}

fn count(name: &str, wanted: &str) -> io::Result<Option<usize>> {
    let Some(value) = env::var_os(name) else { return Ok(None) };
    let refuse = |message| io::Error::new(io::ErrorKind::InvalidInput, message);
    parse_positive(name, wanted, &value).map(Some).map_err(refuse)
}

/// Reports an invalid value, once in the process: a switch for observation must not keep a program
/// from running.
fn report_once(reported: &Once, message: fmt::Arguments<'_>) {
    reported.call_once(|| report(message));
}

/// Returns what `parse` makes of a variable that is set and not empty. An error is reported once,
/// with what is done `otherwise`.
fn if_valid<T>(
    name: &str,
    reported: &Once,
    otherwise: &str,
    parse: impl FnOnce(&OsString) -> Result<T, String>,
) -> Option<T> {
    let value = env::var_os(name).filter(|value| !value.is_empty())?;
    let ignore = |message| report_once(reported, format_args!("{message}; {otherwise}"));
    parse(&value).map_err(ignore).ok()
}

/// Returns whether and how to print a trace. An invalid value is reported once, and ignored.
pub(crate) fn schedtrace() -> Option<schedtrace::SchedtraceSettings> {
    static REPORTED: Once = Once::new();
    let ignore = |message| report_once(&REPORTED, format_args!("{message}; no trace is printed"));
    parse_schedtrace(&env::var_os(SCHEDTRACE)?).map_err(ignore).ok()
}

/// Parses a period, and after a comma, optionally, the word `detail`.
fn parse_schedtrace(value: &OsString) -> Result<schedtrace::SchedtraceSettings, String> {
    let text = value.to_string_lossy();
    let (period, more) = match text.split_once(',') {
        Some((period, more)) => (OsString::from(period), Some(more.trim())),
        None => (value.clone(), None),
    };
    if let Some(more) = more.filter(|&more| more != "detail") {
        return Err(format!(
            "{SCHEDTRACE}={text} ends with `{more}`: behind the number of milliseconds there may be `,detail`, and nothing else"
        ));
    }
    let millis = parse_positive(SCHEDTRACE, "a number of milliseconds, such as 1000", &period)?;
    Ok(schedtrace::SchedtraceSettings { period: Duration::from_millis(millis as u64), detail: more.is_some() })
}

/// Returns the file that a runtime of this process records its timeline to, if any: the first one
/// to the file that the environment names, the second with `-2` before its extension, and so on. An
/// invalid value is reported once, and ignored.
pub(crate) fn trace() -> Option<TraceSettings> {
    static REPORTED: Once = Once::new();
    static RUNTIMES: AtomicU32 = AtomicU32::new(0);
    let parse = |value: &OsString| parse_trace(value, RUNTIMES.fetch_add(1, Relaxed) + 1);
    if_valid(TRACE, &REPORTED, "no timeline is recorded", parse)
}

/// Parses a path, and after a comma, optionally, how many CPU samples to take in a second.
fn parse_trace(value: &OsString, runtime: u32) -> Result<TraceSettings, String> {
    let text = value.to_string_lossy();
    let Some((path, more)) = text.split_once(',') else {
        return Ok(TraceSettings { path: path_of_runtime(runtime, value.into()), cpu: None });
    };
    let cpu = more.trim().strip_prefix("cpu=").and_then(|count| count.parse().ok());
    match cpu.filter(|count: &NonZeroU32| count.get() <= HIGHEST_FREQUENCY && !path.is_empty()) {
        Some(count) => Ok(TraceSettings { path: path_of_runtime(runtime, path.into()), cpu: Some(count) }),
        None => Err(format!(
            "{TRACE}={text} is neither a path nor a path with the CPU samples to take in a second, 1 to {HIGHEST_FREQUENCY}, \
             such as run.perfetto-trace,cpu=99"
        )),
    }
}

fn path_of_runtime(number: u32, path: PathBuf) -> PathBuf {
    if number == 1 { path } else { numbered(&path, number) }
}

/// Returns the flight recorder of a runtime of this process, if any, with its own path as for
/// [`trace`]. An invalid value is reported once, and ignored.
pub(crate) fn flight_recorder() -> Option<FlightRecorder> {
    static REPORTED: Once = Once::new();
    static RUNTIMES: AtomicU32 = AtomicU32::new(0);
    let parse = |value: &OsString| parse_flight(value, RUNTIMES.fetch_add(1, Relaxed) + 1);
    if_valid(FLIGHT, &REPORTED, "no flight is recorded", parse)
}

fn parse_flight(value: &OsString, runtime: u32) -> Result<FlightRecorder, String> {
    let example = "a path, or a path with limits, such as flight.perfetto-trace,10s,64M";
    let (path, limits) = parse_path(FLIGHT, example, value)?;
    let recorder = FlightRecorder::new(path_of_runtime(runtime, path));
    Ok(limits.into_iter().fold(recorder, |recorder, limit| match limit {
        Limit::Time(time) => recorder.keep(time),
        Limit::Bytes(bytes) => recorder.max_bytes(bytes),
    }))
}

/// Returns the directory for the timelines of this process's runtimes, if any. An invalid value is
/// reported once, and ignored.
pub(crate) fn trace_directory() -> Option<TraceDirectory> {
    static REPORTED: Once = Once::new();
    if_valid(TRACE_DIRECTORY, &REPORTED, "no timeline is recorded there", parse_trace_directory)
}

fn parse_trace_directory(value: &OsString) -> Result<TraceDirectory, String> {
    let example = "a directory, or a directory with limits, such as traces,60s,1G";
    let (path, limits) = parse_path(TRACE_DIRECTORY, example, value)?;
    Ok(limits.into_iter().fold(TraceDirectory::new(path), |directory, limit| match limit {
        Limit::Time(time) => directory.segment(time),
        Limit::Bytes(bytes) => directory.max_bytes(bytes as u64),
    }))
}

/// A limit after a path.
enum Limit {
    Time(Duration),
    Bytes(usize),
}

/// Parses a path, and the limits that may follow, in any order: `10s`, and `64M` or `1G`, which are
/// powers of 1024.
fn parse_path(name: &str, example: &str, value: &OsString) -> Result<(PathBuf, Vec<Limit>), String> {
    let text = value.to_string_lossy();
    let invalid = || format!("{name}={text} is not {example}");
    let Some((path, limits)) = text.split_once(',') else { return Ok((PathBuf::from(value), Vec::new())) };
    if path.is_empty() {
        return Err(invalid());
    }
    let limits =
        limits.split(',').map(|limit| parse_limit(limit.trim()).ok_or_else(invalid)).collect::<Result<_, _>>()?;
    Ok((PathBuf::from(path), limits))
}

fn parse_limit(text: &str) -> Option<Limit> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number = digits.parse::<NonZeroUsize>().ok()?.get();
    match &text[digits.len()..] {
        "s" => Some(Limit::Time(Duration::from_secs(number as u64))),
        "M" | "MiB" => number.checked_mul(1 << 20).map(Limit::Bytes),
        "G" | "GiB" => number.checked_mul(1 << 30).map(Limit::Bytes),
        _ => None,
    }
}

/// Returns how long a poll may hold its processor before that is reported: 100 ms, or as long as
/// the environment says; 0 turns reports off. An invalid value is reported once, and the default is
/// used.
pub(crate) fn stall_threshold() -> Option<Duration> {
    static REPORTED: Once = Once::new();
    let Some(value) = env::var_os(STALL_MS) else { return Some(STALL_THRESHOLD) };
    if value == "0" {
        return None;
    }
    let millis = parse_positive(STALL_MS, "a number of milliseconds, such as 100 (or 0 for no reports)", &value);
    let ignore = |message| report_once(&REPORTED, format_args!("{message}; stalls are reported after 100 ms"));
    Some(millis.map_err(ignore).map_or(STALL_THRESHOLD, |millis| Duration::from_millis(millis as u64)))
}

/// Returns whether statistics of tasks are kept if the builder does not say. An invalid value is
/// reported once, and none are.
pub(crate) fn task_stats() -> bool {
    static REPORTED: Once = Once::new();
    is_on(TASK_STATS, &REPORTED, "no statistics of tasks are kept")
}

/// Returns whether latencies are sampled if the builder does not say. An invalid value is reported
/// once, and none are.
pub(crate) fn latency_histograms() -> bool {
    static REPORTED: Once = Once::new();
    is_on(LATENCY_HISTOGRAMS, &REPORTED, "no latencies are sampled")
}

/// Returns whether the polls of each spawn site are measured if the builder does not say. An
/// invalid value is reported once, and none are.
pub(crate) fn site_polls() -> bool {
    static REPORTED: Once = Once::new();
    is_on(SITE_POLLS, &REPORTED, "no polls of spawn sites are measured")
}

/// Returns whether the polls of each task name are measured if the builder does not say. An invalid
/// value is reported once, and none are.
pub(crate) fn name_polls() -> bool {
    static REPORTED: Once = Once::new();
    is_on(NAME_POLLS, &REPORTED, "no polls of task names are measured")
}

fn is_on(name: &str, reported: &Once, otherwise: &str) -> bool {
    let Some(value) = env::var_os(name) else { return false };
    if value != "1" && value != "0" {
        let value = value.to_string_lossy();
        // In place: a variable of it could not be used before Rust 1.89.
        report_once(reported, format_args!("{name}={value} is neither 1 nor 0; {otherwise}"));
    }
    value == "1"
}

/// Returns the signal on which to write dumps if the builder has none, and whether with await
/// chains. An invalid value is reported once, and ignored.
#[cfg(all(unix, feature = "signal"))]
pub(crate) fn dump_signal() -> Option<(SignalKind, bool)> {
    let value = env::var_os(DUMP_SIGNAL)?;
    let value = value.to_string_lossy();
    let (name, with_chains) = value.strip_suffix(",chains").map_or((&*value, false), |name| (name, true));
    let kind = SignalKind::from_name(name);
    if kind.is_none() {
        ignore_dump_signal(format_args!("{DUMP_SIGNAL}={value} is not the name of a signal, such as SIGUSR2"));
    }
    Some((kind?, with_chains))
}

/// Reports once that no dumps will be written, and why.
pub(crate) fn ignore_dump_signal(why: fmt::Arguments<'_>) {
    static REPORTED: Once = Once::new();
    report_once(&REPORTED, format_args!("{why}; no dumps are written"));
}

/// Reports once that no dumps will be written, where signals are not supported.
#[cfg(not(all(unix, feature = "signal")))]
pub(crate) fn refuse_dump_signal() {
    if env::var_os(DUMP_SIGNAL).is_some() {
        ignore_dump_signal(format_args!("{DUMP_SIGNAL} needs Unix and wsrt's feature `signal`"));
    }
}

fn parse_positive(name: &str, wanted: &str, value: &OsString) -> Result<usize, String> {
    let parsed = value.to_str().and_then(|text| text.trim().parse::<NonZeroUsize>().ok());
    parsed.map(NonZeroUsize::get).ok_or_else(|| {
        format!("{name}={} is not {wanted}: it has to be a whole number above zero", value.to_string_lossy())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_a_period_and_may_have_detail() {
        let parse = |text: &str| parse_schedtrace(&OsString::from(text));
        let settings =
            |millis, detail| schedtrace::SchedtraceSettings { period: Duration::from_millis(millis), detail };
        assert_eq!(parse("1000"), Ok(settings(1_000, false)));
        assert_eq!(parse("50,detail"), Ok(settings(50, true)));
        assert_eq!(parse(" 50 , detail "), Ok(settings(50, true)));
        for nonsense in ["50,", "50,details", "50,detail,detail", "50,100"] {
            let message = parse(nonsense).expect_err(nonsense);
            assert!(message.starts_with(&format!("WSRT_SCHEDTRACE={nonsense} ends with `")), "{message}");
        }
        for nonsense in [",detail", "0,detail", "detail"] {
            let message = parse(nonsense).expect_err(nonsense);
            assert!(message.contains("is not a number of milliseconds, such as 1000"), "{message}");
        }
    }

    #[test]
    fn a_timeline_has_a_path_and_may_have_cpu_samples() {
        let parse = |text: &str, runtime| parse_trace(&OsString::from(text), runtime);
        let settings = |path: &str, cpu| Ok(TraceSettings { path: path.into(), cpu: NonZeroU32::new(cpu) });
        assert_eq!(parse("a b.trace", 1), settings("a b.trace", 0));
        assert_eq!(parse("/tmp/run.trace,cpu=99", 2), settings("/tmp/run-2.trace", 99));
        assert_eq!(parse("run, cpu=1000 ", 1), settings("run", 1_000));
        for nonsense in ["run,", ",cpu=99", "run,cpu", "run,cpu=", "run,cpu=0", "run,cpu=1001", "run,cpu=99,cpu=9"] {
            let message = parse(nonsense, 1).expect_err(nonsense);
            assert!(message.starts_with(&format!("WSRT_TRACE={nonsense} is neither a path")), "{message}");
        }
    }

    #[test]
    fn a_flight_recorder_has_a_path_and_may_have_limits() {
        let parse = |text: &str, runtime| parse_flight(&OsString::from(text), runtime).map(|it| format!("{it:?}"));
        let limits = |path: &str, seconds, mib: usize| {
            let recorder = FlightRecorder::new(path).keep(Duration::from_secs(seconds)).max_bytes(mib << 20);
            Ok(format!("{recorder:?}"))
        };
        assert_eq!(parse("a b.trace", 1), limits("a b.trace", 10, 64));
        assert_eq!(parse("/tmp/flight.trace,30s", 2), limits("/tmp/flight-2.trace", 30, 64));
        assert_eq!(parse("flight, 16MiB ,5s", 1), limits("flight", 5, 16));
        assert_eq!(parse("flight,16M", 1), limits("flight", 10, 16));
        assert_eq!(parse("flight,2G", 1), limits("flight", 10, 2048));
        for nonsense in ["f,", ",10s", "f,0s", "f,10", "f,10s,16", "f,10s,0MiB", "f,1s,99999999999999MiB", "f,1m"] {
            let message = parse(nonsense, 1).expect_err(nonsense);
            assert!(message.starts_with(&format!("WSRT_FLIGHT={nonsense} is not a path")), "{message}");
        }
    }

    #[test]
    fn a_trace_directory_has_a_path_and_may_have_limits() {
        let parse = |text: &str| parse_trace_directory(&OsString::from(text)).map(|it| format!("{it:?}"));
        let limits = |path: &str, seconds, bytes| {
            Ok(format!("{:?}", TraceDirectory::new(path).segment(Duration::from_secs(seconds)).max_bytes(bytes)))
        };
        assert_eq!(parse("/var/traces"), limits("/var/traces", 60, 1 << 30));
        assert_eq!(parse("traces,10G,5s"), limits("traces", 5, 10 << 30));
        for nonsense in ["d,", ",1G", "d,1", "d,1T", "d,-1s", "d,1G,0s"] {
            let message = parse(nonsense).expect_err(nonsense);
            assert!(message.starts_with(&format!("WSRT_TRACE_DIR={nonsense} is not a directory")), "{message}");
        }
    }

    #[test]
    fn only_whole_numbers_above_zero_are_taken() {
        let parse = |text: &str| parse_positive("NAME", "a number", &OsString::from(text));
        assert_eq!(parse("8"), Ok(8));
        assert_eq!(parse(" 12 "), Ok(12));
        for nonsense in ["0", "-1", "abc", "", "1.5", "4 cores", "99999999999999999999999"] {
            let message = parse(nonsense).expect_err(nonsense);
            assert!(message.starts_with(&format!("NAME={nonsense} is not a number")), "{message}");
        }
    }

    #[test]
    fn any_value_is_taken_or_refused_by_name() {
        let corpus = wsrt_fuzz::corpus("environment", &[",", "detail", "SIG", " "]);
        wsrt_fuzz::check(&corpus, 20_000, |bytes| {
            let value = OsString::from(String::from_utf8_lossy(bytes).into_owned());
            match parse_positive("NAME", "a number", &value) {
                Ok(number) => assert!(number > 0),
                Err(message) => assert!(message.starts_with("NAME="), "{message}"),
            }
            if let Err(message) = parse_trace(&value, 1) {
                assert!(message.starts_with("WSRT_TRACE="), "{message}");
            }
            if let Err(message) = parse_flight(&value, 1) {
                assert!(message.starts_with("WSRT_FLIGHT="), "{message}");
            }
            if let Err(message) = parse_trace_directory(&value) {
                assert!(message.starts_with("WSRT_TRACE_DIR="), "{message}");
            }
            match parse_schedtrace(&value) {
                Ok(settings) => assert!(!settings.period.is_zero()),
                Err(message) => assert!(message.starts_with("WSRT_SCHEDTRACE="), "{message}"),
            }
            #[cfg(all(unix, feature = "signal"))]
            if let Some(kind) = value.to_str().and_then(SignalKind::from_name) {
                assert_eq!(SignalKind::from_name(&kind.to_string()), Some(kind));
            }
        });
    }
}
