//! The tests' common tools: a deadline against hangs, processes of their own, polls that do not
//! return, and ways to look at threads, panics and drops.

mod api;
mod child;
mod deadline;
mod drops;
mod ends;
mod examples;
mod foreign;
mod hold;
mod lines;
mod macros;
mod net;
mod panics;
mod places;
mod random;
mod rescues;
mod sources;
mod spin;
mod threads;
mod unchecked;

pub use self::api::{PublicLine, public_lines, public_lines_of};
#[cfg(unix)]
pub use self::child::in_a_process_whose_errors_nobody_reads;
pub use self::child::{
    beside_a_process_of_its_own, in_a_process_of_its_own, in_a_process_with_files, in_a_process_with_many_files,
    open_file_limit, text_of,
};
pub use self::deadline::{LIMIT, eventually, within_a_minute};
pub use self::drops::{Roll, RollEntry};
pub use self::ends::assert_dropped_at_the_end;
pub use self::examples::example;
pub use self::foreign::foreign_block_on;
pub use self::hold::{Gate, Hold, Manner};
pub use self::lines::lines;
pub use self::net::{echo, listen, on_two_processors, pair, two_processors};
pub use self::panics::panic_message;
pub use self::places::{HAS_STACKS, in_every_runtime, runtime_with, watched};
pub use self::random::Random;
pub use self::rescues::assert_no_wake_was_lost;
pub use self::sources::{Item, items_below, items_of};
pub use self::spin::{compute, spin_for};
pub use self::threads::{count_threads, threads_named};
pub use self::unchecked::not_checked;
pub use wsrt_reactor_testing::Directory;
