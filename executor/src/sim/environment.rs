//! The environment variables that simulations read.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use wsrt_world::FaultPlan;

use crate::scheduler::simulation::Settings;
use crate::util::report::report;

const SIM_SEED: &str = "WSRT_SIM_SEED";
const SIM_SEEDS: &str = "WSRT_SIM_SEEDS";
const SIM_PLAN: &str = "WSRT_SIM_PLAN";
const SIM_REPORT: &str = "WSRT_SIM_REPORT";

/// Returns the settings with the seed and plan of the environment, if there are any.
pub(super) fn replace_settings(settings: Settings) -> io::Result<Settings> {
    let seed = simulated_seed()?.unwrap_or(settings.seed);
    Ok(Settings { seed, plan: simulated_plan()?.or(settings.plan), ..settings })
}

/// Returns the seed that the environment has for simulations, if it has one.
pub(super) fn simulated_seed() -> io::Result<Option<u64>> {
    let Some(value) = env::var_os(SIM_SEED) else { return Ok(None) };
    let seed = value.to_str().and_then(|text| text.trim().parse().ok()).ok_or_else(|| {
        invalid(format!("{SIM_SEED}={} is not a seed: it has to be a whole number", value.to_string_lossy()))
    })?;
    Ok(Some(seed))
}

/// Returns the seeds that the environment has for tests over many, if it has some.
pub(super) fn simulated_seeds() -> io::Result<Option<Range<u64>>> {
    let Some(value) = env::var_os(SIM_SEEDS) else { return Ok(None) };
    parse_range(&value).map(Some).ok_or_else(|| {
        let value = value.to_string_lossy();
        invalid(format!("{SIM_SEEDS}={value} is no range of seeds, such as 0..1000, the second above the first"))
    })
}

fn parse_range(value: &OsStr) -> Option<Range<u64>> {
    let (start, end) = value.to_str()?.split_once("..")?;
    let range = start.trim().parse().ok()?..end.trim().parse().ok()?;
    (range.start < range.end).then_some(range)
}

/// Returns the faults that the environment has for simulations, if it has them. They are read once
/// in the process.
fn simulated_plan() -> io::Result<Option<&'static FaultPlan>> {
    static PLAN: OnceLock<Result<Option<FaultPlan>, String>> = OnceLock::new();
    let plan = PLAN.get_or_init(|| match env::var_os(SIM_PLAN).filter(|value| !value.is_empty()) {
        Some(value) => read_plan(&value).map(Some),
        None => Ok(None),
    });
    plan.as_ref().map(Option::as_ref).map_err(|message| invalid(message.clone()))
}

fn read_plan(value: &OsStr) -> Result<FaultPlan, String> {
    let text = value.to_str().ok_or_else(|| format!("{SIM_PLAN} is no UTF-8"))?;
    let Some(file) = text.strip_prefix('@') else {
        return text.parse().map_err(|error| format!("{SIM_PLAN}: {error}"));
    };
    let text = fs::read_to_string(file).map_err(|error| format!("{SIM_PLAN}={text}: cannot read `{file}`: {error}"))?;
    text.parse().map_err(|error| format!("{SIM_PLAN}: `{file}`: {error}"))
}

/// Returns the file in which `wsrt-sim` wants to be told of failures, if it runs this program.
pub(super) fn simulated_report() -> Option<PathBuf> {
    env::var_os(SIM_REPORT).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Writes lines to that file, if there is one, in one piece.
pub(super) fn tell_runner(lines: &str) {
    let Some(path) = simulated_report() else { return };
    let file = OpenOptions::new().create(true).append(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(format!("{lines}\n").as_bytes())) {
        report(format_args!("{SIM_REPORT}={}: cannot write to it: {error}", path.display()));
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_its_second_number_above_the_first() {
        assert_eq!(parse_range(OsStr::new("3..10")), Some(3..10));
        assert_eq!(parse_range(OsStr::new(" 0 .. 1 ")), Some(0..1));
        for nonsense in ["", "3", "3..3", "4..3", "..3", "3..", "a..b", "1..2..3", "-1..3"] {
            assert_eq!(parse_range(OsStr::new(nonsense)), None, "{nonsense}");
        }
    }

    #[test]
    fn a_plan_that_is_none_names_variable_and_file() {
        let error = |value: &str| read_plan(OsStr::new(value)).expect_err("it is none");
        assert!(error("at noon").starts_with("WSRT_SIM_PLAN: line 1 of the plan, `at noon`: "), "{}", error("at noon"));
        let missing = error("@no such file");
        assert!(missing.starts_with("WSRT_SIM_PLAN=@no such file: cannot read `no such file`: "), "{missing}");
        assert_eq!(read_plan(OsStr::new("nothing")), Ok(FaultPlan::default()));
    }
}
