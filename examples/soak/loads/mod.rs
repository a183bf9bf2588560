//! The loads of a round, one concern a file. Each continues until its turn is the last.

mod aborts;
mod blocking;
mod channels;
mod echoes;
mod http;
mod locks;
mod loops;
mod processes;
mod recordings;
mod runtimes;
mod signals;
mod timers;

use std::pin::Pin;
use std::sync::Arc;

use wsrt::task::JoinSet;

use crate::plant;
use crate::soak::Soak;

type Load = Pin<Box<dyn Future<Output = ()> + Send>>;
type Begin = fn(Arc<Soak>) -> Load;

/// Each load: its name, how many of it there are, and its beginning.
const LOADS: [(&str, usize, Begin); 15] = [
    ("http1", 4, |soak| Box::pin(http::clients_of_http1(soak))),
    ("http2", 4, |soak| Box::pin(http::clients_of_http2(soak))),
    ("quitters", 2, |soak| Box::pin(http::quitters(soak))),
    ("echoes", 4, |soak| Box::pin(echoes::run(soak))),
    ("channels", 4, |soak| Box::pin(channels::run(soak))),
    ("locks", 2, |soak| Box::pin(locks::run(soak))),
    ("timers", 4, |soak| Box::pin(timers::run(soak))),
    ("blocking", 2, |soak| Box::pin(blocking::run(soak))),
    ("aborts", 2, |soak| Box::pin(aborts::run(soak))),
    ("loops", 2, |soak| Box::pin(loops::run(soak))),
    ("runtimes", 2, |soak| Box::pin(runtimes::run(soak))),
    ("processes", 1, |soak| Box::pin(processes::run(soak))),
    ("signals", 1, |soak| Box::pin(signals::run(soak))),
    ("recordings", 1, |soak| Box::pin(recordings::run(soak))),
    ("plant", 1, |soak| Box::pin(plant::run(soak))),
];

/// Starts all of them, or those that the user has asked for.
pub(crate) fn start(soak: &Arc<Soak>) -> JoinSet<()> {
    let mut loads = JoinSet::new();
    for (name, count, load) in LOADS {
        if soak.options.only.as_ref().is_none_or(|only| only.split(',').any(|wanted| wanted == name)) {
            for _ in 0..count {
                loads.spawn(load(Arc::clone(soak)));
            }
        }
    }
    loads
}
