//! Words to values and back: takes options out of a list of words, and writes the lists for the children.

use std::fmt::Display;
use std::str::FromStr;

use crate::Failure;
use crate::child::Request;
use crate::load::LoadPlan;

/// The words of a command line that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    pub(crate) fn new(words: Vec<String>) -> Self {
        Self { words }
    }

    /// Takes the word `name` if it is there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let place = self.words.iter().position(|word| word == name);
        if let Some(place) = place {
            self.words.remove(place);
        }
        place.is_some()
    }

    /// Takes the option `name` and the word after it.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let Some(place) = self.words.iter().position(|word| word == name) else {
            return Ok(None);
        };
        if place + 1 == self.words.len() {
            return Err(format!("{name} needs a value").into());
        }
        let value = self.words.remove(place + 1);
        self.words.remove(place);
        Ok(Some(value))
    }

    /// Takes the option `name`, a whole number.
    pub(crate) fn number<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, Failure> {
        let value = self.value(name)?;
        value.map(|word| whole(name, &word)).transpose()
    }

    /// Takes the option `name`, a whole number above zero.
    pub(crate) fn positive<T: FromStr + Default + PartialEq>(&mut self, name: &str) -> Result<Option<T>, Failure> {
        let value = self.value(name)?;
        value.map(|word| above_zero(name, &word)).transpose()
    }

    /// Takes the option `name`, whole numbers above zero with commas between them.
    pub(crate) fn positives(&mut self, name: &str) -> Result<Option<Vec<usize>>, Failure> {
        let Some(words) = self.list(name)? else {
            return Ok(None);
        };
        let numbers: Result<_, _> = words.iter().map(|word| above_zero(name, word)).collect();
        numbers.map(Some)
    }

    /// Takes the option `name`, whole numbers with commas between them.
    pub(crate) fn numbers(&mut self, name: &str) -> Result<Option<Vec<usize>>, Failure> {
        let Some(words) = self.list(name)? else {
            return Ok(None);
        };
        let numbers: Result<_, _> = words.iter().map(|word| whole(name, word)).collect();
        numbers.map(Some)
    }

    /// Takes the option `name`, words with commas between them.
    pub(crate) fn list(&mut self, name: &str) -> Result<Option<Vec<String>>, Failure> {
        let value = self.value(name)?;
        Ok(value.map(|words| words.split(',').map(|word| word.trim().to_owned()).collect()))
    }

    /// Takes the first word that is no option.
    pub(crate) fn free(&mut self) -> Option<String> {
        let place = self.words.iter().position(|word| !word.starts_with('-'))?;
        Some(self.words.remove(place))
    }

    /// Makes sure that every word was taken.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(format!("unknown argument {word:?}; --help lists what there is").into()),
        }
    }
}

fn whole<T: FromStr>(name: &str, word: &str) -> Result<T, Failure> {
    word.parse().map_err(|_| format!("{name} {word}: not a whole number").into())
}

fn above_zero<T: FromStr + Default + PartialEq>(name: &str, word: &str) -> Result<T, Failure> {
    match whole(name, word) {
        Ok(number) if number == T::default() => Err(format!("{name} {word}: must be above zero").into()),
        other => other,
    }
}

/// Writes the command line of a child that is to serve `request`.
pub fn child_arguments(request: &Request) -> Vec<String> {
    let plan = &request.plan;
    let mut words = vec!["--child".to_owned(), request.runtime.clone(), request.workload.clone()];
    add(&mut words, "--workers", Some(plan.workers));
    add(&mut words, "--iterations", plan.iterations);
    add(&mut words, "--warm-up", plan.warm_up);
    add(&mut words, "--size", plan.size);
    add(&mut words, "--connections", Some(plan.connections));
    add(&mut words, "--bytes", Some(plan.bytes));
    add(&mut words, "--time-limit", request.time_limit.map(|limit| limit.as_secs()));
    if plan.apart.is_some() {
        words.push("--apart".to_owned());
    }
    words
}

/// Writes the command line of the load process for `plan`.
pub fn load_arguments(plan: &LoadPlan) -> Vec<String> {
    let mut words = Vec::new();
    add(&mut words, "--load", Some(plan.address));
    add(&mut words, "--connections", Some(plan.connections));
    add(&mut words, "--bytes", Some(plan.bytes));
    add(&mut words, "--warm-up", Some(plan.warm_up));
    add(&mut words, "--requests", Some(plan.requests));
    if !plan.cores.is_empty() {
        let cores: Vec<_> = plan.cores.iter().map(usize::to_string).collect();
        add(&mut words, "--cores", Some(cores.join(",")));
    }
    words
}

fn add(words: &mut Vec<String>, name: &str, value: Option<impl Display>) {
    if let Some(value) = value {
        words.extend([name.to_owned(), value.to_string()]);
    }
}
