//! The examples of fork-join keep their promises, and refuse bad arguments by name.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use wsrt_tests::{LIMIT, example};

fn run(program: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn assert_refused(program: &Path, arguments: &[&str], expected: &str) {
    let output = run(program, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert_eq!(text(&output.stderr), expected, "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

#[test]
fn mandelbrot_writes_its_picture_and_prints_the_speed_up() {
    let program = example("mandelbrot");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("set.png");
    let output = run(&program, &["60", path.to_str().expect("text")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("speed-up"));
    let picture = fs::read(&path).expect("it is there");
    // The signature, and the size in the first chunk.
    assert_eq!(&picture[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!((&picture[16..20], &picture[20..24]), (&60_u32.to_be_bytes()[..], &41_u32.to_be_bytes()[..]));
    assert_eq!(&picture[picture.len() - 8..picture.len() - 4], b"IEND");
}

#[test]
fn mandelbrot_names_what_it_cannot_use() {
    let program = example("mandelbrot");
    for width in ["1", "20001", "wide", "-5"] {
        let message = format!("mandelbrot: `{width}` is not a width in pixels from 2 to 20000\n");
        assert_refused(&program, &[width], &message);
    }
    let message = "mandelbrot: cannot write `/nowhere/set.png`: No such file or directory (os error 2)\n";
    assert_refused(&program, &["2", "/nowhere/set.png"], message);
    let message = "mandelbrot: unknown argument `more`: a width and a file are all that is asked\n";
    assert_refused(&program, &["2", "set.png", "more"], message);
}

#[test]
fn quicksort_sorts_any_count_and_names_what_is_none() {
    let program = example("quicksort");
    for count in ["0", "1", "20", "21", "22", "1000", "100000"] {
        let output = run(&program, &[count]);
        assert!(output.status.success(), "{count}: {}", text(&output.stderr));
        assert!(text(&output.stdout).starts_with(&format!("{count} numbers\n")));
    }
    for word in ["few", "-1", "1000000001"] {
        let message = format!("quicksort: `{word}` is not a count of numbers from 0 to 1000000000\n");
        assert_refused(&program, &[word], &message);
    }
    let message = "quicksort: unknown argument `2`: how many numbers to sort is all that is asked\n";
    assert_refused(&program, &["1", "2"], message);
}

/// Killed when dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(program: &Path) -> Self {
        let mut command = Command::new(program);
        command.arg("127.0.0.1:0").env("WSRT_WORKER_THREADS", "2").stdout(Stdio::piped());
        let mut process = command.spawn().expect("it starts");
        let mut greeting = String::new();
        let mut said = BufReader::new(process.stdout.take().expect("it is piped"));
        said.read_line(&mut greeting).expect("it tells where it listens");
        let address = greeting.trim_end().strip_prefix("listening on http://").expect("with these words").to_owned();
        Self { process, address }
    }

    /// Answers status line and body.
    fn get(&self, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a time");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer of HTTP");
        (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn the_mixed_server_counts_right_and_refuses_too_much() {
    let program = example("mixed_server");
    let server = Server::start(&program);
    let answer = |status: &str, body: &str| (format!("HTTP/1.1 {status}"), body.to_owned());
    for (limit, primes) in [(0, 0), (2, 0), (3, 1), (4, 2), (10, 4), (100, 25), (100_000, 9_592)] {
        let body = format!("{primes} primes below {limit}\n");
        assert_eq!(server.get(&format!("/primes/{limit}")), answer("200 OK", &body));
    }
    for word in ["500001", "-1", "many", ""] {
        let body = format!("`{word}` is not a number from 0 to 500000\n");
        assert_eq!(server.get(&format!("/primes/{word}")), answer("400 Bad Request", &body));
    }
    assert_eq!(server.get("/"), answer("200 OK", "Hello from wsrt\n"));
    assert_eq!(server.get("/nowhere").0, "HTTP/1.1 404 Not Found");

    let message = format!("mixed_server: cannot bind {}: Address already in use (os error 98)\n", server.address);
    assert_refused(&program, &[&server.address], &message);
}

#[test]
fn loops_of_many_requests_at_once_all_end() {
    let server = Server::start(&example("mixed_server"));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(server.get("/primes/20000").1, "2262 primes below 20000\n");
                }
            });
        }
    });
}
