//! Uses a part of wsrt on each command, for the tests that inject faults of the system
//! (`tests/faults`).
//!
//! A command is a line of standard input. Its answer is a line of standard output: `ok`, an error
//! that wsrt has returned, or `LOST`, `WRONG` or `LATE` with a loss that no error has announced.

mod futex;

use std::fs;
use std::io::{self, stdin};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream};
use wsrt::process::Command;
use wsrt::runtime::{Builder, Runtime};
use wsrt::signal::unix::{SignalKind, signal};
use wsrt::task::{JoinSet, spawn_blocking, yield_now};
use wsrt::time::{sleep, timeout};
use wsrt_tests::{Directory, echo};

/// How long one command may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How late a timer may fire on a busy machine.
const LATENESS: Duration = Duration::from_secs(3);

/// The error of wsrt, or the loss.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let runtime = match Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            println!("error: build: {error}");
            return ExitCode::FAILURE;
        }
    };
    let directory = Directory::new();
    let file = directory.path("file");
    println!("ready");
    for command in stdin().lines().map_while(Result::ok) {
        match outcome_of(&command, &runtime, &file) {
            Ok(()) => println!("ok"),
            Err(text) => println!("{text}"),
        }
    }
    ExitCode::SUCCESS
}

fn outcome_of(command: &str, runtime: &Runtime, file: &Path) -> Outcome {
    match command {
        "build" => build(),
        "descriptors" => descriptors(),
        _ if command.starts_with("futex ") => {
            let refused = futex::begin(&command["futex ".len()..]);
            Err(refused.map_or("WRONG: no plan".to_owned(), |refused| refused.to_string()))
        }
        "parallel" => runtime.block_on(async { parallel() }),
        "tasks" => within(runtime, tasks()),
        "timers" => within(runtime, timers()),
        "blocking" => within(runtime, blocking()),
        "files" => within(runtime, files(file)),
        "connect" => within(runtime, connect()),
        "process" => within(runtime, process()),
        "signal" => within(runtime, receive_signal()).and_then(|()| receive_first_signal()),
        _ => Err(format!("WRONG: there is no command `{command}`")),
    }
}

fn within(runtime: &Runtime, future: impl Future<Output = Outcome>) -> Outcome {
    runtime.block_on(async { timeout(LIMIT, future).await.unwrap_or_else(|_| Err(format!("LOST: {LIMIT:?} passed"))) })
}

fn failed(step: &str) -> impl Fn(io::Error) -> String {
    move |error| format!("error: {step}: {error}")
}

fn check(holds: bool, loss: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(loss()) }
}

/// A runtime of each kind, used and dropped.
fn build() -> Outcome {
    for (kind, mut builder) in
        [("multi-thread", Builder::new_multi_thread()), ("current-thread", Builder::new_current_thread())]
    {
        let runtime = builder.worker_threads(2).enable_all().build().map_err(failed(kind))?;
        let joined = runtime.block_on(async { wsrt::spawn(async { sleep(Duration::from_millis(2)).await }).await });
        check(joined.is_ok(), || format!("LOST: a task of the {kind} runtime: {joined:?}"))?;
    }
    Ok(())
}

/// The number of open descriptors, as an error, for that is what is printed.
fn descriptors() -> Outcome {
    let open = fs::read_dir("/proc/self/fd").map_err(failed("/proc/self/fd"))?;
    Err(format!("{} descriptors", open.count()))
}

fn parallel() -> Outcome {
    let squares = wsrt::parallel::map_collect(0..10_000_u64, |number| number * number);
    let sum: u64 = squares.iter().sum();
    check(sum == 333_283_335_000, || format!("WRONG: a sum of {sum}"))
}

async fn tasks() -> Outcome {
    let mut tasks = JoinSet::new();
    for number in 0..200_u64 {
        tasks.spawn(async move {
            yield_now().await;
            number
        });
    }
    let mut sum = 0;
    while let Some(joined) = tasks.join_next().await {
        sum += joined.map_err(|error| format!("LOST: {error}"))?;
    }
    check(sum == 19_900, || format!("LOST: tasks with a sum of {sum}"))
}

async fn timers() -> Outcome {
    let mut tasks = JoinSet::new();
    for millis in 1..30 {
        tasks.spawn(async move {
            let (start, wait) = (Instant::now(), Duration::from_millis(millis));
            sleep(wait).await;
            (wait, start.elapsed())
        });
    }
    let mut fired = 0;
    while let Some(joined) = tasks.join_next().await {
        let (wait, took) = joined.map_err(|error| format!("LOST: {error}"))?;
        check(took >= wait, || format!("WRONG: a timer of {wait:?} fired after {took:?}"))?;
        check(took <= wait + LATENESS, || format!("LATE: a timer of {wait:?} fired after {took:?}"))?;
        fired += 1;
    }
    check(fired == 29, || format!("LOST: {fired} timers fired"))
}

async fn blocking() -> Outcome {
    let jobs: Vec<_> = (0..20_u64)
        .map(|number| {
            spawn_blocking(move || {
                std::thread::sleep(Duration::from_millis(1));
                number
            })
        })
        .collect();
    let mut sum = 0;
    for job in jobs {
        sum += job.await.map_err(|error| format!("LOST: {error}"))?;
    }
    check(sum == 190, || format!("LOST: jobs with a sum of {sum}"))
}

async fn files(path: &Path) -> Outcome {
    wsrt::fs::write(path, "some bytes").await.map_err(failed("fs::write"))?;
    let read = wsrt::fs::read_to_string(path).await.map_err(failed("fs::read_to_string"))?;
    check(read == "some bytes", || format!("WRONG: {read:?} in the file"))
}

/// A connection to a listener of the probe's own, which echoes.
async fn connect() -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed("TcpListener::bind"))?;
    let address = listener.local_addr().map_err(failed("local_addr"))?;
    let client = async {
        let mut stream = TcpStream::connect(address).await.map_err(failed("TcpStream::connect"))?;
        stream.write_all(b"some bytes").await.map_err(failed("write_all"))?;
        let mut answer = [0; 10];
        stream.read_exact(&mut answer).await.map_err(failed("read_exact"))?;
        check(&answer == b"some bytes", || format!("WRONG: {answer:?} came back"))
    };
    let server = async {
        let (stream, _) = listener.accept().await.map_err(failed("accept"))?;
        echo(stream).await.map_err(failed("echo"))
    };
    wsrt::try_join!(client, server).map(drop)
}

async fn process() -> Outcome {
    let status = Command::new("true").status().await.map_err(failed("Command::status"))?;
    check(status.success(), || format!("error: the child ended with {status}"))
}

/// The first signal of a runtime, which opens the descriptors for all.
fn receive_first_signal() -> Outcome {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(failed("its runtime"))?;
    within(&runtime, receive_signal())
}

async fn receive_signal() -> Outcome {
    let mut usr1 = signal(SignalKind::user_defined1()).map_err(failed("signal"))?;
    // SAFETY: takes no pointers, and the signal has a handler from here on.
    let code = unsafe { libc::raise(libc::SIGUSR1) };
    check(code == 0, || "WRONG: no signal can be raised".to_owned())?;
    usr1.recv().await.ok_or_else(|| "LOST: no signal will come".to_owned())
}
