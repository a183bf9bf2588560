//! Every name in a trace, once: the encoder writes them, the decoder and the report read them.

use std::fmt::Display;

/// Makes an enum of names: `ALL` of them, in order; the `name` of each; and back by `from_name`.
macro_rules! named {
    ($(#[$of_type:meta])* $type:ident { $($(#[$of_one:meta])* $one:ident = $name:literal,)* }) => {
        $(#[$of_type])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type { $($(#[$of_one])* $one,)* }

        impl $type {
            /// All of them, in the order of their numbers.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$one),*];

            /// Returns its name in a trace.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$one => $name,)* }
            }

            /// Returns the one with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$one),)* _ => None }
            }
        }
    };
}

named! {
    /// The key of an annotation, one of the values that belong to an event.
    AnnotationKey {
        /// The task's number.
        Task = "task",
        /// For a poll: where its task was found, a [`TaskSource`].
        Source = "source",
        /// The processor that tasks were stolen from.
        Victim = "victim",
        /// Where the task was spawned.
        SpawnedAt = "spawned_at",
        /// For a poll: the cause of the wake before it, a [`WakeCause`].
        WokenBy = "woken_by",
        /// For a poll: the task that had woken its task.
        Waker = "waker",
        /// For a poll: nanoseconds from the wake to it.
        Waited = "waited_ns",
        /// For a poll: a [`PollOutcome`].
        Outcome = "outcome",
        /// For a wake: its cause, a [`WakeCause`].
        By = "by",
        /// How many tasks were moved.
        Tasks = "tasks",
        /// How long a poll has taken, in milliseconds.
        Millis = "ms",
        /// True if the thread of a poll sleeps.
        Asleep = "asleep",
        /// How many sockets the netpoller has found ready.
        Events = "events",
        /// How many timers were due.
        Timers = "timers",
        /// How many events were dropped.
        Count = "count",
        /// For a wait: its kind, an [`Awaited`].
        WaitsFor = "waits_for",
        /// For a wait: where the lock or channel was made.
        MadeAt = "made_at",
    }
}

named! {
    /// The name of an event, unless that is the name of a task or of a place in the source.
    EventName {
        /// A task was spawned.
        Spawn = "spawn",
        /// A task was woken.
        Wake = "wake",
        /// A poll ends, and its task waits for a lock or channel.
        Wait = "wait",
        /// A task is complete.
        End = "end",
        /// A thief has taken tasks of another processor.
        Steal = "steal",
        /// A full ring has given half of its tasks to the injector.
        Overflow = "overflow",
        /// The watcher has found a poll that takes long.
        Stall = "stall",
        /// A turn of the netpoller.
        Turn = "turn",
        /// Some events were dropped, at this time or before; also the last event of a file.
        EventsDropped = "events dropped",
        /// A task was woken before the end of the file, and not polled.
        WaitsAtEnd = "waits at the end",
        /// A poll of a task of which neither the name nor the place is known.
        UnknownTask = "a task",
        /// The thread is parked.
        Parked = "parked",
        /// The thread blocks in the netpoller.
        Netpoller = "netpoller",
        /// The thread helps with a parallel region of another thread.
        Helps = "helps",
        /// The thread runs a blocking job.
        BlockingJob = "blocking job",
        /// The thread is in a call that blocks, in the middle of a poll.
        InPlace = "in place",
    }
}

named! {
    /// Where the task of a poll was found.
    TaskSource {
        /// In the processor's runnext.
        Runnext = "runnext",
        /// In the processor's ring.
        Ring = "ring",
        /// In the injector.
        Injector = "injector",
        /// In the turn of the netpoller just before, or among the timers looked at with it.
        Network = "network",
        /// Among the timers of another processor.
        Timer = "timer",
        /// On another processor, the victim.
        Stolen = "stolen",
        /// In the queue of a `LocalSet`.
        Local = "local",
        /// The trace does not say.
        Unknown = "unknown",
    }
}

named! {
    /// Why a task was woken.
    WakeCause {
        /// A task has woken it.
        Task = "task",
        /// The netpoller has woken it.
        Network = "network",
        /// A timer has woken it.
        Timer = "timer",
        /// A thread that polls no task has woken it.
        Outside = "outside",
        /// It was spawned.
        Spawn = "spawn",
    }
}

