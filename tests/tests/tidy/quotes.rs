//! The documents' quotes: each path and each identifier between back-ticks exists.

use std::collections::HashSet;

use crate::ledger::Finding;
use crate::lexer::Source;
use crate::tree::{Document, paths};

/// The quotes of `documents` that are neither a path of the tree nor words of its sources.
pub(crate) fn missing(documents: &[Document], sources: &[Source], scripts: &[Document]) -> Vec<Finding> {
    // The words of this test itself are no evidence for a quote.
    let sources = sources.iter().filter(|source| !source.path.starts_with("tests/tests/tidy/"));
    let lines = sources.flat_map(|source| &source.lines).map(|line| line.text.as_str());
    let known: HashSet<&str> = lines.chain(scripts.iter().map(|script| script.text.as_str())).flat_map(words).collect();
    let mut findings = Vec::new();
    for document in documents {
        for (index, quote) in quotes(&document.text) {
            let advice = match kind(quote) {
                Kind::Path if !is_there(quote, paths()) => "is no path of the tree: correct it",
                Kind::Code if !words(quote).all(|word| known.contains(word)) => "is in no source: correct it",
                _ => continue,
            };
            let key = format!("{} {quote}", document.path);
            findings.push(Finding::new(key, format!("{}:{}", document.path, index + 1), format!("`{quote}` {advice}")));
        }
    }
    findings
}

/// Names that the documents quote from other projects, and that no source of ours uses.
const FOREIGN: [(&str, &[&str]); 7] = [
    ("GNU C library", &["TIMER_ABSTIME", "clock_nanosleep", "pthread_cond_timedwait", "sem_timedwait"]),
    ("Linux", &["epoll_wait", "everysec", "pids.max", "renice"]),
    ("Redis", &["LMOVE", "maxclients", "used_cpu_sys", "used_cpu_user"]),
    ("futures", &["FuturesUnordered"]),
    ("rayon", &["find_any", "par_chunks", "par_chunks_mut", "par_iter().for_each", "with_min_len"]),
    ("smol", &["LocalExecutor"]),
    (
        "tokio",
        &[
            "RuntimeMetrics",
            "TOKIO_WORKER_THREADS",
            "blocking_lock",
            "budget_forced_yield_count",
            "io_driver_ready_count",
            "rate_limit",
            "remote_schedule_count",
            "spawned_tasks_count",
            "unhandled_panic",
            "worker_local_queue_depth(w)",
            "worker_local_schedule_count(w)",
            "worker_mean_poll_time(w)",
            "worker_noop_count(w)",
            "worker_overflow_count(w)",
            "worker_park_count(w)",
            "worker_poll_count(w)",
            "worker_steal_count(w)",
            "worker_steal_operations(w)",
            "worker_thread_id(w)",
            "worker_total_busy_duration(w)",
        ],
    ),
];

/// The entries of [`FOREIGN`] that no document quotes any more.
pub(crate) fn unquoted(documents: &[Document]) -> Vec<Finding> {
    let quoted: HashSet<&str> =
        documents.iter().flat_map(|document| quotes(&document.text)).map(|(_, quote)| quote).collect();
    let names = FOREIGN.iter().flat_map(|(_, names)| *names).filter(|name| !quoted.contains(*name));
    names
        .map(|name| {
            Finding::new(
                *name,
                "tests/tests/tidy/quotes.rs",
                format!("`{name}` is quoted no more: take it off the list"),
            )
        })
        .collect()
}

/// The likely kind of a quote.
#[derive(Debug, PartialEq)]
enum Kind {
    Path,
    Code,
    /// A command, a value, an expression, another project's name.
    Other,
}

fn kind(quote: &str) -> Kind {
    let ends = [".rs", ".md", ".toml", ".py"];
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./{},*".contains(letter);
    let is_code = |letter: char| letter.is_alphanumeric() || "_:()!.".contains(letter);
    if quote.starts_with('/') || quote.contains("://") || is_foreign(quote) {
        Kind::Other
    } else if quote.chars().all(is_plain) && (is_folder(quote) || ends.iter().any(|end| quote.ends_with(end))) {
        Kind::Path
    } else if quote.chars().all(is_code) && quote.starts_with(|first: char| first.is_alphabetic() || first == '_') {
        Kind::Code
    } else {
        Kind::Other
    }
}

