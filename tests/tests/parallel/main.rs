//! Parallel calls: where they run, how they get help, what they refuse, how they end.

mod anywhere;
mod background;
mod beside_tasks;
mod cancel;
mod equals_serial;
mod gets_help;
mod leaves_nothing_unwatched;
mod nests;
mod runtimes_end;
