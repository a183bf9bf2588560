//! The parser for plans.

use std::fmt;
use std::str::FromStr;

use super::words::{PlanWord, statements};
use super::{Fault, FaultEffect, FaultPlan, moment, share};

/// The forms of all statements, for error messages.
const FORMS: &str = "`at 1.5s crash HOST for 300ms`, `at 1.5s cut ONE OTHER for 300ms`, `at 1.5s cut FROM -> TO for 300ms`, `at 1.5s \
                     reset ONE OTHER`, `at 1.5s slow ONE OTHER by 20 for 300ms`, `at 1.5s buffers full HOST for 300ms`, `at 1.5s disk \
                     full HOST for 300ms`, `at 1.5s disk failing HOST by 0.05 for 300ms`, `at 1.5s disk slow HOST by 20 \
                     for 300ms`, `at 1.5s clock ahead HOST by 2s for 300ms`, `at 1.5s clock behind HOST by 2s for 300ms`, \
                     `at 1.5s clock drift HOST by 500 for 300ms`, `maybe 3 POINT`, and `nothing`";

/// The error for a plan that cannot be parsed: the offending text, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultPlanError {
    line: usize,
    statement: String,
    why: String,
}

impl FaultPlanError {
    pub(super) fn new(line: usize, statement: &str, why: impl Into<String>) -> Self {
        Self { line, statement: statement.trim().to_owned(), why: why.into() }
    }
}

impl fmt::Display for FaultPlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the plan, `{}`: {}", self.line, self.statement, self.why)
    }
}

impl FromStr for FaultPlan {
    type Err = FaultPlanError;

    fn from_str(text: &str) -> Result<Self, FaultPlanError> {
        let mut plan = Self::default();
        for statement in statements(text)? {
            let mut words = Words(&statement.words);
            let parsed = words.add_to(&mut plan).and_then(|()| words.end());
            parsed.map_err(|why| FaultPlanError::new(statement.line, &statement.to_string(), why))?;
        }
        plan.faults.sort_by_key(|fault| fault.at);
        Ok(plan)
    }
}

/// The words of a statement that have not been read yet.
struct Words<'a>(&'a [PlanWord]);

