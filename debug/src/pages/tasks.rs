//! `/tasks`: a dump of each runtime; `/tasks?chains`: with the lines where its tasks wait.

use std::fmt::Write;
use std::time::Duration;

use wsrt::runtime::{Dump, Handle};

use super::query::Format;
use super::{Request, text};
use crate::answer::{Answer, JSON, TEXT};

/// How long a worker may take to poll some of the tasks: all of the workers may be stuck.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

pub(super) fn answer(request: &Request<'_>) -> Result<Answer, Answer> {
    let (with_chains, is_json) = (request.query.with_chains, request.query.format == Some(Format::Json));
    if with_chains && !request.wants_body {
        return Ok(Answer::unmade(if is_json { JSON } else { TEXT }));
    }
    let dump = if with_chains { dump_with_chains } else { Handle::dump };
    if is_json {
        return Ok(Answer::new(JSON, json(&request.runtimes, dump)));
    }
    text(request, |runtime, page| _ = writeln!(page, "\n{}", dump(runtime)))
}

fn dump_with_chains(runtime: &Handle) -> Dump {
    runtime.dump_with_chains(LONGEST_WAIT)
}

fn json(runtimes: &[Handle], dump: fn(&Handle) -> Dump) -> String {
    let mut json = String::from("{\"runtimes\":[");
    for (index, runtime) in runtimes.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(json, "{separator}{{\"id\":{},\"name\":", runtime.id());
        match runtime.name() {
            Some(name) => put_string(&mut json, name),
            None => json.push_str("null"),
        }
        let _ = write!(json, ",\"dump\":{}}}", dump(runtime).to_json());
    }
    json.push_str("]}\n");
    json
}

fn put_string(json: &mut String, text: &str) {
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            '\u{0}'..='\u{1f}' => _ = write!(json, "\\u{:04x}", u32::from(letter)),
            _ => json.push(letter),
        }
    }
    json.push('"');
}