named! {
    /// How a poll ended.
    PollOutcome {
        /// The task waits, or has yielded.
        Pending = "pending",
        /// The task is complete.
        Ready = "ready",
        /// The processor was handed over during the poll, which continued without one.
        HandedOver = "handed over",
    }
}

named! {
    /// The lock or channel that a task waits for. The order and the names are the same as in the
    /// crate that has them; the executor checks that.
    Awaited {
        /// A mutex.
        Mutex = "mutex",
        /// A readers-writer lock, to read.
        RwLockRead = "rwlock_read",
        /// A readers-writer lock, to write.
        RwLockWrite = "rwlock_write",
        /// The permits of a semaphore.
        Semaphore = "semaphore",
        /// A value in an mpsc channel.
        MpscReceive = "mpsc_receive",
        /// Room in an mpsc channel.
        MpscSend = "mpsc_send",
        /// The end of an mpsc channel's receiver.
        MpscClosed = "mpsc_closed",
        /// The value of a oneshot channel.
        OneshotReceive = "oneshot_receive",
        /// The end of a oneshot channel's receiver.
        OneshotClosed = "oneshot_closed",
        /// A change in a watch channel.
        WatchChanged = "watch_changed",
        /// The end of all receivers of a watch channel.
        WatchClosed = "watch_closed",
        /// A value in a broadcast channel.
        BroadcastReceive = "broadcast_receive",
        /// The end of all receivers of a broadcast channel.
        BroadcastClosed = "broadcast_closed",
        /// A notification.
        Notify = "notify",
        /// The other tasks at a barrier.
        Barrier = "barrier",
        /// The first value of a cell, which another task computes.
        OnceCell = "once_cell",
        /// The value of a cell that is set once.
        SetOnce = "set_once",
    }
}

impl Awaited {
    /// Returns whether such a wait means that other tasks have taken what there is: a lock, all
    /// permits, all room in a channel. Other waits are for something that has yet to happen.
    pub const fn is_contended(self) -> bool {
        use Awaited::{MpscSend, Mutex, OnceCell, RwLockRead, RwLockWrite, Semaphore};
        matches!(self, Mutex | RwLockRead | RwLockWrite | Semaphore | MpscSend | OnceCell)
    }
}

/// Begins a processor's name; its index follows.
const PROCESSOR: &str = "P";
/// Begins the name of a slice in which a thread holds a processor; the processor's name follows.
const HOLDS: &str = "holds ";
/// Begins the name of the counter of a processor's tasks; the processor's name follows.
const QUEUE: &str = "queue ";

/// Returns the name of the processor with this index.
pub fn processor(index: impl Display) -> String {
    format!("{PROCESSOR}{index}")
}

/// Returns the name of the counter of the tasks on the processor with this index.
pub fn queue(index: u16) -> String {
    format!("{QUEUE}{}", processor(index))
}

/// Returns the name of a slice in which a thread holds the processor with this index.
pub fn holds(index: u16) -> String {
    format!("{HOLDS}{}", processor(index))
}

/// Returns the index of the processor that is held in a slice with this name, if one is.
pub fn processor_held(slice: &str) -> Option<u16> {
    slice.strip_prefix(HOLDS)?.strip_prefix(PROCESSOR)?.parse().ok()
}

impl TaskSource {
    const KIND_BITS: u32 = 3;
    /// How many sources there can be: their numbers are less.
    pub const MOST: usize = 1 << Self::KIND_BITS;

    /// Returns the number of a theft: the source, and above it the victim's index.
    pub const fn stolen_from(victim: u32) -> u32 {
        victim << Self::KIND_BITS | Self::Stolen as u32
    }

    /// Returns the source in an event's number, and the index of the victim of a theft.
    pub fn from_number(number: u32) -> (Self, Option<u32>) {
        let source = Self::ALL[number as usize % Self::MOST];
        (source, (source == Self::Stolen).then_some(number >> Self::KIND_BITS))
    }
}

const _: () = assert!(TaskSource::ALL.len() == TaskSource::MOST);

#[cfg(all(test, not(loom)))]
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