impl Words<'_> {
    fn next(&mut self) -> Option<&PlanWord> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// Consumes the next word if it is `word`, and returns whether it was.
    fn take(&mut self, word: &str) -> bool {
        let is_next = matches!(self.0.first(), Some(PlanWord::Bare(next)) if next == word);
        self.0 = &self.0[usize::from(is_next)..];
        is_next
    }

    fn end(&self) -> Result<(), String> {
        match self.0.first() {
            Some(word) => Err(format!("`{word}` is one word too many: there are {FORMS}")),
            None => Ok(()),
        }
    }

    fn add_to(&mut self, plan: &mut FaultPlan) -> Result<(), String> {
        if self.take("at") {
            plan.faults.push(self.fault()?);
        } else if self.take("maybe") {
            let call = self.number("the number of a call, from 1")?;
            plan.points.push((self.name("a point")?, call));
        } else if !self.take("nothing") {
            let first = self.first();
            return Err(format!("`{first}` begins no statement: there are {FORMS}"));
        }
        Ok(())
    }

    fn fault(&mut self) -> Result<Fault, String> {
        let at = self.time()?;
        let what = match self.next() {
            Some(PlanWord::Bare(kind)) => match kind.as_str() {
                "crash" => FaultEffect::Crash(self.name("a host")?),
                "cut" => {
                    let one = self.name("a host")?;
                    let kind = if self.take("->") { FaultEffect::CutOneWay } else { FaultEffect::Cut };
                    kind(one, self.name("a second host")?)
                }
                "reset" => FaultEffect::Reset(self.name("a host")?, self.name("a second host")?),
                "slow" => FaultEffect::Slow(self.name("a host")?, self.name("a second host")?, self.factor()?),
                "buffers" => self.of_buffers()?,
                "disk" => self.of_disk()?,
                "clock" => self.of_clock()?,
                other => return Err(format!("`{other}` is no kind of fault: there are {FORMS}")),
            },
            _ => return Err(format!("it has no kind of fault: there are {FORMS}")),
        };
        let lasting = if !what.is_instant() && self.take("for") { Some(self.time()?) } else { None };
        Ok(Fault { at, what, lasting })
    }

    fn of_buffers(&mut self) -> Result<FaultEffect, String> {
        if self.take("full") {
            return Ok(FaultEffect::BuffersFull(self.name("a host")?));
        }
        let word = self.first();
        Err(format!("`{word}` stands where `full` has to say what the buffers are"))
    }

    fn of_disk(&mut self) -> Result<FaultEffect, String> {
        if self.take("full") {
            Ok(FaultEffect::DiskFull(self.name("a host")?))
        } else if self.take("failing") {
            Ok(FaultEffect::DiskFailing(self.name("a host")?, self.share()?))
        } else if self.take("slow") {
            Ok(FaultEffect::DiskSlow(self.name("a host")?, self.factor()?))
        } else {
            let word = self.first();
            Err(format!("`{word}` stands where `full`, `failing` or `slow` has to say what the disk is"))
        }
    }

    fn of_clock(&mut self) -> Result<FaultEffect, String> {
        if self.take("ahead") {
            Ok(FaultEffect::ClockJump(self.name("a host")?, self.jump()?))
        } else if self.take("behind") {
            Ok(FaultEffect::ClockJump(self.name("a host")?, -self.jump()?))
        } else if self.take("drift") {
            Ok(FaultEffect::ClockDrift(self.name("a host")?, self.drift()?))
        } else {
            let word = self.first();
            Err(format!("`{word}` stands where `ahead`, `behind` or `drift` has to say what the clock does"))
        }
    }

    fn first(&self) -> String {
        self.0.first().map(PlanWord::to_string).unwrap_or_default()
    }

    fn time(&mut self) -> Result<u64, String> {
        let word = self.next().map(PlanWord::to_string).unwrap_or_default();
        moment::parse(&word).ok_or_else(|| format!("`{word}` is no time, such as 1.5s, 300ms, 20us or 15ns"))
    }

    fn name(&mut self, of: &str) -> Result<String, String> {
        match self.next() {
            Some(PlanWord::Quoted(name)) => Ok(name.clone()),
            Some(PlanWord::Bare(name)) if name != "for" && name != "by" && name != "->" => Ok(name.clone()),
            Some(word) => Err(format!("`{word}` stands where {of} has to be named")),
            None => Err(format!("it ends where {of} has to be named")),
        }
    }

    fn number(&mut self, wanted: &str) -> Result<u64, String> {
        let word = self.next().map(PlanWord::to_string).unwrap_or_default();
        let number = word.parse().ok().filter(|&number| number > 0);
        number.ok_or_else(|| format!("`{word}` is not {wanted}"))
    }

    /// Consumes the word that precedes an amount.
    fn by(&mut self, wanted: &str) -> Result<(), String> {
        if self.take("by") { Ok(()) } else { Err(format!("it has no `by` and {wanted}")) }
    }

    fn factor(&mut self) -> Result<u32, String> {
        let wanted = "a factor, a whole number from 1";
        self.by(wanted)?;
        let factor = self.number(wanted)?;
        u32::try_from(factor).map_err(|_| format!("`{factor}` is not {wanted} to {}", u32::MAX))
    }

    fn share(&mut self) -> Result<u32, String> {
        let wanted = "a share from 0 to 1, with six digits after the point at most";
        self.by(wanted)?;
        let word = self.next().map(PlanWord::to_string).unwrap_or_default();
        share::parse(&word).ok_or_else(|| format!("`{word}` is not {wanted}"))
    }

    fn jump(&mut self) -> Result<i64, String> {
        self.by("a time")?;
        let jump = self.time()?;
        i64::try_from(jump).map_err(|_| format!("a clock that jumps by {} shows no time", moment::text(jump)))
    }

    fn drift(&mut self) -> Result<i32, String> {
        let wanted = "a drift, a whole number of parts in a million above -1000000";
        self.by(wanted)?;
        let word = self.next().map(PlanWord::to_string).unwrap_or_default();
        let drift = word.parse().ok().filter(|&parts: &i32| parts > -1_000_000);
        drift.ok_or_else(|| format!("`{word}` is not {wanted}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wsrt_sync::rng::FastRand;

    fn of(text: &str) -> String {
        text.parse::<FaultPlan>().map_or_else(|error| error.to_string(), |plan| plan.to_string())
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
            ("at 1s disk one", "`one` stands where `full`, `failing` or `slow` has to say what the disk is"),
            ("at 1s disk failing one by 1.5", "`1.5` is not a share from 0 to 1"),
            ("at 1s disk failing one", "it has no `by` and a share from 0 to 1"),
            ("at 1s disk slow one by 0", "`0` is not a factor"),
            ("at 1s disk full one by 3", "`by` is one word too many"),
            ("at 1s buffers one", "`one` stands where `full` has to say what the buffers are"),
            ("at 1s buffers full one by 3", "`by` is one word too many"),
            ("at 1s clock", "`` stands where `ahead`, `behind` or `drift` has to say what the clock does"),
            ("at 1s clock ahead one by 3", "`3` is no time, such as 1.5s"),
            ("at 1s clock ahead one by 10000000000s", "a clock that jumps by 10000000000s shows no time"),
            ("at 1s clock drift one by -1000000", "`-1000000` is not a drift"),
            ("maybe 0 commit", "`0` is not the number of a call, from 1"),
            ("at 1s crash \"one", "a name begins with a quotation mark, and does not end with one"),
        ] {
            assert!(of(text).contains(expected), "{text}: {}", of(text));
        }
    }

    /// A plan with names of any letters.
    fn any_plan(rng: &mut FastRand) -> FaultPlan {
        let letters = ['a', 'Z', '0', '-', '>', ' ', ';', '#', '"', '\\', '\n', '\r', '\t', 'ä', '.'];
        let name = |rng: &mut FastRand| match rng.below(8) {
            0 => "for".to_owned(),
            1 => "->".to_owned(),
            _ => (0..rng.below(6)).map(|_| letters[rng.below(letters.len())]).collect(),
        };
        let mut plan = FaultPlan::default();
        for _ in 0..rng.below(6) {
            let (one, other) = (name(rng), name(rng));
            let what = match rng.below(11) {
                0 => FaultEffect::Crash(one),
                1 => FaultEffect::Cut(one, other),
                2 => FaultEffect::CutOneWay(one, other),
                3 => FaultEffect::Reset(one, other),
                4 => FaultEffect::Slow(one, other, 1 + rng.below(u32::MAX as usize) as u32),
                5 => FaultEffect::DiskFull(one),
                6 => FaultEffect::DiskFailing(one, rng.below(share::WHOLE as usize + 1) as u32),
                7 => FaultEffect::DiskSlow(one, 1 + rng.below(u32::MAX as usize) as u32),
                8 => FaultEffect::BuffersFull(one),
                9 => FaultEffect::ClockJump(one, (rng.next_u64() as i64 | 1) >> rng.below(64)),
                _ => FaultEffect::ClockDrift(one, (rng.next_u64() as i32).max(-999_999)),
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
            assert_eq!(plan.to_string().parse::<FaultPlan>().as_ref(), Ok(&plan), "{plan}");
            let in_one_line = plan.to_string().replace('\n', ";");
            assert_eq!(in_one_line.parse::<FaultPlan>(), Ok(plan), "{in_one_line}");
        }
    }

    #[test]
    fn any_text_is_a_plan_or_refused_by_name() {
        let corpus = {
            let words =
                ["at ", "1s", "cut a -> b", " for ", " by ", "maybe 1", "\"", ";", "#", "disk full a", "clock "];
            wsrt_fuzz::corpus("plans", &words)
        };
        wsrt_fuzz::check(&corpus, 20_000, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            match text.parse::<FaultPlan>() {
                Ok(plan) => assert_eq!(plan.to_string().parse::<FaultPlan>(), Ok(plan)),
                Err(error) => assert!(error.to_string().starts_with("line "), "{error}"),
            }
        });
    }
}
