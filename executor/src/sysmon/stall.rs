//! Stalls: polls that held a processor for long, counted, reported once for each stack, and passed
//! on to a hook. And the rescues: what sysmon did on behalf of the machines.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use wsrt_stack::{Backtrace, MOST_SHOWN, MOST_WAITING, NoStack, Sample};
use wsrt_trace::place::ShortLocation;

use crate::observe::counters::Counter;
use crate::util::report::{Report, ReportHook, ReportKind};
use crate::util::sync::unmodelled::AtomicU64;
use crate::util::sync::unmodelled::Ordering::Relaxed;
use crate::util::sync::{self, Mutex};
use crate::util::unwind::call_hook;

/// A poll that has lasted longer than the threshold, and had not returned when it was noticed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Stall {
    /// The id of the task, as [`Id`](crate::task::Id) displays it.
    pub task_id: u64,
    /// The task's name, if it was given one with
    /// [`task::Builder::name`](crate::task::Builder::name).
    pub task_name: Option<Arc<str>>,
    /// Where the task was spawned.
    pub spawned_at: &'static Location<'static>,
    /// How long the poll had lasted when it was noticed. It began up to two milliseconds earlier.
    pub duration: Duration,
    /// True if the thread sleeps in a system call; otherwise it uses CPU time, or waits for a core.
    pub asleep: bool,
    pub(crate) backtrace: Option<Backtrace>,
    /// True if the thread slept in another call ten milliseconds later.
    pub(crate) calls_on: bool,
}

impl Stall {
    /// Returns the stack of the poll's thread when the stall was noticed, without the frames of the
    /// runtime and of the standard library: the first frames say which line has blocked, or what is
    /// computed.
    ///
    /// `None` if there is no stack: on systems other than Linux, and on architectures other than
    /// x86-64 and AArch64; without the feature `backtrace`; and if the thread did not answer, as
    /// [`Builder::on_stall`](crate::runtime::Builder::on_stall) explains. Files and lines are there
    /// if the program was built with them: set `debug = "line-tables-only"` in its profile.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut builder = wsrt::runtime::Builder::new_multi_thread();
    /// builder.on_stall(|stall| {
    ///     let place = stall.backtrace().and_then(|backtrace| backtrace.place());
    ///     if let Some((file, line)) = place.and_then(|place| place.file().zip(place.line())) {
    ///         eprintln!("{file}:{line} holds up its worker");
    ///     }
    /// });
    /// ```
    pub fn backtrace(&self) -> Option<&Backtrace> {
        self.backtrace.as_ref()
    }
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {}", self.task_id)?;
        if let Some(name) = &self.task_name {
            write!(f, " \"{name}\"")?;
        }
        let doing = match (self.asleep, self.calls_on) {
            (true, false) => "asleep in a blocking call",
            (true, true) => "asleep in one blocking call after another",
            (false, _) => "burning CPU time",
        };
        let (site, millis) = (ShortLocation(self.spawned_at), self.duration.as_millis());
        write!(f, ", spawned at {site}, has been in one poll for {millis} ms, {doing}")?;
        match self.backtrace().and_then(Backtrace::place) {
            Some(place) => write!(f, " in {place}"),
            None => Ok(()),
        }
    }
}

/// The hook that is called for each stall.
pub(crate) type StallHook = Arc<dyn Fn(&Stall) + Send + Sync>;

/// The hooks that take what a runtime finds out about the program.
#[derive(Clone, Default)]
pub(crate) struct FindingHooks {
    pub(crate) on_stall: Option<StallHook>,
    pub(crate) on_report: Option<ReportHook>,
}

/// What is left for the reporter.
#[derive(Debug)]
pub(crate) enum Noted {
    Stall(NotedStall),
    /// Another finding, for which code of the program's is called.
    Report(Report),
}

/// A stall that is to be reported, with the samples of its stack.
#[derive(Debug)]
pub(crate) struct NotedStall {
    pub(crate) stall: Stall,
    pub(crate) samples: Result<Vec<Sample>, NoStack>,
    /// How long the poll has lasted, in nanoseconds: the watcher writes it until the poll returns.
    pub(crate) lasted: Arc<AtomicU64>,
}

