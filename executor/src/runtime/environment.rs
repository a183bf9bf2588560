//! The environment variables, read and judged in one place.

use std::env;
use std::ffi::OsString;
#[cfg(all(unix, feature = "signal"))]
use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Once;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::runtime::schedtrace::Settings;
#[cfg(all(unix, feature = "signal"))]
use crate::signal::unix::SignalKind;
use crate::util::numbered_path::numbered;
use crate::util::report::report;

const WORKER_THREADS: &str = "WSRT_WORKER_THREADS";
const SCHEDTRACE: &str = "WSRT_SCHEDTRACE";
const STALL_MS: &str = "WSRT_STALL_MS";
const TASK_STATS: &str = "WSRT_TASK_STATS";
const DUMP_SIGNAL: &str = "WSRT_DUMP_SIGNAL";
const TRACE: &str = "WSRT_TRACE";

/// A tenth of a second is what people notice, and a hundred times what a poll should take.
const STALL_THRESHOLD: Duration = Duration::from_millis(100);

/// The number of processors where the builder does not say: what the environment asks for, or as
/// many as the process may use by its affinity and its control group's quota.
pub(crate) fn worker_threads() -> io::Result<usize> {
    match env::var_os(WORKER_THREADS) {
        Some(value) => parse_positive(WORKER_THREADS, "a number of processors, such as 4", &value)
            .map_err(|message| io::Error::new(io::ErrorKind::InvalidInput, message)),
        None => Ok(available_parallelism().map_or(1, NonZeroUsize::get)),
    }
}

/// Whether and how to print a trace. A value that makes no sense is reported once, and ignored:
/// tracing is for looking on, and must not keep a program from running.
pub(crate) fn schedtrace() -> Option<Settings> {
    let value = env::var_os(SCHEDTRACE)?;
    match parse_schedtrace(&value) {
        Ok(settings) => Some(settings),
        Err(message) => {
            static REPORTED: Once = Once::new();
            REPORTED.call_once(|| report(format_args!("{message}; no trace is printed")));
            None
        }
    }
}

/// A period, and behind a comma, if it is wanted, the word `detail`.
fn parse_schedtrace(value: &OsString) -> Result<Settings, String> {
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
    Ok(Settings { period: Duration::from_millis(millis as u64), detail: more.is_some() })
}

/// The file that a runtime of this process is to record its timeline to, if any: the first one to
/// what the environment says, the second to the same with `-2` before its extension, and so on.
pub(crate) fn trace() -> Option<PathBuf> {
    static RUNTIMES: AtomicU32 = AtomicU32::new(0);
    let path = PathBuf::from(env::var_os(TRACE).filter(|path| !path.is_empty())?);
    let number = RUNTIMES.fetch_add(1, Relaxed) + 1;
    Some(if number == 1 { path } else { numbered(&path, number) })
}

/// How long a poll may hold its processor before that is reported: 100 ms, or what the environment
/// says; 0 turns reports off. Nonsense is reported once, and the default stands.
pub(crate) fn stall_threshold() -> Option<Duration> {
    let Some(value) = env::var_os(STALL_MS) else {
        return Some(STALL_THRESHOLD);
    };
    if value == "0" {
        return None;
    }
    match parse_positive(STALL_MS, "a number of milliseconds, such as 100 (or 0 for no reports)", &value) {
        Ok(millis) => Some(Duration::from_millis(millis as u64)),
        Err(message) => {
            static REPORTED: Once = Once::new();
            REPORTED.call_once(|| report(format_args!("{message}; stalls are reported after 100 ms")));
            Some(STALL_THRESHOLD)
        }
    }
}

/// Whether books are kept on tasks where the builder does not say. Nonsense is reported once, and
/// none are.
pub(crate) fn task_stats() -> bool {
    let Some(value) = env::var_os(TASK_STATS) else { return false };
    match value.to_str() {
        Some("1") => true,
        Some("0") => false,
        _ => {
            static REPORTED: Once = Once::new();
            REPORTED.call_once(|| {
                let value = value.to_string_lossy();
                report(format_args!("{TASK_STATS}={value} is neither 1 nor 0; no statistics of tasks are kept"));
            });
            false
        }
    }
}

/// The signal on which to write dumps where the builder does not say, if any. One that makes no
/// sense is reported once, and ignored.
#[cfg(all(unix, feature = "signal"))]
pub(crate) fn dump_signal() -> Option<SignalKind> {
    let value = env::var_os(DUMP_SIGNAL)?;
    let kind = value.to_str().and_then(SignalKind::from_name);
    if kind.is_none() {
        let value = value.to_string_lossy();
        ignore_dump_signal(format_args!("{DUMP_SIGNAL}={value} is not the name of a signal, such as SIGUSR2"));
    }
    kind
}

/// Says once that there will be no dumps, and why.
#[cfg(all(unix, feature = "signal"))]
pub(crate) fn ignore_dump_signal(why: fmt::Arguments<'_>) {
    static REPORTED: Once = Once::new();
    REPORTED.call_once(|| report(format_args!("{why}; no dumps are written")));
}

/// Says once that there will be no dumps where signals cannot be listened for.
#[cfg(not(all(unix, feature = "signal")))]
pub(crate) fn refuse_dump_signal() {
    static REPORTED: Once = Once::new();
    if env::var_os(DUMP_SIGNAL).is_some() {
        REPORTED.call_once(|| {
            report(format_args!("{DUMP_SIGNAL} needs Unix and wsrt's feature `signal`; no dumps are written"))
        });
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
        let settings = |millis, detail| Settings { period: Duration::from_millis(millis), detail };
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
    fn only_whole_numbers_above_zero_are_taken() {
        let parse = |text: &str| parse_positive("NAME", "a number", &OsString::from(text));
        assert_eq!(parse("8"), Ok(8));
        assert_eq!(parse(" 12 "), Ok(12));
        for nonsense in ["0", "-1", "abc", "", "1.5", "4 cores", "99999999999999999999999"] {
            let message = parse(nonsense).expect_err(nonsense);
            assert!(message.starts_with(&format!("NAME={nonsense} is not a number")), "{message}");
        }
    }
}
