//! A round: load, the end of the load, rest.

use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::Handle;
use wsrt::time::sleep;

use crate::awake::TICK;
use crate::levels::{self, Levels};
use crate::loads;
use crate::memory;
use crate::servers;
use crate::sites;
use crate::soak::Soak;

/// There are at least this many, so that there are thirds to compare.
const ROUNDS: u32 = 12;
const LONGEST: Duration = Duration::from_secs(4);
/// Waits for the signals that end the program.
const ENDER: usize = 1;

/// Loads the runtime for some seconds, waits until it is at rest, and returns its levels there. The
/// watcher ends the program if that never happens.
pub(crate) async fn run(soak: &Arc<Soak>) -> Levels {
    soak.begin_phase("the load");
    soak.begin_round();
    let mut loads = loads::start(soak);
    let until = soak.awake.now() + (soak.options.duration / ROUNDS).min(LONGEST);
    while soak.awake.now() < until && !soak.is_told_to_end() {
        sleep(TICK).await;
    }
    soak.begin_phase("the end of the loads");
    soak.end_loads();
    while let Some(ended) = loads.join_next().await {
        if let Err(error) = ended {
            soak.ledger.fault(format!("a load ended by itself: {error}"));
        }
    }
    soak.begin_phase("the rest");
    while let Some(obstacle) = obstacle(soak) {
        soak.rename_phase(format!("the rest, since {obstacle}"));
        sleep(TICK).await;
    }
    soak.ledger.shrink();
    memory::give_back();
    let levels = Levels::read(&Handle::current());
    let metrics = Handle::current().metrics().snapshot();
    let timers: Vec<usize> = metrics.processors().iter().map(|processor| processor.timers_held()).collect();
    println!("at rest after round {}: {levels}; timers by processor {timers:?}", soak.round());
    if soak.awake.now() >= soak.options.duration / 3 {
        sites::note();
    }
    levels
}

/// The reason why the runtime is not at rest yet, if there is one.
fn obstacle(soak: &Soak) -> Option<String> {
    let metrics = Handle::current().metrics();
    let (tasks, expected) = (metrics.num_alive_tasks(), servers::TASKS + ENDER);
    if tasks > expected {
        return Some(format!("{tasks} tasks are alive, and {expected} are the servers' and the program's"));
    }
    let blocking = metrics.num_blocking_threads();
    if blocking > 0 {
        return Some(format!("{blocking} threads for blocking jobs are alive"));
    }
    if levels::is_recording() {
        return Some("a recording has not ended".into());
    }
    soak.ledger.open_account()
}
