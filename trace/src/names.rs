//! All names that occur in a trace. The encoder writes them, and the decoder and the report read
//! them.

use std::fmt::Display;

/// Defines an enum of names, with the constant `ALL` and the methods `name` and `from_name`.
macro_rules! named {
    ($(#[$of_type:meta])* $type:ident { $($(#[$of_one:meta])* $one:ident = $name:literal,)* }) => {
        $(#[$of_type])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type { $($(#[$of_one])* $one,)* }

        impl $type {
            /// All variants, in the order of their numbers.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$one),*];

            /// Returns the variant's name in a trace.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$one => $name,)* }
            }

            /// Returns the variant with this name, or `None` if there is no such variant.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$one),)* _ => None }
            }
        }
    };
}

named! {
    /// The key of an annotation, which is a named value attached to an event.
    AnnotationKey {
        /// The id of the task.
        Task = "task",
        /// For a poll: where the scheduler found the task, as a [`TaskSource`].
        Source = "source",
        /// The processor from which tasks were stolen.
        Victim = "victim",
        /// The source location at which the task was spawned.
        SpawnedAt = "spawned_at",
        /// For a poll: the cause of the wake that led to the poll, as a [`WakeCause`].
        WokenBy = "woken_by",
        /// For a poll: the id of the task that woke the polled task.
        Waker = "waker",
        /// For a poll: the number of nanoseconds from the wake to the poll.
        Waited = "waited_ns",
        /// For a poll: how the poll ended, as a [`PollOutcome`].
        Outcome = "outcome",
        /// For a wake: what caused the wake, as a [`WakeCause`].
        By = "by",
        /// The number of tasks that were moved.
        Tasks = "tasks",
        /// How long the poll has taken so far, in milliseconds.
        Millis = "ms",
        /// True if the thread that polls the task is asleep in the kernel.
        Asleep = "asleep",
        /// The number of sockets that the netpoller found ready.
        Events = "events",
        /// The number of timers that were due.
        Timers = "timers",
        /// The number of events that were dropped.
        Count = "count",
        /// For a wait: what the task waits for, as an [`Awaited`].
        WaitsFor = "waits_for",
        /// For a wait: the source location at which the lock or channel was created.
        MadeAt = "made_at",
        /// For a CPU sample: the functions that the thread was in, the outermost first.
        Stack = "stack",
    }
}

named! {
    /// The name of an event. Polls are not listed, because they are named after their task or its
    /// spawn location.
    EventName {
        /// A task was spawned.
        Spawn = "spawn",
        /// A task was woken.
        Wake = "wake",
        /// A poll ends because the task waits for a lock or a channel.
        Wait = "wait",
        /// A task has completed.
        End = "end",
        /// A sample of what a thread used CPU time for.
        Sample = "sample",
        /// A processor has stolen tasks from another processor.
        Steal = "steal",
        /// A processor's ring was full, and half of its tasks were moved to the injector.
        Overflow = "overflow",
        /// The runtime's watcher thread has found a poll that takes too long.
        Stall = "stall",
        /// A turn of the netpoller.
        Turn = "turn",
        /// Events were dropped at this time or earlier. This is also the last event of every file.
        EventsDropped = "events dropped",
        /// A task was woken before the end of the file, but has not been polled since.
        WaitsAtEnd = "waits at the end",
        /// A poll of a task whose name and spawn location are both unknown.
        UnknownTask = "a task",
        /// The thread is parked because it has no work.
        Parked = "parked",
        /// The thread blocks in the netpoller and waits for sockets.
        Netpoller = "netpoller",
        /// The thread helps with another thread's parallel region.
        Helps = "helps",
        /// The thread runs a blocking job.
        BlockingJob = "blocking job",
        /// The thread is in a blocking call in the middle of a poll.
        InPlace = "in place",
    }
}

