//! Words to values and back: takes options out of a command line, and writes those of the processes
//! that a program starts.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use lexopt::ValueExt;
use lexopt::prelude::*;

use crate::Failure;

/// One piece of a command line.
#[derive(Debug)]
enum Word {
    /// An option, and the value behind its `=`, or the next word: a value, unless the option is a
    /// flag.
    Option(String, Option<String>),
    Free(String),
}

/// The words of a command line that are not taken yet.
#[derive(Debug)]
pub struct Arguments {
    words: Vec<Word>,
}

/// Seconds until a measurement counts as failed, unless `--time-limit` says otherwise.
const USUAL_TIME_LIMIT: u64 = 60;

impl Arguments {
    /// Reads the words, which come without the program's name.
    pub(crate) fn read(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Self, lexopt::Error> {
        let mut parser = lexopt::Parser::from_args(words);
        let mut words = Vec::new();
        while let Some(word) = parser.next()? {
            let name = match word {
                Value(word) => {
                    words.push(Word::Free(word.string()?));
                    continue;
                }
                Short(letter) => format!("-{letter}"),
                Long(name) => format!("--{name}"),
            };
            let is_value = |word: &OsStr| !word.as_encoded_bytes().starts_with(b"--");
            let value = parser.optional_value().or_else(|| parser.try_raw_args()?.next_if(is_value));
            words.push(Word::Option(name, value.map(ValueExt::string).transpose()?));
        }
        Ok(Self { words })
    }

    /// Splits a line at its spaces.
    #[cfg(test)]
    pub(crate) fn of(line: &str) -> Self {
        Self::read(line.split_whitespace()).expect("the words are UTF-8")
    }

    fn option(&mut self, name: &str) -> Option<(usize, Option<String>)> {
        let place = self.words.iter().position(|word| matches!(word, Word::Option(other, _) if other == name))?;
        let Word::Option(_, value) = self.words.remove(place) else { unreachable!("it was found as an option") };
        Some((place, value))
    }

    /// Takes the word `name` if it is there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let Some((place, next)) = self.option(name) else { return false };
        self.words.splice(place..place, next.map(Word::Free));
        true
    }

    /// Takes the option `name` and its value.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>, Failure> {
        match self.option(name) {
            None => Ok(None),
            Some((_, Some(value))) => Ok(Some(value)),
            Some((_, None)) => Err(format!("{name} needs a value").into()),
        }
    }

    /// Takes the option `name`, a whole number.
    pub(crate) fn number<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, Failure> {
        self.value(name)?.map(|word| whole(name, &word)).transpose()
    }

    /// Takes the option `name`, a whole number above zero.
    pub(crate) fn positive<T: FromStr + Default + PartialEq>(&mut self, name: &str) -> Result<Option<T>, Failure> {
        self.value(name)?.map(|word| above_zero(name, &word)).transpose()
    }

    /// Takes the option `name`, an address with its port.
    pub(crate) fn address(&mut self, name: &str) -> Result<Option<SocketAddr>, Failure> {
        let address = |word: String| word.parse().map_err(|error| format!("{name} {word}: {error}").into());
        self.value(name)?.map(address).transpose()
    }

    /// Takes the option `name`, whole numbers with commas between them.
    pub(crate) fn numbers(&mut self, name: &str) -> Result<Option<Vec<usize>>, Failure> {
        let words = self.value(name)?;
        words.map(|words| words.split(',').map(|word| whole(name, word.trim())).collect()).transpose()
    }

    /// Takes the option `name`, whole numbers above zero with commas between them.
    pub(crate) fn positives(&mut self, name: &str) -> Result<Option<Vec<usize>>, Failure> {
        let words = self.value(name)?;
        words.map(|words| words.split(',').map(|word| above_zero(name, word.trim())).collect()).transpose()
    }

    /// Takes the option `name`, words with commas between them, each of which `check` accepts.
    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        check: impl Fn(&str) -> Result<T, Failure>,
    ) -> Result<Option<Vec<String>>, Failure> {
        let Some(words) = self.value(name)? else {
            return Ok(None);
        };
        let checked = |word: &str| check(word).map(|_| word.to_owned());
        words.split(',').map(|word| checked(word.trim())).collect::<Result<_, _>>().map(Some)
    }

    /// Takes the first word that is no option.
    pub(crate) fn free(&mut self) -> Option<String> {
        let place = self.words.iter().position(|word| matches!(word, Word::Free(_)))?;
        let Word::Free(word) = self.words.remove(place) else { unreachable!("it was found as no option") };
        Some(word)
    }

    /// Makes sure that every word was taken.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self.words.first() {
            None => Ok(()),
            Some(Word::Option(word, _) | Word::Free(word)) => {
                Err(format!("unknown argument {word:?}, or given twice; --help lists the arguments").into())
            }
        }
    }
}

/// Takes the option `--time-limit`.
pub(crate) fn time_limit(arguments: &mut Arguments) -> Result<Duration, Failure> {
    Ok(Duration::from_secs(arguments.positive("--time-limit")?.unwrap_or(USUAL_TIME_LIMIT)))
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

/// A command line that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Words(Vec<String>);

impl Words {
    /// Begins with the option of the role and the words that belong to it.
    pub(crate) fn begin(role: &str, words: &[&str]) -> Self {
        Self([&[role], words].concat().into_iter().map(str::to_owned).collect())
    }

    /// Adds the option `name` if it has a value.
    pub(crate) fn option(mut self, name: &str, value: impl Into<Option<usize>>) -> Self {
        if let Some(value) = value.into() {
            self.add(name, value);
        }
        self
    }

    /// Adds the option `name` unless there are no `numbers`.
    pub(crate) fn numbers(mut self, name: &str, numbers: &[usize]) -> Self {
        if !numbers.is_empty() {
            self.add(name, numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(","));
        }
        self
    }

    /// Adds the option `name` with a value of any kind.
    pub(crate) fn value(mut self, name: &str, value: impl Display) -> Self {
        self.add(name, value);
        self
    }

    /// Adds the word `name` if it is set.
    pub(crate) fn flag(mut self, name: &str, is_set: bool) -> Self {
        self.0.extend(is_set.then(|| name.to_owned()));
        self
    }

    pub(crate) fn into_vec(self) -> Vec<String> {
        self.0
    }

    fn add(&mut self, name: &str, value: impl Display) {
        self.0.extend([name.to_owned(), value.to_string()]);
    }

    /// Reads the words again, as the process does that is started with them.
    #[cfg(test)]
    pub(crate) fn read<T>(self, take: impl FnOnce(String, &mut Arguments) -> Result<T, Failure>) -> T {
        let role = self.0[0].clone();
        let mut arguments = Arguments::read(self.0).expect("the words are UTF-8");
        let word = arguments.value(&role).unwrap().unwrap();
        let taken = take(word, &mut arguments).unwrap();
        arguments.finish().unwrap();
        taken
    }
}
