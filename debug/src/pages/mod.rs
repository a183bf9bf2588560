//! The pages, by their paths. Making one blocks the calling thread: for milliseconds, and for the
//! length of a recording.

mod index;
mod locks;
mod query;
mod recording;
mod sites;
mod stalls;
mod tasks;

use wsrt::runtime::Handle;

pub(crate) use self::query::Query;
use crate::answer::{Answer, BAD_REQUEST, NOT_FOUND, TEXT};

/// The content type of Prometheus' text format.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A page: its path, the parameters that it takes, and what it shows.
struct Page {
    path: &'static str,
    /// An example of its parameters, for the index.
    parameters: &'static str,
    shows: &'static str,
    make: Make,
}

/// Makes a page. An error is a refusal.
type Make = fn(&Request<'_>) -> Result<Answer, Answer>;

const PAGES: [Page; 9] = [
    Page { path: "tasks", parameters: "", shows: "each task, and what it waits for", make: tasks::answer },
    Page {
        path: "locks",
        parameters: "",
        shows: "locks and channels that tasks wait for, their holders, and deadlocks",
        make: locks::answer,
    },
    Page { path: "stalls", parameters: "", shows: "polls that take too long, now and so far", make: stalls::answer },
    Page {
        path: "sites",
        parameters: "seconds=5",
        shows: "which spawn sites' polls take the time, in the next seconds",
        make: sites::answer,
    },
    Page {
        path: "profile",
        parameters: "seconds=5",
        shows: "what CPU time is used for in the next seconds: flame graphs by spawn site",
        make: recording::profile,
    },
    Page { path: "metrics", parameters: "", shows: "all figures, for Prometheus", make: metrics },
    Page {
        path: "report",
        parameters: "seconds=5",
        shows: "a page on the next seconds: long polls, waits, locks, steals",
        make: recording::report,
    },
    Page {
        path: "trace",
        parameters: "seconds=5",
        shows: "a timeline of the next seconds, to open at ui.perfetto.dev",
        make: recording::trace,
    },
    Page {
        path: "flight",
        parameters: "",
        shows: "a timeline of the last seconds, if there is a flight recorder",
        make: recording::flight,
    },
];

/// What a client asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The path, and the query behind its question mark.
    pub(crate) target: String,
    /// Whether the client takes the page, and not only the headers that come with it.
    pub(crate) wants_body: bool,
}

/// A request for a page.
struct Request<'a> {
    /// What a router has taken from the front of the path, for links: empty, or `/debug`.
    prefix: &'a str,
    query: Query<'a>,
    /// Without it nothing is recorded, and no task is polled.
    wants_body: bool,
    /// The runtimes that the page is about, in the order in which they were built.
    runtimes: Vec<Handle>,
}

/// Returns the answer to a request for what is `wanted`, whose path may begin with `prefix`.
pub(crate) fn answer(wanted: &Wanted, prefix: &str) -> Answer {
    let Wanted { target, wants_body } = wanted;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = path.strip_prefix(prefix).unwrap_or(path).trim_matches('/');
    let page = PAGES.iter().find(|page| page.path == path);
    if page.is_none() && !path.is_empty() {
        return no_page(path, prefix);
    }
    let make = page.map_or(index::answer as Make, |page| page.make);
    Request::parse(query, prefix, *wants_body).and_then(|request| make(&request)).unwrap_or_else(|refusal| refusal)
}

fn no_page(path: &str, prefix: &str) -> Answer {
    let mut why = format!("there is no /{path}; there are");
    PAGES.iter().for_each(|page| why.push_str(&format!(" {prefix}/{}", page.path)));
    Answer::refusal(NOT_FOUND, why)
}

impl<'a> Request<'a> {
    fn parse(query: &'a str, prefix: &'a str, wants_body: bool) -> Result<Self, Answer> {
        let query = Query::parse(query).map_err(|why| Answer::refusal(BAD_REQUEST, why))?;
        let mut runtimes = Handle::__all();
        if let Some(id) = query.runtime {
            runtimes.retain(|runtime| runtime.id().to_string() == id);
            if runtimes.is_empty() {
                return Err(Answer::refusal(NOT_FOUND, format!("runtime={id}: there is no such runtime (any more)")));
            }
        }
        Ok(Self { prefix, query, wants_body, runtimes })
    }

    /// Returns the runtime that a page about a single one shows: the first.
    fn runtime(&self) -> Result<&Handle, Answer> {
        self.runtimes.first().ok_or_else(|| Answer::refusal(NOT_FOUND, NONE))
    }
}

/// What a page says if there is no runtime.
const NONE: &str = "this process has no runtime of wsrt now";

/// Returns a page of text, with a part for each runtime.
fn text(request: &Request<'_>, write: impl Fn(&Handle, &mut String)) -> Result<Answer, Answer> {
    let mut page = String::new();
    for runtime in &request.runtimes {
        if !page.is_empty() {
            page.push('\n');
        }
        page.push_str(&format!("{}:", title(runtime)));
        write(runtime, &mut page);
    }
    if page.is_empty() {
        page = format!("{NONE}\n");
    }
    Ok(Answer::new(TEXT, page))
}

/// Returns the words for a runtime: its id, and its name if it has one.
fn title(runtime: &Handle) -> String {
    match runtime.name() {
        Some(name) => format!("runtime {} {name:?}", runtime.id()),
        None => format!("runtime {}", runtime.id()),
    }
}

fn metrics(request: &Request<'_>) -> Result<Answer, Answer> {
    Ok(Answer::new(METRICS, wsrt_metrics::prometheus(&request.runtimes)))
}
