//! The stalls of one situation on one runtime, in a process of their own.

use std::io::stdout;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::situation::Situation;
use super::stall::{self, LIMIT};
use super::{RESTED, WAITED, millis};
use crate::Failure;
use crate::child::end_after;
use crate::harness::{Arguments, Job, Series, Words, collect};
use crate::metric::Measurement;
use crate::runtimes::{SUBJECT, Tokio, Wsrt};

/// The option that asks the program for one of them.
pub(crate) const ROLE: &str = "--waits-of";

/// For each stall: a process that takes longer on average has hung, since a wait ends at its limit,
/// and the rest and the delay before it are shorter on average.
const TIME_LIMIT: Duration = Duration::from_millis(2 * LIMIT.as_millis() as u64);
/// For a process of few stalls, where a rest of more than a second weighs on the average.
const LEAST_TIME_LIMIT: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) runtime: String,
    pub(super) situation: Situation,
    pub(super) stalls: usize,
    pub(super) seed: usize,
}

impl Request {
    /// Writes the command line that [`take`](Self::take) reads.
    fn words(&self) -> Words {
        let words = Words::begin(ROLE, &[&self.runtime, &self.situation.to_string()]);
        words.option("--stalls", self.stalls).option("--seed", self.seed)
    }

    fn take(runtime: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        let stalls = arguments.positive("--stalls")?.ok_or_else(|| format!("{ROLE} needs --stalls"))?;
        let seed = arguments.number("--seed")?.unwrap_or(super::options::USUAL_SEED);
        let situation = arguments.free().ok_or_else(|| format!("{ROLE} RUNTIME needs a situation after it"))?;
        if ![SUBJECT, super::RIVAL].contains(&runtime.as_str()) {
            return Err(format!("{ROLE} {runtime}: no such runtime").into());
        }
        Ok(Self { runtime, situation: Situation::find(&situation)?, stalls, seed })
    }

    /// Starts `program` with this request, and returns the rest and the wait of each stall.
    pub(super) fn measure(&self, program: &Path) -> Result<Vec<Measurement>, Failure> {
        let series = collect(Command::new(program).args(self.words().into_vec()))?;
        let (rests, waits) = (series.of(RESTED.key()), series.of(WAITED.key()));
        if waits.len() != self.stalls || rests.len() != self.stalls {
            return Err(format!("{} waits of {} stalls", waits.len(), self.stalls).into());
        }
        Ok(rests.iter().zip(waits).flat_map(|(&rest, &wait)| [RESTED.of(rest), WAITED.of(wait)]).collect())
    }
}

/// Reads the options of a process that measures.
pub(crate) fn role(runtime: String, arguments: &mut Arguments) -> Result<Job, Failure> {
    let request = Request::take(runtime, arguments)?;
    Ok(Box::new(move || serve(&request)))
}

fn serve(request: &Request) -> Result<(), Failure> {
    let Request { situation, stalls, seed, .. } = *request;
    let limit = LEAST_TIME_LIMIT + TIME_LIMIT * u32::try_from(stalls)?;
    end_after(limit, format!("stalls: {situation} on {}", request.runtime));
    let measure = if request.runtime == SUBJECT { stall::measure::<Wsrt> } else { stall::measure::<Tokio> };
    let all = measure(situation, stalls, seed as u64)?;
    let mut series = Series::default();
    series.add(RESTED.key(), all.iter().map(|stall| millis(stall.rest)));
    series.add(WAITED.key(), all.iter().map(|stall| millis(stall.wait)));
    Ok(series.write(&mut stdout().lock())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_understands_the_words_of_the_parent() {
        for situation in super::super::situation::all() {
            let request = Request { runtime: "tokio".to_owned(), situation, stalls: 5, seed: 0 };
            assert_eq!(request.words().read(Request::take), request);
        }
    }
}