/// The stalls with the same stack.
#[derive(Debug, Default)]
struct SameStack {
    /// The first of them, for the first [`MOST_SHOWN`] stacks. `None` for stalls without a stack.
    first: Option<Stall>,
    count: u64,
    longest: u64,
    /// The durations of the stalls whose polls may not have returned.
    lasting: Vec<Arc<AtomicU64>>,
}

impl SameStack {
    /// Counts one more.
    fn count(&mut self, lasted: &Arc<AtomicU64>) {
        self.count += 1;
        self.lasting.push(Arc::clone(lasted));
        self.look();
    }

    /// Notes how long the polls have lasted that may not have returned.
    fn look(&mut self) {
        let longest = self.lasting.iter().map(|lasted| lasted.load(Relaxed)).max().unwrap_or(0);
        self.longest = self.longest.max(longest);
        self.lasting.retain(|lasted| Arc::strong_count(lasted) > 1);
    }
}

/// The stalls of one runtime.
#[derive(Debug, Default)]
pub(crate) struct Stalls {
    by_site: Mutex<HashMap<&'static Location<'static>, u64>>,
    by_stack: Mutex<HashMap<String, SameStack>>,
    noted: Mutex<ToReport>,
    /// The tasks that have panicked last, by their ids. The panic's poll is a task's last.
    panicked: Mutex<VecDeque<u64>>,
}

/// What the reporter has to do, and whether there is one.
#[derive(Debug, Default)]
struct ToReport {
    noted: VecDeque<Noted>,
    has_reporter: bool,
}

impl Stalls {
    /// Each spawn site's count, in no order.
    pub(crate) fn by_site(&self) -> Vec<(&'static Location<'static>, u64)> {
        self.by_site.lock().iter().map(|(&site, &count)| (site, count)).collect()
    }

    /// Returns the first stall of each stack, how many there were, and how long the longest was.
    /// The most frequent stack comes first.
    pub(crate) fn by_stack(&self) -> Vec<(Stall, u64, Duration)> {
        let mut by_stack = self.by_stack.lock();
        let shown = by_stack.values_mut().filter_map(|same| {
            same.look();
            Some((same.first.clone()?, same.count, Duration::from_nanos(same.longest)))
        });
        let mut shown: Vec<_> = shown.collect();
        shown.sort_by_key(|&(_, count, longest)| (Reverse(count), Reverse(longest)));
        shown
    }

    /// Counts a stall.
    pub(crate) fn count(&self, stall: &Stall) {
        *self.by_site.lock().entry(stall.spawned_at).or_insert(0) += 1;
    }

    /// Notes that a task has panicked: what took long in its poll may be the panic's message.
    pub(crate) fn note_panic(&self, task: u64) {
        let mut panicked = self.panicked.lock();
        panicked.truncate(MOST_WAITING - 1);
        panicked.push_front(task);
    }

    pub(crate) fn has_panicked(&self, task: u64) -> bool {
        self.panicked.lock().contains(&task)
    }

    /// Leaves a finding for the reporter. Returns whether one has to be started.
    #[must_use]
    pub(crate) fn note(&self, mut noted: Noted) -> bool {
        let mut to_report = self.noted.lock();
        if let (Noted::Stall(stall), MOST_WAITING..) = (&mut noted, to_report.noted.len()) {
            stall.samples = Err(NoStack::Busy);
        }
        to_report.noted.push_back(noted);
        !std::mem::replace(&mut to_report.has_reporter, true)
    }

    /// Takes the next finding to report. If there is none, the caller is no longer the reporter.
    pub(crate) fn next_noted(&self) -> Option<Noted> {
        let mut to_report = self.noted.lock();
        let next = to_report.noted.pop_front();
        to_report.has_reporter = next.is_some();
        next
    }

    /// Reports a stall if its like was not reported before, and calls the hook for stalls. With
    /// such a hook, and none for reports, the stall is the hook's alone.
    pub(crate) fn report(&self, noted: NotedStall, hooks: &FindingHooks) {
        let NotedStall { mut stall, samples, lasted } = noted;
        let text = match samples.and_then(|samples| backtraces(&samples)) {
            Ok(backtraces) => {
                stall.calls_on = stall.asleep && backtraces.windows(2).any(|two| two[0].frames() != two[1].frames());
                stall.backtrace = backtraces.into_iter().next();
                self.text(&stall, &lasted)
            }
            Err(why) => self.text_once(&stall, why),
        };
        if let Some(text) = text.filter(|_| hooks.on_stall.is_none() || hooks.on_report.is_some()) {
            Report::new(ReportKind::Stall, text).deliver(hooks.on_report.as_ref());
        }
        if let Some(hook) = &hooks.on_stall {
            call_hook("on_stall", || hook(&stall));
        }
    }

