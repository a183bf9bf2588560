//! Where the memory that is in use was allocated: `--sites`, to find a leak, or what a table keeps.
//!
//! Each allocation is kept with its backtrace, which slows everything down and uses much memory
//! itself, none of it counted. The sites at rest after the first third of the time are compared
//! with those at the end.

use std::backtrace::Backtrace;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most sites that are reported.
const MOST: usize = 40;
/// The most functions that name a site, the innermost first.
const DEPTH: usize = 9;
/// Tables of allocations: so many that threads seldom meet.
const TABLES: usize = 16;

/// An allocation by its address: its size, and its backtrace, not yet resolved.
type Table = BTreeMap<usize, (usize, Backtrace)>;
/// Bytes and allocations by site.
type Sums = BTreeMap<String, [i64; 2]>;

static IS_ON: AtomicBool = AtomicBool::new(false);
static TABLE: [Mutex<Table>; TABLES] = [const { Mutex::new(BTreeMap::new()) }; TABLES];
static BEFORE: Mutex<Option<Sums>> = Mutex::new(None);

thread_local! {
    /// Set in here, whose own allocations are not kept. It has no destructor, so that the last
    /// allocation of a thread finds it.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Keeps allocations from now on.
pub(crate) fn turn_on() {
    IS_ON.store(true, Relaxed);
}

/// Called by the allocator after each allocation.
#[inline]
pub(crate) fn allocated(address: usize, size: usize) {
    if IS_ON.load(Relaxed) {
        apart(|| drop(table(address).insert(address, (size, Backtrace::force_capture()))));
    }
}

/// Called by the allocator before each release, so that the address is not in use again.
#[inline]
pub(crate) fn freed(address: usize) {
    if IS_ON.load(Relaxed) {
        apart(|| {
            let known = table(address).remove(&address);
            drop(known);
        });
    }
}

/// Calls `f` unless this thread is in such a call already.
fn apart(f: impl FnOnce()) {
    IS_INSIDE.with(|is_inside| {
        if !is_inside.replace(true) {
            f();
            is_inside.set(false);
        }
    });
}

fn table(address: usize) -> MutexGuard<'static, Table> {
    TABLE[(address >> 4) % TABLES].lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes what is in use, to be compared with later; the first call does.
pub(crate) fn note() {
    if IS_ON.load(Relaxed) {
        apart(|| {
            let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
            if before.is_none() {
                *before = Some(sums());
            }
        });
    }
}

/// Prints the sites that have more than they had at the first [`note`], the largest first.
pub(crate) fn report() {
    if !IS_ON.load(Relaxed) {
        return;
    }
    apart(|| {
        let mut sums = sums();
        let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
        for (site, [bytes, count]) in before.into_iter().flatten() {
            let sum = sums.entry(site).or_default();
            *sum = [sum[0] - bytes, sum[1] - count];
        }
        let mut differences: Vec<(String, [i64; 2])> = sums.into_iter().filter(|(_, sum)| *sum != [0, 0]).collect();
        differences.sort_unstable_by_key(|&(_, [bytes, _])| -bytes);
        println!("in use beyond the first third, by where it was allocated:");
        for (site, [bytes, count]) in differences.iter().take(MOST) {
            println!("{bytes:>9} bytes in {count:>5} allocations: {site}");
        }
        let rest: i64 = differences.iter().skip(MOST).map(|(_, [bytes, _])| bytes).sum();
        println!("{rest:>9} bytes elsewhere");
    });
}

fn sums() -> Sums {
    let mut sums = Sums::new();
    for table in &TABLE {
        for (size, backtrace) in table.lock().unwrap_or_else(PoisonError::into_inner).values() {
            let sum = sums.entry(name(backtrace)).or_default();
            *sum = [sum[0] + *size as i64, sum[1] + 1];
        }
    }
    sums
}

/// The functions of a backtrace with their places, without those of the standard library and of
/// this allocator.
fn name(backtrace: &Backtrace) -> String {
    let text = backtrace.to_string();
    let mut frames = Vec::new();
    let mut function = "";
    // A line with a number and a function, and one with the place in the source, where it is known.
    for line in text.lines().map(str::trim_start) {
        match line.strip_prefix("at ") {
            Some(place) if is_shown(place) => frames.push(format!("{function} at {}", short(place))),
            Some(_) => {}
            None => function = line.split_once(": ").map_or(line, |(_, function)| function),
        }
    }
    frames.truncate(DEPTH);
    frames.join(" < ")
}

fn is_shown(place: &str) -> bool {
    !["/rustc/", "examples/soak/sites.rs", "examples/soak/memory.rs"].iter().any(|hidden| place.contains(hidden))
}

/// The end of a path, with the line and without the column.
fn short(place: &str) -> String {
    let parts: Vec<&str> = place.split(['/', '\\']).collect();
    let end = parts[parts.len().saturating_sub(4)..].join("/");
    end.rsplit_once(':').map_or(end.clone(), |(line, _)| line.to_owned())
}
