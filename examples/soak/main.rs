//! Everything at once, for as long as you like, with a ledger that must balance:
//! `cargo run --release --example soak -- --seconds 120`.
//!
//! Rounds of load on one runtime: HTTP/1.1 and HTTP/2, echoes, timers, channels and locks, blocking
//! calls, aborts and panics, parallel loops, child processes, signals, dumps, recordings, and
//! further runtimes that are made and dropped in the midst of their work. Whatever is begun is
//! entered in the ledger and crossed out when it ends: each request is answered once, each task is
//! dropped once. After a round everything has to come to rest, the ledger has to balance, and
//! descriptors, threads, armed timers and memory are noted; they have to be flat from the first
//! third of the rounds to the last.
//!
//! | argument, or variable | meaning |
//! |---|---|
//! | `--seconds N`, `SOAK_SECONDS` | how long, 60 by default; time in which the process was stopped does not count |
//! | `--share F`, `SOAK_SHARE` | about how much of one core to use, children included; as much as there is by default |
//! | `--limit N`, `SOAK_LIMIT` | how many seconds the end of a round may take, 60 by default |
//! | `--plant FAULT`, `SOAK_PLANT` | commits a fault, so that the ledger can be seen to find it: `plant.rs` |
//! | `--only A,B`, `SOAK_ONLY` | the loads to start, by their names in `loads/mod.rs`; all by default |
//! | `--sites true`, `SOAK_SITES` | reports where the memory was allocated that is in use at the end and was not before |
//!
//! Ctrl-c and SIGTERM end it early and in good order. Ends with status 0 if the ledger balances, 1
//! with an account of the differences if not, 2 if an argument is wrong, and 3, with a dump of the
//! runtime, if a round does not end. Needs Linux's `/proc`, and the programs `cat`, `kill`, `sleep`
//! and `true`.

mod awake;
mod ledger;
mod levels;
mod loads;
mod memory;
mod options;
mod pace;
mod plant;
mod round;
mod servers;
mod sites;
mod soak;
mod watch;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::Builder;
use wsrt::signal::unix::{SignalKind, signal};

use crate::levels::History;
use crate::options::Options;
use crate::soak::Soak;

/// How long threads for blocking jobs wait for the next job: short, so that rests are.
const KEEP_ALIVE: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let options = match Options::read() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("soak: {error}");
            return ExitCode::from(2);
        }
    };
    match run(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether the ledger balances.
fn run(options: Options) -> io::Result<bool> {
    memory::limit_arenas()?;
    if options.sites {
        sites::turn_on();
    }
    let runtime = Builder::new_multi_thread().name("soak").thread_keep_alive(KEEP_ALIVE).build()?;
    let soak = runtime.block_on(Soak::new(options))?;
    watch::start(&soak, runtime.handle().clone())?;
    let history = runtime.block_on(rounds(&soak))?;
    sites::report();
    soak.begin_phase("the end of the runtime");
    drop(runtime);

    let mut complaints = soak.ledger.complaints();
    complaints.extend(history.complaints());
    println!("{}", soak.ledger);
    println!("{history}");
    for complaint in &complaints {
        println!("DOES NOT BALANCE: {complaint}");
    }
    let is_clean = complaints.is_empty();
    let verdict = if is_clean { "the ledger balances" } else { "the ledger does not balance" };
    println!("{verdict}: {} rounds in {:.0?}", history.rounds(), soak.awake.now());
    Ok(is_clean)
}

/// Runs rounds until the time is over, a signal tells to end, or a round shows a fault.
async fn rounds(soak: &Arc<Soak>) -> io::Result<History> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let ender = wsrt::spawn({
        let soak = Arc::clone(soak);
        async move {
            wsrt::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            println!("told to end");
            soak.tell_to_end();
        }
    });
    let mut history = History::default();
    let is_due = |history: &History| soak.awake.now() >= soak.options.duration && history.is_comparable();
    while !is_due(&history) && !soak.is_told_to_end() {
        history.note(round::run(soak).await);
        if !soak.ledger.complaints().is_empty() {
            break;
        }
    }
    ender.abort();
    Ok(history)
}
