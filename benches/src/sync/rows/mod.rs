//! The rows of the table, one kind a file: the work, and the libraries that can do it.
//!
//! As the workloads of `compare`, each row checks its own result (counts, sums), so that a library
//! that loses or doubles a value, and a runtime that loses a task, has no figure.

use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::workloads::{About, Figures};

mod broadcast;
mod fast;
mod four_to_four;
mod four_to_one;
mod idle;
mod lock;
mod lock_four;
mod notify;
mod one_to_one;
mod oneshot;
mod recv_many;
mod request_reply;
mod shared;
mod watch;

/// A row, and the libraries that it is measured on. Wrong results are panics.
pub(super) struct Row<R> {
    pub(super) about: About,
    pub(super) libraries: Vec<Entry<R>>,
}

/// A library by its name, and how it does the work.
type Entry<R> = (&'static str, fn(&R, &Plan) -> Figures);

/// All rows, in the table's order. A new one needs its line here.
pub(super) fn all<R: Runtime>() -> Vec<Row<R>> {
    vec![
        fast::send_recv(),
        oneshot::ready(),
        lock::row(),
        fast::read(),
        fast::acquire(),
        fast::notify_kept(),
        one_to_one::bounded(),
        one_to_one::unbounded(),
        four_to_one::row(),
        four_to_four::row(),
        recv_many::row(),
        request_reply::row(),
        oneshot::waited_for(),
        lock_four::row(),
        lock_four::held(),
        shared::read_write(),
        shared::acquire_four(),
        notify::row(),
        watch::row(),
        broadcast::row(),
        idle::bounded(),
        idle::unbounded(),
        idle::lock(),
    ]
}

/// Makes the entries of a row: the function `$on`, generic in the runtime and the library, for each
/// of the libraries.
macro_rules! entries {
    ($on:ident, $runtime:ident, [$($library:ty),+ $(,)?]) => {{
        let entry = |name, run: fn(&$runtime, &$crate::plan::Plan) -> $crate::workloads::Figures| (name, run);
        vec![$(entry(<$library as $crate::sync::libraries::Library>::NAME, $on::<$runtime, $library>)),+]
    }};
}
use entries;

/// A row's description, `rounds` of `size` operations.
const fn about(name: &'static str, summary: &'static str, size: usize, rounds: u32) -> About {
    About { name, summary, size, rounds, bare: None }
}
