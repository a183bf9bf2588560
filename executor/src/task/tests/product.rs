//! Every combination of a task's wake, its end, the fate of its handle, and the time of its abort.

use super::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Woken {
    Never,
    InPoll,
    Idle,
    /// Idle, and again while it is scheduled.
    Twice,
    ByValue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handle {
    Kept,
    /// Kept, and awaited from the start.
    Awaited,
    DroppedBefore,
    DroppedIdle,
    /// Awaited from the start, and dropped while the task is idle.
    DroppedAwaiting,
    DroppedAfter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Abort {
    Never,
    Before,
    InFirstPoll,
    InLastPoll,
    Idle,
    After,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    woken: Woken,
    /// The second poll; the first is pending.
    end: Step,
    handle: Handle,
    abort: Abort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Output,
    Panic,
    Cancelled,
}

impl Case {
    /// Polls, and the outcome at the runtime's end at the latest.
    fn expected(self) -> (usize, Outcome) {
        let natural = match self.end {
            Step::Ready => Outcome::Output,
            Step::Panic => Outcome::Panic,
            Step::Pending => Outcome::Cancelled,
        };
        match (self.abort, self.woken) {
            (Abort::Before, _) => (0, Outcome::Cancelled),
            (Abort::InFirstPoll, _) => (1, Outcome::Cancelled),
            (_, Woken::InPoll) => (2, natural),
            (Abort::Idle, _) | (_, Woken::Never) => (1, Outcome::Cancelled),
            _ => (2, natural),
        }
    }

    /// Returns whether the task is complete before the runtime ends.
    fn ends_by_itself(self) -> bool {
        let aborted = match self.abort {
            Abort::Before | Abort::InFirstPoll | Abort::Idle => true,
            Abort::InLastPoll => self.expected().0 == 2,
            Abort::Never | Abort::After => false,
        };
        aborted || (self.woken != Woken::Never && self.end != Step::Pending)
    }

    /// Returns whether the task is complete after only its first runnable has run.
    fn ends_at_once(self) -> bool {
        match self.abort {
            Abort::Before | Abort::InFirstPoll => true,
            Abort::InLastPoll => self.woken == Woken::InPoll,
            Abort::Never | Abort::Idle | Abort::After => self.woken == Woken::InPoll && self.end != Step::Pending,
        }
    }

    /// How often the bell of an awaiting handle rings: once, unless the handle is dropped before.
    fn expected_rings(self) -> usize {
        usize::from(match self.handle {
            Handle::Awaited => true,
            Handle::DroppedAwaiting => self.ends_at_once(),
            Handle::Kept | Handle::DroppedBefore | Handle::DroppedIdle | Handle::DroppedAfter => false,
        })
    }

    fn play(self) {
        let home = Home::default();
        let abort: Arc<Mutex<Option<AbortHandle>>> = Arc::default();
        let future = self.future(&abort);
        let counts = Arc::clone(&future.counts);
        let waker = Arc::clone(&future.waker);
        let bell = Arc::new(Bell::default());

        let mut handle = Some(home.spawn(future));
        *abort.lock().unwrap() = handle.as_ref().map(JoinHandle::abort_handle);
        let abort_now = || abort.lock().unwrap().as_ref().expect("set above").abort();
        if matches!(self.handle, Handle::Awaited | Handle::DroppedAwaiting) {
            assert!(poll(handle.as_mut().expect("not dropped yet"), &bell).is_pending());
        }
        if self.handle == Handle::DroppedBefore {
            handle = None;
        }
        if self.abort == Abort::Before {
            abort_now();
        }
        home.run();

        if matches!(self.handle, Handle::DroppedIdle | Handle::DroppedAwaiting) {
            handle = None;
        }
        if self.abort == Abort::Idle {
            abort_now();
        }
        self.wake(&waker);
        home.run();

        if self.abort == Abort::After {
            abort_now();
        }
        assert_eq!(abort.lock().unwrap().as_ref().expect("set above").is_finished(), self.ends_by_itself());
        if self.handle == Handle::DroppedAfter {
            handle = None;
        }
        home.shut_down();
        self.check(&counts, &bell, handle);

        assert_eq!(home.0.released.load(SeqCst), 1);
        drop(abort);
        *waker.lock().unwrap() = None;
        assert_eq!(home.cells(), 0, "the cell is freed");
        assert_eq!(counts.future_drops.load(SeqCst), 1);
        assert_eq!(counts.outputs.load(SeqCst), counts.output_drops.load(SeqCst));
    }

    /// The future of the case, which wakes and aborts its task in the polls that the case names.
    fn future(self, abort: &Arc<Mutex<Option<AbortHandle>>>) -> Scripted {
        let mut poll_number = 0;
        Scripted::new(&[Step::Pending, self.end]).inside({
            let abort = Arc::clone(abort);
            move |waker| {
                poll_number += 1;
                if self.woken == Woken::InPoll && poll_number == 1 {
                    waker.wake_by_ref();
                }
                if (self.abort, poll_number) == (Abort::InFirstPoll, 1)
                    || (self.abort, poll_number) == (Abort::InLastPoll, 2)
                {
                    abort.lock().unwrap().as_ref().expect("set before the first poll").abort();
                }
            }
        })
    }

    fn wake(self, waker: &Mutex<Option<Waker>>) {
        let Some(waker) = waker.lock().unwrap().clone() else { return };
        match self.woken {
            Woken::Never | Woken::InPoll => {}
            Woken::Idle => waker.wake_by_ref(),
            Woken::Twice => {
                waker.wake_by_ref();
                waker.wake();
            }
            Woken::ByValue => waker.wake(),
        }
    }

    fn check(self, counts: &Counts, bell: &Bell, handle: Option<JoinHandle<Output>>) {
        let (polls, outcome) = self.expected();
        assert_eq!(counts.polls.load(SeqCst), polls);
        assert_eq!(counts.future_drops.load(SeqCst), 1);
        assert_eq!(bell.rings(), self.expected_rings(), "the joiner is woken once, if there is one");
        let Some(handle) = handle else {
            assert_eq!(counts.output_drops.load(SeqCst), counts.outputs.load(SeqCst), "a detached output is dropped");
            return;
        };
        let is = match result(handle) {
            Ok(_) => Outcome::Output,
            Err(error) if error.is_panic() => Outcome::Panic,
            Err(_) => Outcome::Cancelled,
        };
        assert_eq!(is, outcome);
    }
}

#[test]
fn each_future_is_polled_as_expected_and_dropped_once() {
    let woken = [Woken::Never, Woken::InPoll, Woken::Idle, Woken::Twice, Woken::ByValue];
    let ends = [Step::Pending, Step::Ready, Step::Panic];
    let handles = [
        Handle::Kept,
        Handle::Awaited,
        Handle::DroppedBefore,
        Handle::DroppedIdle,
        Handle::DroppedAwaiting,
        Handle::DroppedAfter,
    ];
    let aborts = [Abort::Never, Abort::Before, Abort::InFirstPoll, Abort::InLastPoll, Abort::Idle, Abort::After];
    let mut played = 0;
    for woken in woken {
        for end in ends {
            for handle in handles {
                for abort in aborts {
                    let case = Case { woken, end, handle, abort };
                    let outcome = std::panic::catch_unwind(|| case.play());
                    assert!(outcome.is_ok(), "{case:?}");
                    played += 1;
                }
            }
        }
    }
    assert_eq!(played, 5 * 3 * 6 * 6);
}
