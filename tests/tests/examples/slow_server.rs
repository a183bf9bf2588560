//! The slow server of the examples names its lock in a dump.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;

use wsrt_tests::{example, within_a_minute};

/// The bit of SIGUSR2 in a set of signals.
const USR2: u64 = 1 << 11;

/// True if the process has a handler for the signal, which would end it otherwise.
fn listens(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("Linux tells");
    u64::from_str_radix(caught.trim(), 16).expect("a number") & USR2 != 0
}

#[test]
fn the_dump_of_the_slow_server_names_its_lock() {
    // Building it may take more than a minute.
    let program = example("slow_server");
    within_a_minute(move || {
        let mut server = Command::new(program)
            .env("WSRT_DUMP_SIGNAL", "SIGUSR2")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(server.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
        let names_lock = |line: &str| line.contains("idle, waits for Mutex made at examples/slow_server.rs:");
        let reader = thread::spawn(move || {
            let found = lines.any(|line| names_lock(&line));
            // The rest, so that the server is not held up.
            lines.for_each(drop);
            found
        });
        let process = server.id();
        while !listens(process) {
            assert!(server.try_wait().expect("it is our child").is_none(), "it ended before it listened");
            thread::yield_now();
        }
        while server.try_wait().expect("it is our child").is_none() {
            let _ = Command::new("kill").args(["-USR2", &process.to_string()]).status().expect("there is a `kill`");
        }
        assert!(reader.join().expect("no panic"), "no dump has named the lock");
    });
}
