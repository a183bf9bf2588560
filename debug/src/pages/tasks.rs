//! `/tasks`: a dump of each runtime.

use std::fmt::Write;

use wsrt::runtime::Handle;

use super::{Request, text};
use crate::answer::{Answer, JSON};

pub(super) fn answer(request: &Request<'_>) -> Answer {
    if request.query.is_json {
        return Answer::new(JSON, json(&request.runtimes));
    }
    text(request, |runtime, page| _ = writeln!(page, "\n{}", runtime.dump()))
}

fn json(runtimes: &[Handle]) -> String {
    let mut json = String::from("{\"runtimes\":[");
    for (index, runtime) in runtimes.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(json, "{separator}{{\"id\":{},\"name\":", runtime.id());
        match runtime.name() {
            Some(name) => put_string(&mut json, name),
            None => json.push_str("null"),
        }
        let _ = write!(json, ",\"dump\":{}}}", runtime.dump().to_json());
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
