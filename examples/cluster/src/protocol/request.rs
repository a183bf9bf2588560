//! Requests: from the text of a message to a command whose fields are valid.

use std::time::Duration;

use serde_json::{Map, Value};

use super::fields::{Fields, brief};
use super::{Refusal, RefusalKind};

/// The most workers that a message may name.
pub const MOST_WORKERS: usize = 10_000;
/// The most jobs that one `init` distributes. It is one step of the store, which does nothing else
/// meanwhile.
pub const MOST_JOBS: u64 = 100_000;
/// The longest simulation, in milliseconds of one worker's time.
pub const LONGEST_SIMULATION_MS: u64 = 600_000;
/// The shortest lease that a client may ask for, in milliseconds.
pub const SHORTEST_LEASE_MS: u64 = 10;
/// The longest lease that a client may ask for, in milliseconds: a day.
pub const LONGEST_LEASE_MS: u64 = 86_400_000;

/// The command of a client. `docs/CLUSTER.md` has the fields of each.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Begins: these workers, with so many jobs dealt out to them.
    Init {
        /// The workers' names.
        workers: Vec<String>,
        /// How many jobs to deal out.
        jobs: u64,
    },
    /// Takes the last job of one of the busy workers over to the thief.
    StealJob {
        /// The worker that has nothing to do.
        thief: String,
        /// The workers that may be stolen from.
        busy: Vec<String>,
    },
    /// Asks for the load of each worker.
    CheckClusterState,
    /// Works off the queued jobs, with jobs that cost this much time together.
    RunSimulation {
        /// The cost of all jobs together.
        work: Duration,
        /// Whether workers without jobs steal.
        stealing: bool,
    },
    /// Gives a worker a job.
    SubmitJob {
        /// The owner of the deque that it goes to.
        worker: String,
        /// The job's name, if the client chose one.
        job: Option<String>,
        /// The job's payload.
        payload: Value,
    },
    /// Takes the first job out of the worker's own deque, to work at it.
    TakeJob {
        /// The worker that takes it.
        worker: String,
        /// For how long, unless the node's usual time is meant.
        lease: Option<Duration>,
    },
    /// Records a job's result.
    CompleteJob {
        /// The worker that has done it.
        worker: String,
        /// Which job.
        job: String,
        /// The number of the attempt, from the reply to the take.
        attempt: Option<u64>,
        /// The result.
        result: Value,
    },
    /// Asks where a job is.
    FindJob {
        /// Which job.
        job: String,
    },
}

/// The sender and the message: all that an answer needs to know of the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestSender {
    /// The sender.
    pub src: Option<String>,
    /// The receiver: the node, by the name that the sender has for it.
    pub dest: Option<String>,
    /// The number to answer to.
    pub msg_id: Option<u64>,
}

/// One message, as far as it can be understood: its sender has a right to an answer, whatever is
/// wrong with the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The sender and its message.
    pub sender: RequestSender,
    /// The command, or its mistake.
    pub command: Result<Command, Refusal>,
}

impl Request {
    /// Reads one message.
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        match serde_json::from_slice(text) {
            Ok(Value::Object(message)) => Self::of(message),
            Ok(other) => {
                let why = format!("a message is an object with a \"body\", not {}", brief(&other));
                Self::refused(Refusal::new(RefusalKind::MissingField, why))
            }
            Err(error) => Self::refused(Refusal::malformed(&error)),
        }
    }

    /// A message of which nothing is known but that it is refused.
    #[must_use]
    pub fn refused(refusal: Refusal) -> Self {
        Self { sender: RequestSender::default(), command: Err(refusal) }
    }

    fn of(mut message: Map<String, Value>) -> Self {
        let mut address = |name| match message.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (src, dest) = (address("src"), address("dest"));
        let body = message.remove("body");
        let msg_id = body.as_ref().and_then(|body| body.get("msg_id")).and_then(Value::as_u64);
        let command = match (&src, &dest) {
            (None, _) => Err(Refusal::missing("src", "the message")),
            (_, None) => Err(Refusal::missing("dest", "the message")),
            _ => command(body),
        };
        Self { sender: RequestSender { src, dest, msg_id }, command }
    }
}

/// Whether this text is a message by itself, and not a piece of one that goes over several lines.
pub(super) fn is_whole_message(text: &[u8]) -> bool {
    matches!(serde_json::from_slice(text), Ok(Value::Object(message)) if message.contains_key("body"))
}

