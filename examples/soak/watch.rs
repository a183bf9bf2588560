//! The watcher: a thread beside the runtime that reports progress, keeps the pace, and ends the
//! program if a phase does not end.

use std::io;
use std::process;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use wsrt::runtime::Handle;

use crate::ledger::Kind;
use crate::levels::Levels;
use crate::pace::used_time;
use crate::soak::Soak;

const PERIOD: Duration = Duration::from_millis(250);
const PERIODS_PER_REPORT: u32 = 4;

/// Starts the thread, which ends with the process.
pub(crate) fn start(soak: &Arc<Soak>, runtime: Handle) -> io::Result<()> {
    let soak = Arc::clone(soak);
    thread::Builder::new().name("soak-watch".into()).spawn(move || watch(&soak, &runtime))?;
    Ok(())
}

fn watch(soak: &Soak, runtime: &Handle) {
    let (mut used, mut at) = (used_time(), Instant::now());
    let (mut used_at_report, mut report_at) = (used, at);
    for period in 1.. {
        thread::sleep(PERIOD);
        let (used_now, now) = (used_time(), Instant::now());
        soak.pace.adjust(used_now - used, now - at);
        (used, at) = (used_now, now);
        if period % PERIODS_PER_REPORT == 0 {
            let share = (used - used_at_report).as_secs_f64() / (now - report_at).as_secs_f64().max(1e-3);
            report(soak, runtime, share);
            (used_at_report, report_at) = (used, now);
        }
        if soak.phase_lasts() > soak.options.limit {
            give_up(soak, runtime);
        }
    }
}

fn report(soak: &Soak, runtime: &Handle, share: f64) {
    let ledger = &soak.ledger;
    println!(
        "{:5.0?}: round {}, {} entries closed, {} requests, {} tasks; {}; {:.0} % of a core",
        soak.awake.now(),
        soak.round(),
        ledger.closed(),
        ledger.closed_of(Kind::Request),
        ledger.closed_of(Kind::Task),
        Levels::read(runtime),
        100.0 * share,
    );
}

/// Reports all that is known of the phase that does not end, and ends the process.
fn give_up(soak: &Soak, runtime: &Handle) -> ! {
    println!("{}", soak.ledger);
    for complaint in soak.ledger.complaints() {
        println!("DOES NOT BALANCE: {complaint}");
    }
    println!("DOES NOT END: {}, since {:.0?}", soak.phase(), soak.phase_lasts());
    println!("{}", runtime.dump());
    process::exit(3);
}
