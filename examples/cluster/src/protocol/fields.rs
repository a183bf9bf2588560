//! The fields of a message's body: taken out one by one, with errors that name the field.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::Refusal;

/// The longest name of a worker or a job, in bytes.
const LONGEST_NAME: usize = 200;

/// The fields that are not taken yet. Fields that are never taken do no harm.
#[derive(Debug)]
pub(super) struct Fields {
    whose: String,
    fields: Map<String, Value>,
}

impl Fields {
    pub(super) fn new(whose: String, fields: Map<String, Value>) -> Self {
        Self { whose, fields }
    }

    /// Takes a field of any type. One that is `null` counts as not given.
    pub(super) fn value(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name).filter(|value| !value.is_null())
    }

    /// Takes the name of a worker.
    pub(super) fn worker(&mut self, name: &str) -> Result<String, Refusal> {
        let value = self.required(name)?;
        worker(name, value)
    }

    /// Takes a list of workers' names, none of them twice.
    pub(super) fn workers(&mut self, name: &str, most: usize) -> Result<Vec<String>, Refusal> {
        let Value::Array(values) = self.required(name)? else {
            return Err(Refusal::invalid(name, "must be a list of names"));
        };
        if values.len() > most {
            return Err(Refusal::invalid(name, format_args!("{} names; {most} at most", values.len())));
        }
        let workers = values.into_iter().map(|value| worker(name, value)).collect::<Result<Vec<_>, _>>()?;
        let mut sorted: Vec<_> = workers.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Refusal::invalid(name, format_args!("names {} twice", pair[0]))),
            None => Ok(workers),
        }
    }

    /// Takes the name of a job, which has no slash: those are for the names of the starting state.
    pub(super) fn job(&mut self, name: &str) -> Result<String, Refusal> {
        let value = self.required(name)?;
        job(name, value)
    }

    pub(super) fn job_if_given(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        self.value(name).map(|value| job(name, value)).transpose()
    }

    pub(super) fn number(&mut self, name: &str, range: RangeInclusive<u64>) -> Result<u64, Refusal> {
        let value = self.required(name)?;
        number(name, &value, range)
    }

    pub(super) fn number_if_given(&mut self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, Refusal> {
        self.value(name).map(|value| number(name, &value, range)).transpose()
    }

    pub(super) fn flag(&mut self, name: &str, usual: bool) -> Result<bool, Refusal> {
        match self.value(name) {
            None => Ok(usual),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(Refusal::invalid(name, format_args!("must be true or false, not {}", brief(&other)))),
        }
    }

    fn required(&mut self, name: &str) -> Result<Value, Refusal> {
        self.value(name).ok_or_else(|| Refusal::missing(name, &self.whose))
    }
}

fn worker(field: &str, value: Value) -> Result<String, Refusal> {
    let name = short_text(field, value, "the name of a worker")?;
    if name.chars().any(char::is_control) {
        return Err(Refusal::invalid(field, format_args!("{name:?} has control characters in it")));
    }
    Ok(name)
}

fn job(field: &str, value: Value) -> Result<String, Refusal> {
    let name = short_text(field, value, "the name of a job")?;
    if name.contains('/') || name.chars().any(char::is_control) {
        return Err(Refusal::invalid(field, format_args!("{name:?} has a slash or control characters in it")));
    }
    Ok(name)
}

fn short_text(field: &str, value: Value, what: &str) -> Result<String, Refusal> {
    match value {
        Value::String(text) if (1..=LONGEST_NAME).contains(&text.len()) => Ok(text),
        other => {
            let why = format!("must be {what}, 1 to {LONGEST_NAME} bytes of text, not {}", brief(&other));
            Err(Refusal::invalid(field, why))
        }
    }
}

fn number(field: &str, value: &Value, range: RangeInclusive<u64>) -> Result<u64, Refusal> {
    match value.as_u64() {
        Some(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = range.into_inner();
            let limits = if most == u64::MAX { String::new() } else { format!(" to {most}") };
            let why = format!("must be a whole number from {least}{limits}, not {}", brief(value));
            Err(Refusal::invalid(field, why))
        }
    }
}

/// The beginning of a value, for an error's text.
pub(super) fn brief(value: &Value) -> String {
    const ENOUGH: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= ENOUGH {
        return text;
    }
    text.chars().take(ENOUGH).chain(['…']).collect()
}