fn command(body: Option<Value>) -> Result<Command, Refusal> {
    let mut body = match body {
        Some(Value::Object(body)) => body,
        Some(other) => return Err(Refusal::invalid("body", format_args!("must be an object, not {}", brief(&other)))),
        None => return Err(Refusal::missing("body", "the message")),
    };
    let kind = match body.remove("type") {
        Some(Value::String(kind)) => kind,
        Some(other) => return Err(Refusal::invalid("type", format_args!("must be text, not {}", brief(&other)))),
        None => return Err(Refusal::missing("type", "the body")),
    };
    let mut fields = Fields::new(kind.clone(), body);
    fields.number("msg_id", 0..=u64::MAX)?;
    match kind.as_str() {
        "init" => init(&mut fields),
        "steal_job" => steal_job(&mut fields),
        "check_cluster_state" => Ok(Command::CheckClusterState),
        "run_simulation" => Ok(Command::RunSimulation {
            work: Duration::from_millis(fields.number("duration_ms", 1..=LONGEST_SIMULATION_MS)?),
            stealing: fields.flag("stealing", true)?,
        }),
        "submit_job" => Ok(Command::SubmitJob {
            worker: fields.worker("worker")?,
            job: fields.job_if_given("job_id")?,
            payload: fields.value("payload").unwrap_or_default(),
        }),
        "take_job" => Ok(Command::TakeJob {
            worker: fields.worker("worker")?,
            lease: fields.number_if_given("lease_ms", SHORTEST_LEASE_MS..=LONGEST_LEASE_MS)?.map(Duration::from_millis),
        }),
        "complete_job" => Ok(Command::CompleteJob {
            worker: fields.worker("worker")?,
            job: fields.job("job_id")?,
            attempt: fields.number_if_given("attempt", 1..=u64::MAX)?,
            result: fields.value("result").unwrap_or_default(),
        }),
        "find_job" => Ok(Command::FindJob { job: fields.job("job_id")? }),
        _ => {
            let why = format!(
                "there is no message of type {}; there are init, submit_job, take_job, steal_job, complete_job, find_job, \
                 check_cluster_state and run_simulation",
                brief(&Value::String(kind))
            );
            Err(Refusal::new(RefusalKind::UnknownType, why))
        }
    }
}

fn init(fields: &mut Fields) -> Result<Command, Refusal> {
    let workers = fields.workers("workers", MOST_WORKERS)?;
    if workers.is_empty() {
        return Err(Refusal::invalid("workers", "a cluster needs one worker at least"));
    }
    Ok(Command::Init { workers, jobs: fields.number("jobs_to_distribute", 0..=MOST_JOBS)? })
}