named! {
    /// The place where the scheduler found the task that it polled.
    TaskSource {
        /// The processor's runnext slot, which holds the task that the running
        /// task woke or spawned last.
        Runnext = "runnext",
        /// The processor's ring, which is the local run queue.
        Ring = "ring",
        /// The injector, which is the global run queue, or the queue of the background tasks.
        Injector = "injector",
        /// The turn of the netpoller just before the poll, or the timers that were checked along
        /// with it.
        Network = "network",
        /// The timers of another processor.
        Timer = "timer",
        /// Another processor, from which the task was stolen.
        Stolen = "stolen",
        /// The queue of a `LocalSet`, whose tasks all run on the same thread.
        Local = "local",
        /// An unknown place, because the trace does not say.
        Unknown = "unknown",
    }
}

named! {
    /// The kind of event that caused a task to be woken.
    WakeCause {
        /// Another task, or the task itself.
        Task = "task",
        /// The netpoller, because a socket became ready.
        Network = "network",
        /// A timer that was due.
        Timer = "timer",
        /// A thread that was not polling a task.
        Outside = "outside",
        /// No wake at all: the task was spawned.
        Spawn = "spawn",
    }
}

named! {
    /// How a poll ended.
    PollOutcome {
        /// The task is waiting, or has yielded.
        Pending = "pending",
        /// The task has completed.
        Ready = "ready",
        /// The processor was handed over during the poll, and the poll continued without a
        /// processor.
        HandedOver = "handed over",
    }
}

named! {
    /// What a waiting task waits for: a kind of lock, channel or other primitive.
    ///
    /// The order and the names are the same as in the crate that defines the primitives. The
    /// executor checks that they agree.
    Awaited {
        /// A mutex that is currently locked.
        Mutex = "mutex",
        /// A read lock on a readers-writer lock.
        RwLockRead = "rwlock_read",
        /// A write lock on a readers-writer lock.
        RwLockWrite = "rwlock_write",
        /// Enough free permits of a semaphore.
        Semaphore = "semaphore",
        /// A value from an mpsc channel.
        MpscReceive = "mpsc_receive",
        /// Free capacity in an mpsc channel.
        MpscSend = "mpsc_send",
        /// An mpsc channel's receiver to be closed or dropped.
        MpscClosed = "mpsc_closed",
        /// The value of a oneshot channel.
        OneshotReceive = "oneshot_receive",
        /// A oneshot channel's receiver to be closed or dropped.
        OneshotClosed = "oneshot_closed",
        /// A new value in a watch channel.
        WatchChanged = "watch_changed",
        /// All receivers of a watch channel to be dropped.
        WatchClosed = "watch_closed",
        /// A value from a broadcast channel.
        BroadcastReceive = "broadcast_receive",
        /// All receivers of a broadcast channel to be dropped.
        BroadcastClosed = "broadcast_closed",
        /// A notification from a `Notify` that has yet to be sent.
        Notify = "notify",
        /// The other tasks to reach a barrier.
        Barrier = "barrier",
        /// The value of a once cell, while another task initializes the cell.
        OnceCell = "once_cell",
        /// The value of a cell that can be set once.
        SetOnce = "set_once",
        /// The cancellation of a token.
        Cancellation = "cancellation",
        /// A value from an mpmc channel.
        MpmcReceive = "mpmc_receive",
        /// Free capacity in an mpmc channel.
        MpmcSend = "mpmc_send",
        /// An mpmc channel to be closed, or all of its receivers to be dropped.
        MpmcClosed = "mpmc_closed",
    }
}

impl Awaited {
    /// Returns whether such a wait is due to contention: other tasks hold the lock, have all the
    /// permits, or have filled the channel. All other waits are for something that has yet to
    /// happen.
    pub const fn is_contended(self) -> bool {
        use Awaited::{MpscSend, Mutex, OnceCell, RwLockRead, RwLockWrite, Semaphore};
        matches!(self, Mutex | RwLockRead | RwLockWrite | Semaphore | MpscSend | OnceCell)
    }
}

