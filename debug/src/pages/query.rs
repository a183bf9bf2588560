//! The parameters of a page.

use std::num::NonZeroU32;
use std::time::Duration;

use wsrt::runtime::Handle;

/// The length of a recording if the query has none.
const SECONDS: Duration = Duration::from_secs(5);
/// The longest recording.
const MOST_SECONDS: f64 = 60.0;

#[derive(Debug)]
pub(crate) struct Query<'a> {
    pub(crate) seconds: Duration,
    /// The format, if the query names one.
    pub(crate) format: Option<Format>,
    /// Whether each waiting task is polled to learn where it waits.
    pub(crate) with_chains: bool,
    /// How many CPU samples to take in a second of each thread's CPU time.
    pub(crate) cpu: Option<NonZeroU32>,
    /// The id of a runtime.
    pub(crate) runtime: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Text,
}

impl<'a> Query<'a> {
    /// Returns an error that names a parameter or a value that no page has.
    pub(crate) fn parse(query: &'a str) -> Result<Self, String> {
        let mut parsed = Self { seconds: SECONDS, format: None, with_chains: false, cpu: None, runtime: None };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "seconds" => parsed.seconds = parse_seconds(value)?,
                "format" => {
                    parsed.format = match value {
                        "json" => Some(Format::Json),
                        "text" => Some(Format::Text),
                        _ => return Err(format!("format={value} is neither text nor json")),
                    }
                }
                "chains" if value.is_empty() => parsed.with_chains = true,
                "chains" => return Err(format!("chains={value}: `chains` has no value")),
                "cpu" => parsed.cpu = Some(parse_cpu(value)?),
                "runtime" => parsed.runtime = Some(value),
                _ => {
                    return Err(format!(
                        "there is no parameter `{name}`; there are seconds, cpu, format, chains and runtime"
                    ));
                }
            }
        }
        Ok(parsed)
    }
}

fn parse_seconds(value: &str) -> Result<Duration, String> {
    let seconds = value.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && *seconds <= MOST_SECONDS);
    let refused = || format!("seconds={value} is not a number above 0, and {MOST_SECONDS} at most");
    seconds.map(Duration::from_secs_f64).ok_or_else(refused)
}

fn parse_cpu(value: &str) -> Result<NonZeroU32, String> {
    const MOST: u32 = Handle::__HIGHEST_FREQUENCY;
    let samples = value.parse::<NonZeroU32>().ok().filter(|samples| samples.get() <= MOST);
    samples.ok_or_else(|| format!("cpu={value} is not a whole number above 0, and {MOST} at most"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_taken_in_any_order() {
        let query = Query::parse("format=json&seconds=0.25&runtime=2").expect("it is valid");
        let json = Some(Format::Json);
        assert_eq!((query.seconds, query.format, query.runtime), (Duration::from_millis(250), json, Some("2")));
        assert!(Query::parse("chains&format=json").is_ok_and(|query| query.with_chains && query.format == json));
        let query = Query::parse("").expect("it is valid");
        assert_eq!((query.seconds, query.format, query.runtime), (SECONDS, None, None));
    }

    #[test]
    fn what_no_page_has_is_named() {
        for (query, named) in [
            ("seconds=0", "seconds=0"),
            ("seconds=61", "seconds=61"),
            ("seconds=-1", "seconds=-1"),
            ("seconds=nan", "seconds=nan"),
            ("seconds", "seconds="),
            ("format=xml", "format=xml"),
            ("second=5", "`second`"),
            ("chains=all", "chains=all"),
        ] {
            let refused = Query::parse(query).expect_err(query);
            assert!(refused.contains(named), "{refused}");
        }
    }
}
