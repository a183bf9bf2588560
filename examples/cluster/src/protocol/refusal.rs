//! Refusals: a kind that programs can match, and a text for people that names the culprit.

use std::fmt;

use serde_json::error::Category;

use crate::store::StoreError;

/// The kinds of refusals. Programs match their names, or the numbers, which are those of
/// Maelstrom's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The message is not JSON.
    MalformedJson,
    /// The message is longer than the node reads.
    MessageTooLong,
    /// A field is not there.
    MissingField,
    /// A field has the wrong type, or a value that cannot be.
    InvalidField,
    /// There is no such type of message.
    UnknownType,
    /// The worker is not in the cluster.
    UnknownWorker,
    /// There is no such job, and there never was.
    UnknownJob,
    /// There is such a job already.
    DuplicateJob,
    /// None of the busy workers has a job queued.
    NothingToSteal,
    /// The worker has no job queued.
    QueueEmpty,
    /// Another worker holds the job.
    NotHeld,
    /// The job has its result.
    AlreadyCompleted,
    /// The cluster has jobs that a new beginning would lose.
    UnfinishedJobs,
    /// The cluster holds as many jobs, workers or clients as it may.
    Full,
    /// Something is going on that this would disturb.
    Busy,
    /// The store cannot be reached: nothing has happened.
    StoreUnavailable,
    /// The store did not answer: it may have happened, or not.
    OutcomeUnknown,
    /// The store answered with an error of its own.
    StoreFailed,
}

impl RefusalKind {
    /// The name that the reply carries, and the number.
    #[must_use]
    pub fn name_and_code(self) -> (&'static str, u32) {
        match self {
            Self::OutcomeUnknown => ("outcome_unknown", 0),
            Self::UnknownType => ("unknown_type", 10),
            Self::StoreUnavailable => ("store_unavailable", 11),
            Self::MalformedJson => ("malformed_json", 12),
            Self::MessageTooLong => ("message_too_long", 12),
            Self::MissingField => ("missing_field", 12),
            Self::InvalidField => ("invalid_field", 12),
            Self::StoreFailed => ("store_failed", 13),
            Self::UnknownWorker => ("unknown_worker", 20),
            Self::UnknownJob => ("unknown_job", 20),
            Self::DuplicateJob => ("duplicate_job", 21),
            Self::NothingToSteal => ("nothing_to_steal", 22),
            Self::QueueEmpty => ("queue_empty", 22),
            Self::NotHeld => ("not_held", 22),
            Self::AlreadyCompleted => ("already_completed", 22),
            Self::UnfinishedJobs => ("unfinished_jobs", 22),
            Self::Full => ("full", 22),
            Self::Busy => ("busy", 22),
        }
    }
}

/// One refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind, for programs.
    pub kind: RefusalKind,
    /// The text, for people.
    pub text: String,
}

impl Refusal {
    /// Makes one.
    pub fn new(kind: RefusalKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    pub(crate) fn malformed(error: &serde_json::Error) -> Self {
        let wanted = match error.classify() {
            Category::Eof => "the message breaks off",
            _ => "the message is not JSON",
        };
        Self::new(RefusalKind::MalformedJson, format!("{wanted}: {error}"))
    }

    pub(crate) fn missing(field: &str, whose: &str) -> Self {
        Self::new(RefusalKind::MissingField, format!("{whose} lacks the field \"{field}\""))
    }

    pub(crate) fn invalid(field: &str, why: impl fmt::Display) -> Self {
        Self::new(RefusalKind::InvalidField, format!("the field \"{field}\": {why}"))
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::UnknownWorker(_) => RefusalKind::UnknownWorker,
            StoreError::UnknownJob(_) => RefusalKind::UnknownJob,
            StoreError::DuplicateJob(_) => RefusalKind::DuplicateJob,
            StoreError::AlreadyCompleted(_) => RefusalKind::AlreadyCompleted,
            StoreError::NotHeld { .. } => RefusalKind::NotHeld,
            StoreError::Full(..) => RefusalKind::Full,
            StoreError::UnfinishedJobs(_) => RefusalKind::UnfinishedJobs,
            StoreError::Unavailable(_) => RefusalKind::StoreUnavailable,
            StoreError::OutcomeUnknown(_) => RefusalKind::OutcomeUnknown,
            StoreError::Failed(_) => RefusalKind::StoreFailed,
        };
        Self::new(kind, error.to_string())
    }
}
