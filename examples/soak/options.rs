//! The arguments, and the variables that stand for them.

use std::env;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use crate::plant::Plant;

pub(crate) struct Options {
    pub(crate) duration: Duration,
    /// Of one core; `None` is as much as there is.
    pub(crate) share: Option<f64>,
    /// How long a phase may take beyond its own length.
    pub(crate) limit: Duration,
    pub(crate) plant: Option<Plant>,
    /// The names of loads, with commas between them; `None` is all.
    pub(crate) only: Option<String>,
    /// Whether to report where memory was allocated.
    pub(crate) sites: bool,
}

impl Options {
    /// Reads the arguments, and the variable for each that is missing.
    ///
    /// # Errors
    ///
    /// Returns a sentence that names the wrong argument.
    pub(crate) fn read() -> Result<Self, String> {
        let arguments: Vec<String> = env::args().skip(1).collect();
        let known = ["--seconds", "--share", "--limit", "--plant", "--only", "--sites"];
        if let Some(unknown) = arguments.iter().step_by(2).find(|name| !known.contains(&name.as_str())) {
            return Err(format!("unknown argument `{unknown}`: there are {}", known.join(", ")));
        }
        let seconds = value::<u64>(&arguments, "--seconds", "SOAK_SECONDS")?.unwrap_or(60);
        let share = value::<f64>(&arguments, "--share", "SOAK_SHARE")?;
        if share.is_some_and(|share| !(0.01..=1000.0).contains(&share)) {
            return Err("`--share` is a number of cores, 0.01 or more".into());
        }
        let limit = value::<u64>(&arguments, "--limit", "SOAK_LIMIT")?.unwrap_or(60);
        let plant = value::<Plant>(&arguments, "--plant", "SOAK_PLANT")?;
        let only = value::<String>(&arguments, "--only", "SOAK_ONLY")?;
        let sites = value::<bool>(&arguments, "--sites", "SOAK_SITES")?.unwrap_or(false);
        let (duration, limit) = (Duration::from_secs(seconds), Duration::from_secs(limit));
        Ok(Self { duration, share, limit, plant, only, sites })
    }
}

/// The value of an argument, or else of its variable.
fn value<T: FromStr<Err: Display>>(arguments: &[String], name: &str, variable: &str) -> Result<Option<T>, String> {
    let text = match arguments.iter().step_by(2).position(|argument| argument == name) {
        Some(index) => Some(arguments.get(2 * index + 1).ok_or(format!("`{name}` needs a value"))?.clone()),
        None => env::var(variable).ok(),
    };
    let Some(text) = text else { return Ok(None) };
    text.parse().map(Some).map_err(|error| format!("`{name} {text}`: {error}"))
}