/// Whether it is written as a folder: with a `/` at its end, or below a folder of the root.
fn is_folder(quote: &str) -> bool {
    let is_at_root =
        |folder: &str| paths().iter().any(|path| path.split_once('/').is_some_and(|(first, _)| first == folder));
    quote.ends_with('/') || quote.split_once('/').is_some_and(|(folder, _)| is_at_root(folder))
}

fn is_foreign(quote: &str) -> bool {
    const CRATES: [&str; 7] = ["std::", "core::", "tokio::", "tokio_stream", "tokio_util", "rayon::", "mio::"];
    CRATES.iter().any(|name| quote.starts_with(name)) || FOREIGN.iter().any(|(_, names)| names.contains(&quote))
}

/// Whether `quote` is the end of a path of the tree, or a folder in one. Braces are alternatives,
/// and a `*` is anything.
fn is_there(quote: &str, paths: &[String]) -> bool {
    if let Some((before, (inner, after))) =
        quote.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        return inner.split(',').all(|part| is_there(&format!("{before}{}{after}", part.trim()), paths));
    }
    let quote = quote.trim_start_matches("./").trim_end_matches('/');
    // Where cargo and the benchmarks write.
    if quote == "target" || quote.starts_with("target/") {
        return true;
    }
    if let Some((before, after)) = quote.split_once('*') {
        return paths.iter().any(|path| path.split_once(before).is_some_and(|(_, rest)| rest.ends_with(after)));
    }
    paths.iter().any(|path| format!("/{path}/").contains(&format!("/{quote}/")))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| word.starts_with(|first: char| first.is_alphabetic() || first == '_'))
}

/// The quotes between single back-ticks, with their lines. Blocks of code are passed over.
fn quotes(text: &str) -> Vec<(usize, &str)> {
    let mut is_block = false;
    let mut quotes = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let is_fence = line.trim_start().starts_with("```");
        is_block ^= is_fence;
        if !is_block && !is_fence {
            quotes.extend(line.split('`').skip(1).step_by(2).map(|quote| (index, quote)));
        }
    }
    quotes
}

#[cfg(test)]
mod tests {
    use super::{Document, Kind, Source, is_there, kind, missing, unquoted};

    #[test]
    fn a_quote_that_is_in_no_source_is_found() {
        let text = "`Ring::push` and `Ring::pop_all`\n```\n`gone`\n```\n`a/gone.rs`, `cargo test`, `GONE=1`";
        let document = Document { path: "docs/A.md".to_owned(), text: text.to_owned() };
        let source = Source::new("a.rs", "impl Ring { fn push() {} } // pop_all");
        let places: Vec<String> = missing(&[document], &[source], &[])
            .into_iter()
            .map(|finding| finding.place + " " + &finding.key)
            .collect();
        assert_eq!(places, ["docs/A.md:1 docs/A.md Ring::pop_all", "docs/A.md:5 docs/A.md a/gone.rs"]);
    }

    #[test]
    fn a_foreign_name_without_a_quote_is_found() {
        let document = Document { path: "docs/A.md".to_owned(), text: "`LMOVE` and epoll_wait".to_owned() };
        let names: Vec<String> = unquoted(&[document]).into_iter().map(|finding| finding.key).collect();
        assert!(names.contains(&"epoll_wait".to_owned()) && !names.contains(&"LMOVE".to_owned()), "{names:?}");
    }

    #[test]
    fn paths_are_found_by_their_ends_and_folders() {
        let paths = ["executor/src/task/cell.rs".to_owned(), "docs/A.md".to_owned()];
        for there in [
            "executor/src/task/cell.rs",
            "task/cell.rs",
            "cell.rs",
            "task/",
            "executor/src/",
            "{docs,task}/",
            "docs/*.md",
        ] {
            assert!(is_there(there, &paths), "{there}");
        }
        for gone in ["ell.rs", "task/cell", "docs/B.md", "{docs,tasks}/", "docs/*.rs"] {
            assert!(!is_there(gone, &paths), "{gone}");
        }
    }

    #[test]
    fn quotes_are_told_apart_by_their_letters() {
        for (quote, expected) in [
            ("task/", Kind::Path),
            ("ring.rs", Kind::Path),
            ("tests/tests", Kind::Path),
            ("echo_tcp/64", Kind::Other),
            ("Ring::push()", Kind::Code),
            ("cfg(wsrt_loom)", Kind::Code),
            ("/proc/self", Kind::Other),
            ("WSRT_TRACE=a", Kind::Other),
            ("std::task::Waker", Kind::Other),
            ("61", Kind::Other),
        ] {
            assert_eq!(kind(quote), expected, "{quote}");
        }
    }
}
