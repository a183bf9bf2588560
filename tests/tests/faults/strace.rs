//! Injection: strace, attached to a process for as long as the plan is in force.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wsrt_tests::{Directory, not_checked};

use crate::plan::Plan;

/// How long strace may take to detach.
const LIMIT: Duration = Duration::from_secs(5);

/// A plan in force. Dropping it ends strace, at which the process goes on without it.
pub(crate) struct Injection {
    strace: Child,
    log: PathBuf,
    _directory: Directory,
}

impl Injection {
    /// Attaches to all threads of `process`.
    pub(crate) fn begin(process: u32, plan: Plan) -> Result<Self, String> {
        let directory = Directory::new();
        let log = directory.path("strace");
        let mut strace = Command::new("strace")
            .args(["-f", "-e", "signal=none", "-e", &format!("trace={}", plan.call), "-e", &format!("inject={plan}")])
            .args(["-p", &process.to_string(), "-o"])
            .arg(&log)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("strace does not start: {error}"))?;
        let mut lines = BufReader::new(strace.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
        let mut said = String::new();
        let is_attached = lines.by_ref().any(|line| {
            said += &line;
            // The process itself comes first; with several threads the line counts them.
            line.contains(&format!("Process {process} attached"))
        });
        if !is_attached {
            let _ = strace.wait();
            return Err(format!("strace does not attach: {said}"));
        }
        // It reports each thread that comes.
        thread::spawn(move || lines.for_each(drop));
        Ok(Self { strace, log, _directory: directory })
    }

    /// Detaches, and returns the number of calls that were refused.
    pub(crate) fn end(mut self) -> usize {
        self.detach();
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().filter(|line| line.contains("(INJECTED)")).count()
    }

    fn detach(&mut self) {
        // SAFETY: takes no pointers; the child was not waited for, so that the number is its own.
        let _ = unsafe { libc::kill(self.strace.id() as libc::pid_t, libc::SIGINT) };
        let start = Instant::now();
        while matches!(self.strace.try_wait(), Ok(None)) {
            // One that waits for a thread of a process that has died meanwhile may never end.
            if start.elapsed() > LIMIT {
                let _ = self.strace.kill();
                let _ = self.strace.wait();
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Injection {
    fn drop(&mut self) {
        if !matches!(self.strace.try_wait(), Ok(Some(_))) {
            self.detach();
        }
    }
}

/// Whether strace can be used here. Says so if it cannot, and panics in CI.
pub(crate) fn is_usable() -> bool {
    let mut sleeper = Command::new("sleep").arg("60").spawn().expect("sleep is there");
    let nothing = Plan { call: "socket", error: "EMFILE", when: crate::plan::When::First };
    let begun = Injection::begin(sleeper.id(), nothing).map(drop);
    let _ = sleeper.kill();
    let _ = sleeper.wait();
    let Err(why) = begun else { return true };
    not_checked("refused calls", &format!("{why} (Debian: apt-get install strace)"));
    false
}
