//! The plans: which system call fails, with which error, and when.

use std::fmt;

/// One plan of injection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) call: &'static str,
    pub(crate) error: &'static str,
    pub(crate) when: When,
}

/// Which of its calls fail, of those that a thread makes while the plan is in force: strace counts
/// for each thread by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    First,
    Third,
    EachTenth,
    FromFirst,
    FromThird,
}

use When::{EachTenth, First, FromFirst, FromThird, Third};

impl When {
    const ALL: [When; 5] = [First, Third, EachTenth, FromFirst, FromThird];

    /// In strace's notation.
    pub(crate) fn notation(self) -> &'static str {
        match self {
            First => "1",
            Third => "3",
            EachTenth => "10+10",
            FromFirst => "1+",
            FromThird => "3+",
        }
    }

    /// Whether it never ends by itself.
    fn lasts(self) -> bool {
        matches!(self, FromFirst | FromThird)
    }

    /// How often a program has to do a thing so that the one of its threads that does it most makes
    /// a call that fails.
    pub(crate) fn rounds(self) -> usize {
        match self {
            First | FromFirst => 1,
            Third | FromThird => 6,
            EachTenth => 24,
        }
    }
}

impl Plan {
    /// A program that is told again and again to repeat a call cannot but do so.
    pub(crate) fn asks_for_repetition(self) -> bool {
        self.when.lasts() && self.error == "EINTR"
    }

    /// The standard library ends the process where the system has no memory for the stack on which
    /// a new thread would report that its own is used up.
    pub(crate) fn ends_in_the_standard_library(self) -> bool {
        self.call == "mmap"
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:error={}:when={}", self.call, self.error, self.when.notation())
    }
}

/// The calls, and the likeliest refusal of each.
const CALLS: [(&str, &str); 13] = [
    ("clone3", "EAGAIN"),
    ("epoll_ctl", "ENOSPC"),
    ("epoll_create1", "EMFILE"),
    ("eventfd2", "ENFILE"),
    ("timerfd_create", "EMFILE"),
    ("timerfd_settime", "EINVAL"),
    ("accept4", "EMFILE"),
    ("socket", "EMFILE"),
    ("socketpair", "ENFILE"),
    ("connect", "EAGAIN"),
    ("openat", "EMFILE"),
    ("mmap", "ENOMEM"),
    ("epoll_wait", "EINTR"),
];

const ERRORS: [&str; 7] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ENOSPC", "EINTR", "ECONNABORTED"];

/// A broken poller is a defect, on which the process ends: of its errors only EINTR is none. EAGAIN
/// is no refusal of `accept4`, but the answer that no connection waits: the poll then reports the
/// next one, and not one that waits already.
fn is_possible(call: &str, error: &str) -> bool {
    match call {
        "epoll_wait" => error == "EINTR",
        "accept4" => error != "EAGAIN",
        _ => true,
    }
}

/// Each call with its likeliest refusal, from the first on, and in the middle.
pub(crate) fn representative() -> Vec<Plan> {
    let plan = |when| move |(call, error)| Plan { call, error, when };
    let lasting = CALLS.into_iter().filter(|(_, error)| *error != "EINTR").map(plan(FromFirst));
    let passing = CALLS.into_iter().map(plan(Third));
    let others = [
        ("accept4", "ECONNABORTED", EachTenth),
        ("accept4", "EINTR", First),
        ("connect", "EINTR", First),
        ("epoll_ctl", "ENOMEM", First),
        ("openat", "EINTR", First),
        ("timerfd_settime", "EINVAL", FromThird),
    ];
    let others = others.into_iter().map(|(call, error, when)| Plan { call, error, when });
    lasting.chain(passing).chain(others).collect()
}

/// Each call with each error, at each time.
pub(crate) fn all() -> Vec<Plan> {
    let mut plans = Vec::new();
    for (call, likeliest) in CALLS {
        let others = ERRORS.into_iter().filter(|error| *error != likeliest);
        for error in [likeliest].into_iter().chain(others).filter(|error| is_possible(call, error)) {
            let plan = |when| Plan { call, error, when };
            // The standard library repeats the opening of a file for as long as it is interrupted,
            // and a poll that is always interrupted reports nothing.
            let is_endless = |plan: &Plan| matches!(plan.call, "openat" | "epoll_wait") && plan.asks_for_repetition();
            plans.extend(When::ALL.map(plan).into_iter().filter(|plan| !is_endless(plan)));
        }
    }
    plans
}