/// The prefix of a processor's name, followed by the processor's index.
const PROCESSOR: &str = "P";
/// The end of the name of a spare processor's track.
const SPARE: &str = " (spare)";
/// The prefix of the name of a slice in which a thread holds a processor, followed by the
/// processor's name.
const HOLDS: &str = "holds ";
/// The prefix of the name of the counter of a processor's queued tasks, followed by the processor's
/// name.
const QUEUE: &str = "queue ";

/// Returns the name of the processor with this index.
pub fn processor(index: impl Display) -> String {
    format!("{PROCESSOR}{index}")
}

/// Returns the name of the track of a spare processor with this index.
pub fn spare_processor(index: impl Display) -> String {
    processor(index) + SPARE
}

/// Returns whether the name of a processor's track says that the processor is a spare.
pub fn is_spare(track: &str) -> bool {
    track.ends_with(SPARE)
}

/// Returns the name of the counter that shows the number of tasks queued on the processor with this
/// index.
pub fn queue(index: u16) -> String {
    format!("{QUEUE}{}", processor(index))
}

/// Returns the name of a slice in which a thread holds the processor with this index.
pub fn holds(index: u16) -> String {
    format!("{HOLDS}{}", processor(index))
}

/// Returns the index of the processor that is held during a slice with this name, or `None` if the
/// name is not one that [`holds`] returns.
pub fn processor_held(slice: &str) -> Option<u16> {
    slice.strip_prefix(HOLDS)?.strip_prefix(PROCESSOR)?.parse().ok()
}

impl TaskSource {
    const KIND_BITS: u32 = 3;
    /// The maximum number of sources. The number of every source is smaller.
    pub const MOST: usize = 1 << Self::KIND_BITS;

    /// Returns the number that encodes a theft from the processor with index `victim`: the source
    /// in the low bits, and the victim's index above.
    pub const fn stolen_from(victim: u32) -> u32 {
        victim << Self::KIND_BITS | Self::Stolen as u32
    }

    /// Decodes the source number of an event. For a theft, also returns the index of the processor
    /// from which the task was stolen.
    pub fn from_number(number: u32) -> (Self, Option<u32>) {
        let source = Self::ALL[number as usize % Self::MOST];
        (source, (source == Self::Stolen).then_some(number >> Self::KIND_BITS))
    }
}

const _: () = assert!(TaskSource::ALL.len() == TaskSource::MOST);

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_back_to_its_own() {
        fn check<T: Copy + PartialEq + std::fmt::Debug>(
            all: &[T],
            name: fn(T) -> &'static str,
            back: fn(&str) -> Option<T>,
        ) {
            all.iter().for_each(|&one| assert_eq!(back(name(one)), Some(one)));
            assert_eq!(back("something else"), None);
        }
        check(&AnnotationKey::ALL, AnnotationKey::name, AnnotationKey::from_name);
        check(&EventName::ALL, EventName::name, EventName::from_name);
        check(&TaskSource::ALL, TaskSource::name, TaskSource::from_name);
        check(&WakeCause::ALL, WakeCause::name, WakeCause::from_name);
        check(&Awaited::ALL, Awaited::name, Awaited::from_name);
        check(&PollOutcome::ALL, PollOutcome::name, PollOutcome::from_name);
    }

    #[test]
    fn a_slice_says_which_processor_is_held() {
        assert_eq!((holds(12).as_str(), processor_held(&holds(12))), ("holds P12", Some(12)));
        for other in ["holds P", "holds P-1", "holds P4000000000000", "parked", "holds P65536"] {
            assert_eq!(processor_held(other), None, "{other}");
        }
    }

    #[test]
    fn a_theft_has_a_victim() {
        assert_eq!(TaskSource::from_number(TaskSource::stolen_from(4_095)), (TaskSource::Stolen, Some(4_095)));
        assert_eq!(TaskSource::from_number(TaskSource::Ring as u32), (TaskSource::Ring, None));
    }
}
