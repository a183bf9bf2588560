//! Machines and the watcher have short time slices from Linux; the threads and processes that they
//! start have the system's own.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::thread;

use wsrt::process::Command;
use wsrt::runtime::Builder;
use wsrt::task::spawn_blocking;
use wsrt_tests::{in_a_process_of_its_own, not_checked, runtime_with, text_of, threads_named, within_a_minute};

/// `struct sched_attr` of the kernel, in its first version.
#[repr(C)]
#[derive(Debug, Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    /// The slice, in nanoseconds, since Linux 6.12. Before that it is 0 for an ordinary thread.
    runtime: u64,
    deadline: u64,
    period: u64,
}

impl Attributes {
    /// Those of the thread or process with this number; 0 is the calling thread.
    fn of(number: u32) -> Self {
        Self::read(number).unwrap_or_else(|| panic!("{}", std::io::Error::last_os_error()))
    }

    fn read(number: u32) -> Option<Self> {
        let mut attributes = Self::default();
        let size = size_of::<Self>() as libc::c_uint;
        // SAFETY: the kernel writes up to `size` bytes to `attributes`, which has as many.
        let status = unsafe { libc::syscall(libc::SYS_sched_getattr, number, &raw mut attributes, size, 0) };
        (status == 0).then_some(attributes)
    }
}

/// The first Linux that grants a thread the slice that it asks for.
const GRANTED_SINCE: (u32, u32) = (6, 12);

/// The version of the kernel, without what a distribution adds to it.
fn kernel() -> (u32, u32) {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").expect("Linux tells its version");
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map(|number| number.parse());
    let mut next = || numbers.next().expect("a version has two numbers").expect("a number");
    (next(), next())
}

fn own_slice() -> u64 {
    Attributes::of(0).runtime
}

/// The slice of a child that a task starts.
async fn slice_of_a_child() -> u64 {
    let mut child = Command::new("sleep").arg("60").spawn().expect("there is such a program");
    let slice = Attributes::of(child.id().expect("it lives")).runtime;
    child.kill().await.expect("it can be killed");
    slice
}

#[test]
fn what_a_machine_starts_has_the_slices_of_the_system() {
    within_a_minute(|| {
        if kernel() < GRANTED_SINCE {
            return not_checked("short time slices", "Linux grants them since 6.12, and this one is older");
        }
        let (usual, runtime) = (own_slice(), runtime_with(1));
        assert_eq!(runtime.run(async { own_slice() }), 100_000, "it has asked for that");
        runtime.run(async move {
            assert_eq!(thread::spawn(own_slice).join().expect("no panic"), usual, "of a thread");
            assert_eq!(spawn_blocking(own_slice).await.expect("no panic"), usual, "of a blocking job");
            assert_eq!(slice_of_a_child().await, usual, "of a child");
        });
    });
}

/// Those of other tests may end at any moment.
fn slices_of_watchers() -> Vec<u64> {
    let watchers = threads_named("wsrt-sysmon").into_iter();
    watchers.filter_map(Attributes::read).map(|attributes| attributes.runtime).collect()
}

#[test]
fn the_watcher_has_short_slices() {
    within_a_minute(|| {
        if kernel() < GRANTED_SINCE {
            return not_checked("short time slices", "Linux grants them since 6.12, and this one is older");
        }
        let _runtime = runtime_with(1);
        while !slices_of_watchers().contains(&100_000) {
            thread::yield_now();
        }
    });
}

/// The nice values of a task, and of a blocking job that it starts, in a process with the nice
/// value `nice`.
fn nice_values(nice: i32) -> Option<(i32, i32)> {
    // SAFETY: it takes numbers.
    if unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) } != 0 {
        return None;
    }
    let job = || Attributes::of(0).nice;
    Some(runtime_with(1).run(async move { (job(), spawn_blocking(job).await.expect("no panic")) }))
}

#[test]
fn nice_values_are_handed_down_as_ever() {
    for (test, nice) in [("nice_values_are_handed_down_as_ever", "5"), ("nice_values_are_handed_down_as_ever", "-5")] {
        let output = in_a_process_of_its_own(test, &[("NICE", nice)], || {
            let nice = std::env::var("NICE").expect("it is set").parse().expect("a number");
            match nice_values(nice) {
                Some(values) => assert_eq!(values, (nice, nice)),
                None => not_checked(test, &format!("the system does not let us be as nice as {nice}")),
            }
        });
        let _ = std::io::stderr().write_all(text_of(&output).as_bytes());
    }
}

/// It may choose a policy that a thread with short slices could not take any more.
#[test]
fn a_hook_may_set_the_policy_of_its_thread() {
    within_a_minute(|| {
        let to_batch = || {
            let parameters = libc::sched_param { sched_priority: 0 };
            // SAFETY: the kernel reads the parameters.
            let status = unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const parameters) };
            assert_eq!(status, 0, "{}", std::io::Error::last_os_error());
        };
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).on_thread_start(to_batch).build().expect("a runtime");
        let policy = runtime.run(async { Attributes::of(0).policy });
        assert_eq!(policy, libc::SCHED_BATCH as u32);
    });
}
