//! Reads a plan.

use std::fmt;
use std::str::FromStr;

use super::words::{Word, statements};
use super::{Fault, Plan, What, moment};

/// The statements that there are, for messages.
const FORMS: &str = "`at 1.5s crash HOST for 300ms`, `at 1.5s cut ONE OTHER for 300ms`, `at 1.5s cut FROM -> TO for 300ms`, `at 1.5s \
                     reset ONE OTHER`, `at 1.5s slow ONE OTHER by 20 for 300ms`, `maybe 3 POINT`, and `nothing`";

/// The statement that is none, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanError {
    line: usize,
    statement: String,
    why: String,
}

impl PlanError {
    pub(super) fn new(line: usize, statement: &str, why: impl Into<String>) -> Self {
        Self { line, statement: statement.trim().to_owned(), why: why.into() }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the plan, `{}`: {}", self.line, self.statement, self.why)
    }
}

impl FromStr for Plan {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let mut plan = Self::default();
        for statement in statements(text)? {
            let mut words = Words(&statement.words);
            let parsed = words.add_to(&mut plan).and_then(|()| words.end());
            parsed.map_err(|why| PlanError::new(statement.line, &statement.to_string(), why))?;
        }
        plan.faults.sort_by_key(|fault| fault.at);
        Ok(plan)
    }
}

/// Those of a statement that were not read yet.
struct Words<'a>(&'a [Word]);

