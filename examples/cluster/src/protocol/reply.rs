//! Replies: from values to the text that the document shows, spaces after commas and colons
//! included.

use std::io;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use serde_json::ser::Formatter;

use super::{Refusal, RequestSender};

/// A reply to a client. The order of the fields is the order in the text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// The cluster has begun.
    InitOk {},
    /// A job is in its thief's deque.
    JobStolen {
        /// The worker that has it now.
        thief: String,
        /// The worker that had it.
        victim: String,
        /// Which job.
        job_id: String,
        /// How many the victim has left.
        victim_queue_size: u64,
    },
    /// The load of each worker.
    ClusterStateOk {
        /// The workers, in the order in which they came.
        workers: Named<WorkerReply>,
        /// Whether every queue is empty and nothing is in flight.
        all_idle: bool,
    },
    /// The outcome of a simulation.
    SimulationOk(crate::simulation::Report),
    /// The job is in the worker's deque.
    JobSubmitted {
        /// The owner of the deque.
        worker: String,
        /// The job's name.
        job_id: String,
        /// How many are in that deque now.
        queue_size: u64,
    },
    /// The job is in flight.
    JobTaken {
        /// The worker that has it.
        worker: String,
        /// The job's name.
        job_id: String,
        /// How many times it has been taken by now.
        attempt: u64,
        /// For how long.
        lease_ms: u64,
        /// The job's payload.
        payload: Value,
    },
    /// The result is recorded.
    JobCompleted {
        /// The worker that has done it.
        worker: String,
        /// The job's name.
        job_id: String,
    },
    /// Where a job is.
    JobFound {
        /// The job's name.
        job_id: String,
        /// `queued`, `in_flight` or `done`.
        place: &'static str,
        /// The worker that has it, or has done it.
        worker: String,
        /// The result, if it is done.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
    },
    /// Nothing of the kind.
    Error {
        /// The kind, as a number of Maelstrom's protocol.
        code: u32,
        /// The kind by its name.
        error: &'static str,
        /// For people.
        text: String,
    },
}

/// One worker's line in [`Reply::ClusterStateOk`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerReply {
    /// How many jobs wait in its deque.
    pub queue_size: u64,
    /// `busy` if jobs wait or are in flight, else `idle`.
    pub state: &'static str,
}

/// Values with names, in an order that stays.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Reply {
    fn kind(&self) -> &'static str {
        match self {
            Self::InitOk {} => "init_ok",
            Self::JobStolen { .. } => "job_stolen",
            Self::ClusterStateOk { .. } => "cluster_state_ok",
            Self::SimulationOk(_) => "simulation_ok",
            Self::JobSubmitted { .. } => "job_submitted",
            Self::JobTaken { .. } => "job_taken",
            Self::JobCompleted { .. } => "job_completed",
            Self::JobFound { .. } => "job_found",
            Self::Error { .. } => "error",
        }
    }
}

impl From<Refusal> for Reply {
    fn from(Refusal { kind, text }: Refusal) -> Self {
        let (error, code) = kind.name_and_code();
        Self::Error { code, error, text }
    }
}

#[derive(Serialize)]
struct Envelope<'a> {
    src: &'a str,
    dest: Option<&'a str>,
    body: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_reply_to: Option<u64>,
    #[serde(flatten)]
    reply: &'a Reply,
}

/// The name by which the node answers a sender that has not named it.
const NODE: &str = "cluster";

/// Appends the reply to `output`, as a line.
pub fn write_reply(sender: &RequestSender, reply: &Reply, output: &mut Vec<u8>) {
    let envelope = Envelope {
        src: sender.dest.as_deref().unwrap_or(NODE),
        dest: sender.src.as_deref(),
        body: Body { kind: reply.kind(), in_reply_to: sender.msg_id, reply },
    };
    let mut serializer = serde_json::Serializer::with_formatter(&mut *output, Spaced);
    envelope.serialize(&mut serializer).expect("a vector takes all, and the keys are text");
    output.push(b'\n');
}

/// JSON with a space after each comma and colon, as the document writes it.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        separate(writer, first)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        separate(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

fn separate<W: ?Sized + io::Write>(writer: &mut W, first: bool) -> io::Result<()> {
    if first { Ok(()) } else { writer.write_all(b", ") }
}
