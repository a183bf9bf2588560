//! The timeline shows what a task waits for, and leads from the task that releases or sends to the
//! task that waited.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use wsrt::runtime::Builder;
use wsrt::sync::{Mutex, mpsc};
use wsrt::task;
use wsrt_tests::Directory;
use wsrt_trace::decode::{Decoded, Decoder, NameTable, PacketReader, TrackEvent};
use wsrt_trace::{Awaited, EventName, TrackEventKind, WakeCause};

/// The events of a file, and their names.
struct Recorded {
    events: Vec<TrackEvent>,
    names: NameTable,
}

impl Recorded {
    /// Runs `life` as a task of a current-thread runtime with a timeline. Returns the line that it
    /// returns, too: where it made its lock.
    fn of(life: impl Future<Output = u32> + Send + 'static) -> (Self, u32) {
        let directory = Directory::new();
        let path = directory.path("trace");
        let runtime = Builder::new_current_thread().trace(&path).build().expect("a runtime");
        let life = task::Builder::new().name("life").spawn_on(life, runtime.handle());
        let line = runtime.block_on(life).expect("no panic");
        drop(runtime);
        let file = fs::File::open(&path).expect("it was written");
        let (mut packets, mut decoder, mut events) = (PacketReader::of(file), Decoder::default(), Vec::new());
        while let Ok(packet) = packets.next_packet().expect("a file can be read") {
            if let Decoded::Event(event) = decoder.decode(packet).expect("it is sound") {
                events.push(event);
            }
        }
        (Self { events, names: decoder.names }, line)
    }

    fn position(&self, from: usize, is_it: impl Fn(&TrackEvent, &str) -> bool) -> usize {
        let mut later = self.events.iter().skip(from);
        let found = later.position(|event| is_it(event, self.names.text(event.name)));
        from + found.unwrap_or_else(|| panic!("not among {:#?}", &self.events[from..]))
    }

    /// Checks that "waiter" waits for `awaited`, made at `line`, and that the wake in a later poll
    /// of "life" leads to its next poll.
    #[track_caller]
    fn assert_wait_ends_in_life(&self, awaited: Awaited, line: u32) {
        use TrackEventKind::{Begin, End, Instant};
        let waits = self.position(0, |event, name| event.kind == Instant && name == EventName::Wait.name());
        let wait = self.events[waits].annotations;
        assert_eq!(wait.waits_for, Some(awaited));
        let place = self.names.text(wait.made_at.expect("it has a place"));
        assert!(place.starts_with(&format!("{}:{line}:", file!())), "{place}, not line {line}");
        // It stands at the end of the poll that waits.
        assert_eq!((self.events[waits + 1].kind, self.events[waits + 1].at), (End, self.events[waits].at));

        let begin = self.position(waits, |event, name| event.kind == Begin && name == "life");
        let waker = self.events[begin].annotations.task;
        assert!(waker.is_some());
        let is_wake =
            |event: &TrackEvent, name: &str| name == EventName::Wake.name() && event.annotations.task == wait.task;
        let wake = self.position(begin, is_wake);
        let mut polled = self.events[begin..wake].iter().filter(|event| event.kind == Begin);
        assert!(polled.all(|event| event.annotations.task.is_none_or(|task| Some(task) == waker)));
        let next = self.position(wake, |event, _| event.kind == Begin && event.annotations.task == wait.task);
        let next = self.events[next].annotations;
        assert_eq!((next.woken_by, next.waker), (Some(WakeCause::Task), waker));
    }
}

/// Yields until the future that `begun` belongs to has been polled.
async fn until(begun: &AtomicBool) {
    while !begun.load(SeqCst) {
        task::yield_now().await;
    }
}

#[test]
fn a_release_leads_to_the_task_that_waited_for_it() {
    let (recorded, line) = Recorded::of(async move {
        let (lock, begun) = (Arc::new(Mutex::new(0)), Arc::new(AtomicBool::new(false)));
        let line = line!() - 1;
        let guard = lock.lock().await;
        let (its_lock, its_begun) = (lock.clone(), begun.clone());
        let waiter = task::Builder::new().name("waiter").spawn(async move {
            its_begun.store(true, SeqCst);
            *its_lock.lock().await += 1;
        });
        until(&begun).await;
        drop(guard);
        waiter.await.expect("no panic");
        line
    });
    recorded.assert_wait_ends_in_life(Awaited::Mutex, line);
}

#[test]
fn a_send_leads_to_the_task_that_receives() {
    let (recorded, line) = Recorded::of(async move {
        let (sender, mut receiver) = mpsc::channel(1);
        let line = line!() - 1;
        let begun = Arc::new(AtomicBool::new(false));
        let its_begun = begun.clone();
        let waiter = task::Builder::new().name("waiter").spawn(async move {
            its_begun.store(true, SeqCst);
            receiver.recv().await
        });
        until(&begun).await;
        sender.send(5).await.expect("there is a receiver");
        assert_eq!(waiter.await.expect("no panic"), Some(5));
        line
    });
    recorded.assert_wait_ends_in_life(Awaited::MpscReceive, line);
}