    /// Returns the report of a stall: with its stack the first time, and then with its count at
    /// each power of ten.
    ///
    /// A stall of a thread that panics is not reported: what takes long is the panic's backtrace.
    fn text(&self, stall: &Stall, lasted: &Arc<AtomicU64>) -> Option<String> {
        let backtrace = stall.backtrace().filter(|backtrace| !backtrace.is_panicking())?;
        let mut by_stack = self.by_stack.lock();
        let mut key = backtrace.key(stall.asleep);
        if backtrace.missing().is_some() {
            // Functions of the program that were inlined may be missing.
            key.push_str(&stall.spawned_at.to_string());
        }
        let is_room = by_stack.len() < MOST_SHOWN;
        let same = by_stack.entry(key).or_default();
        same.count(lasted);
        if same.count == 1 && is_room {
            same.first = Some(stall.clone());
        }
        let (count, longest) = (same.count, Duration::from_nanos(same.longest).as_millis());
        drop(by_stack);
        if count == 1 {
            let missing = backtrace.missing().map(|missing| format!("\n    ({missing})")).unwrap_or_default();
            let how_often = "reported once for this stack, and counted at 10, 100, ...";
            return Some(text_of_first(stall, how_often, format_args!("\n{backtrace}{missing}")));
        }
        let count_again = || format!("{stall}: {count} stalls with this stack so far, the longest of {longest} ms");
        is_power_of_ten(count).then(count_again)
    }

    /// Returns the report of a stall without a stack, if it is the first of its site, and no panic.
    fn text_once(&self, stall: &Stall, why: NoStack) -> Option<String> {
        let is_first = || self.by_stack.lock().insert(stall.spawned_at.to_string(), SameStack::default()).is_none();
        (!self.has_panicked(stall.task_id) && is_first()).then(|| {
            let no_stack = if why == NoStack::Unsupported { String::new() } else { format!("no stack: {why}; ") };
            text_of_first(stall, &format!("{no_stack}reported once for this spawn site"), format_args!(""))
        })
    }
}

/// Returns the report of the first of some stalls that are alike. `how_often` says when others are
/// reported, and `below` is the rest.
fn text_of_first(stall: &Stall, how_often: &str, below: fmt::Arguments<'_>) -> String {
    format!(
        "{stall}. Other tasks keep running, but consider `spawn_blocking` or `block_in_place` ({how_often}; WSRT_STALL_MS \
         sets the threshold, 0 turns reports off){below}"
    )
}

/// Returns the backtraces in which there is anything to see.
pub(crate) fn backtraces(samples: &[Sample]) -> Result<Vec<Backtrace>, NoStack> {
    let mut backtraces: Vec<_> = samples.iter().map(Sample::backtrace).collect();
    backtraces.retain(|backtrace| backtrace.place().is_some());
    if backtraces.is_empty() { Err(NoStack::NoFrames) } else { Ok(backtraces) }
}

fn is_power_of_ten(count: u64) -> bool {
    count.checked_ilog10().is_some_and(|log| 10_u64.pow(log) == count)
}

/// The rescues in one runtime, written by its watcher thread alone.
#[derive(Debug, Default)]
pub(crate) struct Rescues {
    all: Counter,
    /// The number of rescues that no long poll explains.
    unexplained: Counter,
}

impl Rescues {
    /// Counts a rescue that a long poll explains.
    pub(crate) fn count(&self) {
        self.all.add(1);
    }

    /// Counts a rescue where a machine slept despite work. Under a controlled schedule, this is a
    /// failure.
    pub(crate) fn count_unexplained(&self, beside: impl fmt::Debug) {
        self.all.add(1);
        self.unexplained.add(1);
        sync::fail(format_args!("a machine slept beside work, and sysmon had to wake it: {beside:?}"));
    }

    pub(crate) fn all(&self) -> u64 {
        self.all.get()
    }

    pub(crate) fn unexplained(&self) -> u64 {
        self.unexplained.get()
    }
}
