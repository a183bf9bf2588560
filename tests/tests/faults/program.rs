//! A program under test: its lines, its CPU time, its end.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use wsrt_tests::lines;

/// How long one event may take, with strace between the program and the system.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
/// How long the program's CPU time is watched, and the part of it that an idle program may use.
const IDLE: Duration = Duration::from_millis(400);
const MOST_BUSY: f64 = 0.05;

/// Killed when dropped.
pub(crate) struct Program {
    process: Child,
    said: Receiver<String>,
    complained: Option<JoinHandle<String>>,
}

impl Program {
    /// Starts a program, and returns it with its first line.
    pub(crate) fn start(mut command: Command) -> Result<(Self, String), String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for variable in ["WSRT_WORKER_THREADS", "WSRT_SCHEDTRACE", "WSRT_TRACE", "WSRT_STALL_MS"] {
            command.env_remove(variable);
        }
        let mut process = command.env("WSRT_WORKER_THREADS", "2").spawn().expect("the program starts");
        let said = lines(process.stdout.take().expect("it is piped"));
        let mut errors = process.stderr.take().expect("it is piped");
        let complained = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = errors.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut program = Self { process, said, complained: Some(complained) };
        match program.line("the first line") {
            Ok(first) => Ok((program, first)),
            Err(fault) => Err(format!("{fault}\n{}", program.complaints())),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Gives a command, and returns the answer.
    pub(crate) fn ask(&mut self, command: &str) -> Result<String, String> {
        let input = self.process.stdin.as_mut().expect("it is piped");
        writeln!(input, "{command}").map_err(|error| format!("{command}: the program is gone: {error}"))?;
        self.line(command)
    }

    fn line(&self, what: &str) -> Result<String, String> {
        self.said.recv_timeout(LIMIT).map_err(|error| format!("{what}: no answer: {error}"))
    }

    /// Checks that the program, which has nothing to do, uses next to no CPU time.
    pub(crate) fn check_idle(&self) -> Result<(), String> {
        // The last command's threads and timers may be on their way to sleep.
        let deadline = Instant::now() + Duration::from_secs(3);
        loop {
            let before = self.cpu_time()?;
            thread::sleep(IDLE);
            let busy = (self.cpu_time()? - before).as_secs_f64() / IDLE.as_secs_f64();
            match busy {
                _ if busy < MOST_BUSY => return Ok(()),
                _ if Instant::now() < deadline => {}
                _ => return Err(format!("it spins: {:.0} % of a CPU while idle", busy * 100.0)),
            }
        }
    }

    fn cpu_time(&self) -> Result<Duration, String> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.id())).map_err(|error| format!("stat: {error}"))?;
        let (_, rest) = stat.rsplit_once(')').expect("the name is in parentheses");
        let ticks: u64 = rest.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        // Linux has counted a hundred a second on every architecture for decades.
        Ok(Duration::from_millis(ticks * 10))
    }

    /// Asks the program to end, by the end of its input and by `signal`, and returns its status and
    /// its complaints.
    pub(crate) fn end(mut self, signal: Option<i32>) -> Result<(ExitStatus, String), String> {
        drop(self.process.stdin.take());
        if let Some(signal) = signal {
            // SAFETY: takes no pointers; the child was not waited for: the number is its own.
            let _ = unsafe { libc::kill(self.id() as libc::pid_t, signal) };
        }
        let start = Instant::now();
        loop {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Ok((status, self.complaints()));
            }
            if start.elapsed() > LIMIT {
                return Err("it does not end".to_owned());
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// All that it has written on standard error. To be called once it has ended.
    pub(crate) fn complaints(&mut self) -> String {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let complained = self.complained.take();
        complained.map_or_else(String::new, |complained| complained.join().unwrap_or_default())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