fn steal_job(fields: &mut Fields) -> Result<Command, Refusal> {
    let thief = fields.worker("thief_worker")?;
    let busy = fields.workers("busy_workers", MOST_WORKERS)?;
    if busy.contains(&thief) {
        return Err(Refusal::invalid("busy_workers", format_args!("{thief} cannot steal from itself")));
    }
    Ok(Command::StealJob { thief, busy })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> (RefusalKind, String) {
        let refusal = Request::parse(text.as_bytes()).command.unwrap_err();
        (refusal.kind, refusal.text)
    }

    fn body(body: &str) -> String {
        format!(r#"{{"src":"c","dest":"n","body":{body}}}"#)
    }

    #[test]
    fn what_is_wrong_is_named() {
        use RefusalKind::{InvalidField, MalformedJson, MissingField, UnknownType};
        let long = "w".repeat(LONGEST_LEASE_MS.to_string().len() + 200);
        for (message, kind, culprit) in [
            ("nonsense".to_owned(), MalformedJson, "expected"),
            (r#"{"src":"c""#.to_owned(), MalformedJson, "breaks off"),
            ("[".repeat(100_000), MalformedJson, "recursion"),
            ("17".to_owned(), MissingField, "body"),
            (r#"{"dest":"n","body":{}}"#.to_owned(), MissingField, "src"),
            (r#"{"src":1,"dest":"n","body":{}}"#.to_owned(), MissingField, "src"),
            (r#"{"src":"c","body":{}}"#.to_owned(), MissingField, "dest"),
            (r#"{"src":"c","dest":"n"}"#.to_owned(), MissingField, "body"),
            (body("[]"), InvalidField, "body"),
            (body("{}"), MissingField, "type"),
            (body(r#"{"type":3}"#), InvalidField, "type"),
            (body(r#"{"type":"check_cluster_state"}"#), MissingField, "msg_id"),
            (body(r#"{"type":"check_cluster_state","msg_id":"1"}"#), InvalidField, "msg_id"),
            (body(r#"{"type":"check_cluster_state","msg_id":-1}"#), InvalidField, "-1"),
            (body(r#"{"type":"dance","msg_id":1}"#), UnknownType, "dance"),
            (body(r#"{"type":"init","msg_id":1,"jobs_to_distribute":1}"#), MissingField, "workers"),
            (body(r#"{"type":"init","msg_id":1,"workers":["a"]}"#), MissingField, "jobs_to_distribute"),
            (body(r#"{"type":"init","msg_id":1,"workers":[],"jobs_to_distribute":1}"#), InvalidField, "workers"),
            (body(r#"{"type":"init","msg_id":1,"workers":"a","jobs_to_distribute":1}"#), InvalidField, "workers"),
            (body(r#"{"type":"init","msg_id":1,"workers":["a",""],"jobs_to_distribute":1}"#), InvalidField, "1 to 200"),
            (
                body(r#"{"type":"init","msg_id":1,"workers":["a","b","a"],"jobs_to_distribute":1}"#),
                InvalidField,
                "a twice",
            ),
            (body(r#"{"type":"init","msg_id":1,"workers":["a"],"jobs_to_distribute":100001}"#), InvalidField, "100001"),
            (body(r#"{"type":"init","msg_id":1,"workers":["a"],"jobs_to_distribute":1.5}"#), InvalidField, "1.5"),
            (body(r#"{"type":"steal_job","msg_id":1,"busy_workers":["a"]}"#), MissingField, "thief_worker"),
            (body(r#"{"type":"steal_job","msg_id":1,"thief_worker":"a"}"#), MissingField, "busy_workers"),
            (
                body(r#"{"type":"steal_job","msg_id":1,"thief_worker":"a","busy_workers":["a"]}"#),
                InvalidField,
                "itself",
            ),
            (body(&format!(r#"{{"type":"take_job","msg_id":1,"worker":"{long}"}}"#)), InvalidField, "worker"),
            (body(r#"{"type":"take_job","msg_id":1,"worker":"w","lease_ms":1}"#), InvalidField, "lease_ms"),
            (body(r#"{"type":"submit_job","msg_id":1,"worker":"w","job_id":"a/b"}"#), InvalidField, "a/b"),
            (body(r#"{"type":"complete_job","msg_id":1,"worker":"w"}"#), MissingField, "job_id"),
            (body(r#"{"type":"run_simulation","msg_id":1}"#), MissingField, "duration_ms"),
            (body(r#"{"type":"run_simulation","msg_id":1,"duration_ms":1,"stealing":1}"#), InvalidField, "stealing"),
        ] {
            let (found, text) = refusal(&message);
            assert_eq!(found, kind, "{message}: {text}");
            assert!(text.contains(culprit), "{message}: {text}");
            assert!(text.len() < 300, "{message}: {text}");
        }
    }

    #[test]
    fn the_sender_is_known_whatever_else_is_wrong() {
        let sender = |text: &str| Request::parse(text.as_bytes()).sender;
        let known = RequestSender { src: Some("c".to_owned()), dest: Some("n".to_owned()), msg_id: Some(7) };
        assert_eq!(sender(&body(r#"{"type":"dance","msg_id":7}"#)), known);
        assert_eq!(sender(r#"{"src":"c","body":{"msg_id":7}}"#), RequestSender { dest: None, ..known });
    }

    #[test]
    fn what_need_not_be_given_has_its_usual_value() {
        let command = |text: &str| Request::parse(body(text).as_bytes()).command.unwrap();
        assert_eq!(
            command(r#"{"type":"run_simulation","msg_id":1,"duration_ms":5}"#),
            Command::RunSimulation { work: Duration::from_millis(5), stealing: true }
        );
        assert_eq!(
            command(r#"{"type":"submit_job","msg_id":1,"worker":"w","job_id":null,"more":1}"#),
            Command::SubmitJob { worker: "w".to_owned(), job: None, payload: Value::Null }
        );
    }
}