impl Words<'_> {
    fn next(&mut self) -> Option<&Word> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// Takes this word, if it comes next.
    fn take(&mut self, word: &str) -> bool {
        let is_next = matches!(self.0.first(), Some(Word::Bare(next)) if next == word);
        self.0 = &self.0[usize::from(is_next)..];
        is_next
    }

    fn end(&self) -> Result<(), String> {
        match self.0.first() {
            Some(word) => Err(format!("`{word}` is one word too many: there are {FORMS}")),
            None => Ok(()),
        }
    }

    fn add_to(&mut self, plan: &mut Plan) -> Result<(), String> {
        if self.take("at") {
            plan.faults.push(self.fault()?);
        } else if self.take("maybe") {
            let call = self.number("the number of a call, from 1")?;
            plan.points.push((self.name("a point")?, call));
        } else if !self.take("nothing") {
            let first = self.0.first().map(Word::to_string).unwrap_or_default();
            return Err(format!("`{first}` begins no statement: there are {FORMS}"));
        }
        Ok(())
    }

    fn fault(&mut self) -> Result<Fault, String> {
        let at = self.time()?;
        let what = match self.next() {
            Some(Word::Bare(kind)) => match kind.as_str() {
                "crash" => What::Crash(self.name("a host")?),
                "cut" => {
                    let one = self.name("a host")?;
                    let kind = if self.take("->") { What::CutOneWay } else { What::Cut };
                    kind(one, self.name("a second host")?)
                }
                "reset" => What::Reset(self.name("a host")?, self.name("a second host")?),
                "slow" => What::Slow(self.name("a host")?, self.name("a second host")?, self.factor()?),
                other => return Err(format!("`{other}` is no kind of fault: there are {FORMS}")),
            },
            _ => return Err(format!("it has no kind of fault: there are {FORMS}")),
        };
        let lasting = if !what.is_instant() && self.take("for") { Some(self.time()?) } else { None };
        Ok(Fault { at, what, lasting })
    }

    fn time(&mut self) -> Result<u64, String> {
        let word = self.next().map(Word::to_string).unwrap_or_default();
        moment::parse(&word).ok_or_else(|| format!("`{word}` is no time, such as 1.5s, 300ms, 20us or 15ns"))
    }

    fn name(&mut self, of: &str) -> Result<String, String> {
        match self.next() {
            Some(Word::Quoted(name)) => Ok(name.clone()),
            Some(Word::Bare(name)) if name != "for" && name != "by" && name != "->" => Ok(name.clone()),
            Some(word) => Err(format!("`{word}` stands where {of} has to be named")),
            None => Err(format!("it ends where {of} has to be named")),
        }
    }

    fn number(&mut self, wanted: &str) -> Result<u64, String> {
        let word = self.next().map(Word::to_string).unwrap_or_default();
        let number = word.parse().ok().filter(|&number| number > 0);
        number.ok_or_else(|| format!("`{word}` is not {wanted}"))
    }

    fn factor(&mut self) -> Result<u32, String> {
        let wanted = "a factor, a whole number from 1";
        if !self.take("by") {
            return Err(format!("it has no `by` and {wanted}"));
        }
        let factor = self.number(wanted)?;
        u32::try_from(factor).map_err(|_| format!("`{factor}` is not {wanted} to {}", u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::FastRand;

    fn of(text: &str) -> String {
        text.parse::<Plan>().map_or_else(|error| error.to_string(), |plan| plan.to_string())
    }

    #[test]
    fn statements_stand_on_lines_or_between_semicolons() {
        let text =
            "# a comment\nat 2s cut one two for 1.5s; at 1s crash \"a b\" # the first\n\nmaybe 3 \"slow; commit\";";
        let lines = ["at 1s crash \"a b\"", "at 2s cut one two for 1.5s", "maybe 3 \"slow; commit\""];
        assert_eq!(of(text), lines.join("\n"));
        assert_eq!(of("at 0s cut a -> b;at 5us reset a b;at 1ns slow a b by 20 for 3ms").lines().count(), 3);
        assert_eq!(of("nothing"), "nothing");
        assert_eq!(of(""), "nothing");
    }

    #[test]
    fn a_statement_that_is_none_is_named() {
        for (text, expected) in [
            ("at 5x crash one", "line 1 of the plan, `at 5x crash one`: `5x` is no time, such as 1.5s"),
            ("nothing\nat 1s melt one", "line 2 of the plan, `at 1s melt one`: `melt` is no kind of fault"),
            ("crash one", "`crash` begins no statement"),
            ("at 1s", "it has no kind of fault"),
            ("at 1s crash", "it ends where a host has to be named"),
            ("at 1s cut one for 3s", "`for` stands where a second host has to be named"),
            ("at 1s reset one two for 3s", "`for` is one word too many"),
            ("at 1s slow one two for 3s", "it has no `by` and a factor"),
            ("at 1s slow one two by 5000000000", "is not a factor, a whole number from 1 to 4294967295"),
            ("maybe 0 commit", "`0` is not the number of a call, from 1"),
            ("at 1s crash \"one", "a name begins with a quotation mark, and does not end with one"),
        ] {
            assert!(of(text).contains(expected), "{text}: {}", of(text));
        }
    }

    /// A plan with names of any letters.
    fn any_plan(rng: &mut FastRand) -> Plan {
        let letters = ['a', 'Z', '0', '-', '>', ' ', ';', '#', '"', '\\', '\n', '\r', '\t', 'ä', '.'];
        let name = |rng: &mut FastRand| match rng.below(8) {
            0 => "for".to_owned(),
            1 => "->".to_owned(),
            _ => (0..rng.below(6)).map(|_| letters[rng.below(letters.len())]).collect(),
        };
        let mut plan = Plan::default();
        for _ in 0..rng.below(6) {
            let (one, other) = (name(rng), name(rng));
            let what = match rng.below(5) {
                0 => What::Crash(one),
                1 => What::Cut(one, other),
                2 => What::CutOneWay(one, other),
                3 => What::Reset(one, other),
                _ => What::Slow(one, other, 1 + rng.below(u32::MAX as usize) as u32),
            };
            let lasting = (!what.is_instant() && rng.below(3) > 0).then(|| rng.next_u64() >> rng.below(64));
            plan.faults.push(Fault { at: rng.next_u64() >> rng.below(64), what, lasting });
        }
        plan.faults.sort_by_key(|fault| fault.at);
        plan.points = (0..rng.below(4)).map(|_| (name(rng), 1 + rng.next_u64() / 2)).collect();
        plan
    }

    #[test]
    fn each_plan_is_read_as_it_was_written() {
        let mut rng = FastRand::from_seed(20);
        for _ in 0..5_000 {
            let plan = any_plan(&mut rng);
            assert_eq!(plan.to_string().parse::<Plan>().as_ref(), Ok(&plan), "{plan}");
            let in_one_line = plan.to_string().replace('\n', ";");
            assert_eq!(in_one_line.parse::<Plan>(), Ok(plan), "{in_one_line}");
        }
    }

    #[test]
    fn any_text_is_a_plan_or_refused_by_name() {
        let corpus =
            wsrt_fuzz::corpus("plans", &["at ", "1s", "cut a -> b", " for ", " by ", "maybe 1", "\"", ";", "#"]);
        wsrt_fuzz::check(&corpus, 20_000, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            match text.parse::<Plan>() {
                Ok(plan) => assert_eq!(plan.to_string().parse::<Plan>(), Ok(plan)),
                Err(error) => assert!(error.to_string().starts_with("line "), "{error}"),
            }
        });
    }
}
