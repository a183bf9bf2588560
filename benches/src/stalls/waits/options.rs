//! The command line of `stalls --waits`.

use super::situation::{self, Situation};
use super::stall::LIMIT;
use crate::Failure;
use crate::harness::{Arguments, Settings};

const USUAL_STALLS: usize = 10_000;
/// Enough for a runtime on which a wait lasts as long as the stall.
const USUAL_RIVAL_STALLS: usize = 500;
pub(super) const USUAL_SEED: usize = 1;
/// One process measures thousands of stalls: their spread is in the table.
const USUAL_REPEATS: usize = 1;

/// The extent of the measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) settings: Settings,
    pub(super) situations: Vec<Situation>,
    /// In each situation, on wsrt.
    pub(super) stalls: usize,
    /// The same on tokio; none if zero.
    pub(super) rival_stalls: usize,
    pub(super) seed: usize,
}

impl Options {
    /// Takes what stands behind `--waits`.
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let stalls = arguments.positive("--stalls")?.unwrap_or(USUAL_STALLS);
        let only = arguments.list("--only", |word| chosen(&[word.to_owned()]))?;
        Ok(Self {
            settings: Settings::take(arguments, crate::stalls::PROGRAM.name, USUAL_REPEATS)?,
            situations: chosen(&only.unwrap_or_else(|| vec![String::new()]))?,
            stalls,
            rival_stalls: arguments.number("--tokio-stalls")?.unwrap_or(USUAL_RIVAL_STALLS.min(stalls)),
            seed: arguments.number("--seed")?.unwrap_or(USUAL_SEED),
        })
    }
}

/// Returns the situations whose names contain one of `words`.
fn chosen(words: &[String]) -> Result<Vec<Situation>, Failure> {
    let is_chosen = |situation: &Situation| words.iter().any(|word| situation.to_string().contains(word));
    match situation::all().filter(is_chosen).collect::<Vec<_>>() {
        none if none.is_empty() => Err(format!("--only {}: in none of {}", words.join(","), situation::names()).into()),
        situations => Ok(situations),
    }
}

/// Returns the part of `--help` on `--waits`.
pub(crate) fn help() -> String {
    let situations: String = situation::all().map(|situation| format!("  {situation}\n")).collect();
    format!(
        "\
With --waits, how long things wait that become ready behind a stuck poll, over many stalls at random moments. A situation
is KIND/THING/WORKERS: the poll sleeps or computes; what waits is a task that the poll itself has woken (runnext), a task
woken from outside the runtime, a timer or a socket; the workers are one or two. A stall ends when its thing has run, or
after a wait of {LIMIT:?}, which counts as such. Between stalls the runtime rests: for 0.1 to 30 ms, and now and then longer,
up to 1.5 s. A situation takes minutes. tokio, which has timers of whole milliseconds, is measured with two workers.

  cargo run --release -p wsrt-benches --bin stalls -- --waits [OPTIONS]

  --stalls N           stalls of each situation ({USUAL_STALLS})
  --tokio-stalls N     the same on tokio, none if 0 ({USUAL_RIVAL_STALLS}, or as many as --stalls if these are fewer)
  --only WORD,…        the situations whose names contain one of the words: runnext, computes/timer/1, …
  --seed N             decides rests, and the moments in a stall when things become ready ({USUAL_SEED})
  --repeats N          processes for each situation and runtime ({USUAL_REPEATS})
{}
The samples hold the rest before each stall and the wait behind it, in milliseconds, in pairs. One situation in this
process:

  stalls --waits-of RUNTIME SITUATION --stalls N [--seed N]

Situations:
{situations}",
        Settings::HELP
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(line: &str) -> Result<Options, Failure> {
        Options::take(&mut Arguments::of(line))
    }

    #[test]
    fn without_options_every_situation_has_ten_thousand_stalls() {
        let options = take("").unwrap();
        assert_eq!((options.stalls, options.rival_stalls), (10_000, 500));
        assert_eq!(options.situations, situation::all().collect::<Vec<_>>());
    }

    #[test]
    fn tokio_gets_no_more_stalls_unless_asked() {
        let stalls = |line| take(line).unwrap().rival_stalls;
        assert_eq!(stalls("--stalls 200"), 200);
        assert_eq!(stalls("--stalls 200 --tokio-stalls 300"), 300);
        assert_eq!(stalls("--tokio-stalls 0"), 0);
    }

    #[test]
    fn a_word_chooses_one_situation_or_several() {
        let chosen = |line| take(line).unwrap().situations.iter().map(Situation::to_string).collect::<Vec<_>>();
        assert_eq!(chosen("--only sleeps/timer/2"), ["sleeps/timer/2"]);
        assert_eq!(
            chosen("--only computes/socket,sleeps/outside/1"),
            ["sleeps/outside/1", "computes/socket/1", "computes/socket/2"]
        );
    }

    #[test]
    fn a_bad_argument_is_named() {
        crate::stalls::PROGRAM.assert_refuses(&[
            ("--waits --stalls 0", "--stalls"),
            ("--waits --only timer,nothing", "nothing"),
            ("--waits --seed soon", "soon"),
            ("--waits ticker", "ticker"),
            ("--waits-of wsrt", "--waits-of"),
            ("--waits-of wsrt sleeps/timer/2", "--stalls"),
            ("--waits-of wsrt timer --stalls 1", "timer"),
            ("--waits-of smol sleeps/timer/2 --stalls 1", "smol"),
            ("--stalls 1", "--stalls"),
        ]);
    }

    #[test]
    fn the_help_names_every_situation() {
        let help = help();
        for situation in situation::all() {
            assert!(help.contains(&situation.to_string()), "{situation}");
        }
    }
}
