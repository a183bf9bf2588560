//! The scheduler's limits: how often each place is looked at, how long a task may hold a processor,
//! how much is moved at a time. Each has its reason beside it.
//!
//! One more is the reactor's: a task does 128 ready operations in one poll at most
//! ([`wsrt_reactor::budget::PER_POLL`]).
//!
//! Times are in nanoseconds where their type does not say otherwise.

use std::time::Duration;

/// The injector has its turn at each 61st tick, as in Go: often enough that nothing starves there,
/// seldom enough to be free, and a prime, so that it does not fall into step with patterns of the
/// program's own. `Builder::global_queue_interval` sets another.
pub(crate) const GLOBAL_QUEUE_INTERVAL: u32 = 61;

/// A busy processor looks at the netpoller at each 61st tick, for the same reasons.
/// `Builder::event_interval` sets another.
pub(crate) const EVENT_INTERVAL: u32 = 61;

/// One poll of a `LocalSet` polls so many of its tasks at most, and then lets others have their
/// turn.
pub(crate) const LOCAL_POLLS: usize = 61;

/// The most tasks that one machine takes from the injector at a time: half of a ring.
pub(crate) const INJECTOR_BATCH: usize = 128;

/// A batch that has to stay in order goes to the ring up to this size, half of a ring: one that was
/// not half full already takes it without an overflow.
pub(crate) const LARGEST_ORDERED_BATCH: usize = 128;

/// The most of one wake batch that goes to one ring. A poller that kept a whole batch to itself
/// would let the last of it wait for all the others, since thieves come only when they run dry; and
/// it might fill the ring to the brim.
pub(crate) const LARGEST_SHARE: usize = 64;

/// From 16 processors on, a searcher that has found work wakes two others. With fewer it wakes one,
/// and only the last searcher does: a chain of wakes reaches all of few soon enough, and wakes none
/// in vain. It takes 25 ms to reach 1,024 (`docs/SCALE.md`).
pub(crate) const MANY_PROCESSORS: usize = 16;

/// How long a chain through runnext may hold the processor, 10 ms: Go's time slice.
///
/// The limit is time and not a count, so that two light tasks and two heavy ones, each pair handing
/// off to each other, get like shares of a processor.
pub(crate) const TIME_SLICE: u64 = 10_000_000;

/// The injector's turn is over after 200 µs, however few polls it had: about tokio's aim.
pub(crate) const LONGEST_TURN: u64 = 200_000;

/// A busy processor looks at the netpoller after 1 ms, however few polls that were.
pub(crate) const NETWORK_PERIOD: u64 = 1_000_000;

/// A helper looks at the netpoller after 50 µs, if no machine blocks in it. A machine that did
/// would have to be given a core first, and with all of them computing a kernel may take
/// milliseconds for that.
pub(crate) const HELPER_NETWORK_PERIOD: u64 = 50_000;

/// Helpers that have not looked at the netpoller for 1 ms are in a long piece of work, and another
/// machine had better see to it.
pub(crate) const HELPERS_ABSENT: u64 = 1_000_000;

/// No thread has looked at the netpoller for 10 ms: the watcher does.
pub(crate) const NETWORK_UNWATCHED: u64 = 10_000_000;

/// Timers that come within 1 ms share a wake, if they are a crowd: to put a thread to sleep and
/// wake it takes 3 to 20 µs of processor time, many times the cost of firing a timer. So sleeps
/// between timers take two hundredths of a core at most, however many timers there are.
pub(crate) const SHARED_WAKE: u64 = 1_000_000;

/// So many timers are a crowd; fewer are woken for one by one, each on time.
pub(crate) const CROWD: usize = 4;

/// The last thread to leave a runtime sleeps for 50 µs between looks at tasks that another thread
/// is just about to queue.
pub(crate) const SHUTDOWN_RETRY: Duration = Duration::from_micros(50);
