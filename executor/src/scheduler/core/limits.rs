//! The scheduler's limits: how often each place is looked at, and how long a task may hold a
//! processor. Each has its reason beside it.
//!
//! One more is the reactor's: a task does 128 ready operations in one poll at most
//! ([`wsrt_reactor::budget::PER_POLL`]).
//!
//! Times are in nanoseconds where their type does not say otherwise.

/// One tick in 61 is the injector's, and one the netpoller's, as in Go: often enough that nothing
/// starves there, seldom enough to be free, and a prime, so that it does not fall into step with
/// patterns of the program's own. `Builder::global_queue_interval` and `Builder::event_interval`
/// set others. A poll of a `LocalSet` ends after as many of its tasks, and so does the turn that
/// a root which was woken gives to tasks.
pub(crate) const INTERVAL: u32 = 61;

/// From 16 processors on, a searcher that has found work wakes two others. With fewer it wakes one,
/// and only the last searcher does: a chain of wakes reaches all of few soon enough, and wakes none
/// in vain. It takes 25 ms to reach 1,024 (`docs/SCALE.md`).
pub(crate) const MANY_PROCESSORS: usize = 16;

/// How long a chain through runnext may hold the processor, 10 ms: Go's time slice. After as
/// long without a look the watcher polls the network itself, as in Go.
///
/// The limit is time and not a count, so that two light tasks and two heavy ones, each pair handing
/// off to each other, get like shares of a processor.
pub(crate) const TIME_SLICE: u64 = 10_000_000;

/// The injector's turn is over after 200 µs, however few polls it had: about tokio's aim.
pub(crate) const LONGEST_TURN: u64 = 200_000;

/// Background tasks get a hundredth of a busy processor's time: enough that none starves forever,
/// and too little to be seen in the latency of a server. `Builder::background_share` sets another
/// part.
pub(crate) const BACKGROUND_SHARE: f64 = 0.01;

/// Sockets and timers may wait for 1 ms where that saves work:
///
/// * A busy processor looks at the netpoller after that time, however few polls that were. Helpers
///   that have not looked for as long are in a long piece of work, and another machine sees to it.
/// * Timers that come within that time share a wake, if they are a crowd: to put a thread to sleep
///   and wake it takes 3 to 20 µs of processor time, many times the cost of firing a timer. So
///   sleeps between timers take two hundredths of a core at most, however many timers there are.
/// * An idle attendant looks for jobs in the trees of in-place scopes as often, and so does a
///   thread whose wait is over while its number is still lent.
pub(crate) const ACCEPTED_DELAY: u64 = 1_000_000;

/// A helper looks at the netpoller after 50 µs, if no machine blocks in it. A machine that did
/// would have to be given a core first, and with all of them computing a kernel may take
/// milliseconds for that.
pub(crate) const HELPER_NETWORK_PERIOD: u64 = 50_000;

/// So many timers are a crowd; fewer are woken for one by one, each on time.
pub(crate) const CROWD: usize = 4;

/// The watcher looks at quota and affinity once a second at most, and makes a round of the patrol
/// as often, the last one that long after the last poll.
pub(crate) const PERIOD: u64 = 1_000_000_000;
