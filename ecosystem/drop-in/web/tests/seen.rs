//! A plain `#[tokio::main]` program with axum is seen running, with each of wsrt's tools.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use wsrt_drop_in_web::get;
use wsrt_ecosystem_testing::{LIMIT, Running, Scratch};

/// Its source says nothing of wsrt.
const SOURCE: &str = include_str!("../src/bin/plain.rs");

struct Plain {
    running: Running,
    id: String,
    address: SocketAddr,
    folder: Scratch,
}

impl Plain {
    /// Starts it with these variables, in its own folder, with its errors in a file there.
    fn start(variables: &[(&str, &str)]) -> Self {
        let folder = Scratch::new();
        // The shell becomes the program, and tells its number before.
        let mut shell = Command::new("sh");
        shell.args(["-c", r#"echo "pid $$"; exec "$0" 127.0.0.1:0"#]);
        shell.arg(env!("CARGO_BIN_EXE_plain"));
        shell.envs(variables.iter().copied()).current_dir(folder.path());
        shell.stderr(File::create(folder.file("errors")).expect("the folder is ours"));
        let mut running = Running::start(shell);
        let id = running.line_after("pid ");
        let address = running.line_after("listening on ").parse().expect("an address");
        Self { running, id, address, folder }
    }

    /// Returns the first line of its errors that contains all of `parts`.
    fn find_error(&self, parts: &[&str]) -> Option<String> {
        let errors = fs::read_to_string(self.folder.file("errors")).expect("it is there");
        errors.lines().find(|line| parts.iter().all(|part| line.contains(part))).map(str::to_owned)
    }

    /// Returns the first line of its errors that contains all of `parts`, and waits for it.
    fn error_with(&self, parts: &[&str]) -> String {
        let began = Instant::now();
        loop {
            if let Some(line) = self.find_error(parts) {
                return line;
            }
            let errors = || fs::read_to_string(self.folder.file("errors")).expect("it is there");
            assert!(began.elapsed() < LIMIT, "none with {parts:?}; the last is {:?}", errors().lines().last());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Returns the place of `code` in the program's source, as wsrt prints it, without the column.
fn place_of(code: &str) -> String {
    let index = SOURCE.lines().position(|line| line.contains(code)).expect("it is there");
    format!("src/bin/plain.rs:{}:", index + 1)
}

#[test]
fn a_schedtrace_is_printed_with_tokio_s_number_of_workers() {
    let plain = Plain::start(&[("WSRT_SCHEDTRACE", "20"), ("TOKIO_WORKER_THREADS", "3")]);
    assert!(get(plain.address, "/").ends_with("Hello"));
    plain.error_with(&["SCHED ", " procs=3 ", " polls="]);
    plain.running.interrupt();
}

#[test]
fn a_timeline_names_the_program_s_spawn_sites() {
    let plain = Plain::start(&[("WSRT_TRACE", "run.perfetto-trace")]);
    assert!(get(plain.address, "/hold-and-wait").starts_with("HTTP/1.1 200"));
    plain.running.interrupt();
    let timeline = fs::read(plain.folder.file("run.perfetto-trace")).expect("it is written");
    let timeline = String::from_utf8_lossy(&timeline);
    for place in [place_of("tokio::spawn(async move"), place_of("drop(LOCK.lock()")] {
        assert!(timeline.contains(&place), "no {place} in {} bytes", timeline.len());
    }
}

#[test]
fn a_dump_names_spawn_sites_and_the_awaited_lock() {
    let plain = Plain::start(&[("WSRT_DUMP_SIGNAL", "SIGUSR2")]);
    assert!(get(plain.address, "/hold-and-wait").starts_with("HTTP/1.1 200"));
    // The second task may not have come to the lock yet: then it shows in a later dump.
    let place = place_of("drop(LOCK.lock()");
    let began = Instant::now();
    loop {
        let sent = Command::new("kill").args(["-USR2", &plain.id]).status().expect("kill runs");
        assert!(sent.success());
        plain.error_with(&["wsrt dump: ", " tasks"]);
        let task = plain.error_with(&["task ", &place]);
        plain.error_with(&["task ", &place_of("tokio::spawn(async move"), "orphan"]);
        if task.contains("waits for Mutex made at ") && task.contains(&place_of("static LOCK")) {
            break;
        }
        assert!(began.elapsed() < LIMIT, "{task}");
        fs::write(plain.folder.file("errors"), "").expect("it is ours");
    }
    plain.running.interrupt();
}

#[test]
fn the_debug_pages_name_spawn_sites_and_the_awaited_lock() {
    let plain = Plain::start(&[("WSRT_DEBUG", "127.0.0.1:0")]);
    let said = plain.error_with(&["wsrt: the debug pages are at http://"]);
    let address = said.trim_end_matches('/').rsplit('/').next().and_then(|address| address.parse().ok());
    let address = address.expect("an address");
    assert!(get(address, "/").contains("<h1>plain</h1>"));
    assert!(get(plain.address, "/hold-and-wait").starts_with("HTTP/1.1 200"));
    let began = Instant::now();
    loop {
        // The second task may not have come to the lock yet.
        let page = get(address, "/locks");
        if page.contains("1 task waits for Mutex made at ") && page.contains(&place_of("drop(LOCK.lock()")) {
            break;
        }
        assert!(began.elapsed() < LIMIT, "{page}");
    }
    plain.running.interrupt();
}

#[test]
fn a_stall_report_names_the_spawn_site() {
    let plain = Plain::start(&[("WSRT_STALL_MS", "50")]);
    assert!(get(plain.address, "/block-in-a-task").ends_with("blocked"));
    plain.error_with(&["wsrt: task ", &place_of("tokio::spawn(block())"), " has been in one poll for "]);
    plain.running.interrupt();
}

/// All three handlers run in tasks that axum spawns, at the same place.
#[test]
fn stall_reports_name_the_lines_in_the_handlers() {
    let plain = Plain::start(&[]);
    assert!(get(plain.address, "/block").ends_with("blocked"));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert!(get(plain.address, "/book").starts_with("HTTP/1.1 200")));
        }
    });
    let line = |code| place_of(code).trim_end_matches(':').to_owned();
    for (function, code) in [
        ("plain::block", "thread::sleep(Duration::from_millis(300))"),
        ("plain::book", "thread::sleep(Duration::from_millis(250))"),
        ("plain::book", "LEDGER.lock()"),
    ] {
        let (function, place) = (format!(" in {function} at "), format!("{}.", line(code)));
        plain.error_with(&["wsrt: task ", "spawned at axum-", "asleep in a blocking call", &function, &place]);
    }
    // On a busy machine it may have had too little of a core to be a stall.
    let spins = ["wsrt: task ", "spawned at axum-", "burning CPU time in plain::spin at ", "src/bin/plain.rs:"];
    let began = Instant::now();
    while plain.find_error(&spins).is_none() {
        assert!(began.elapsed() < LIMIT, "it spins again and again");
        assert!(get(plain.address, "/spin").starts_with("HTTP/1.1 200"));
    }
    plain.running.interrupt();
}
