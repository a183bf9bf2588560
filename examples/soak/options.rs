//! The arguments, and the variables that stand for them.

use std::env;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use lexopt::prelude::*;

use crate::plant::Plant;

/// The options; in capitals and behind `SOAK_`, the variables.
const NAMES: [&str; 6] = ["seconds", "share", "limit", "plant", "only", "sites"];

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
    /// Reads the arguments, and before them the variables that stand for them.
    ///
    /// # Errors
    ///
    /// Returns a sentence that names the wrong argument.
    pub(crate) fn read() -> Result<Self, String> {
        let minute = Duration::from_secs(60);
        let mut options = Self { duration: minute, share: None, limit: minute, plant: None, only: None, sites: false };
        for name in NAMES {
            if let Ok(value) = env::var(format!("SOAK_{}", name.to_uppercase())) {
                options.set(name, &value)?;
            }
        }
        options.read_words().map_err(|error| format!("{error}; the options are --{}", NAMES.join(", --")))?;
        Ok(options)
    }

    fn read_words(&mut self) -> Result<(), lexopt::Error> {
        let mut words = lexopt::Parser::from_env();
        while let Some(word) = words.next()? {
            let Some(name) = NAMES.into_iter().find(|&name| word == Long(name)) else {
                return Err(word.unexpected());
            };
            self.set(name, &words.value()?.string()?)?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "seconds" => self.duration = Duration::from_secs(parsed(name, value)?),
            "share" => self.share = Some(parsed(name, value)?),
            "limit" => self.limit = Duration::from_secs(parsed(name, value)?),
            "plant" => self.plant = Some(parsed(name, value)?),
            "only" => self.only = Some(value.to_owned()),
            _ => self.sites = parsed(name, value)?,
        }
        match self.share {
            Some(share) if !(0.01..=1000.0).contains(&share) => {
                Err(format!("`--share {value}`: a number of cores, 0.01 or more"))
            }
            _ => Ok(()),
        }
    }
}

fn parsed<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|error| format!("`--{name} {value}`: {error}"))
}
