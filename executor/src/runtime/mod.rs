//! Building a runtime, running futures on it, and shutting it down.
//!
//! A [`Runtime`] owns the threads, the network poller and the timers that tasks need.
//! `#[wsrt::main]` creates one; a [`Builder`] creates one with other options. A [`Handle`] gives
//! access to a running runtime from any thread.

#[doc(hidden)]
#[path = "entry.rs"]
pub mod __entry;
mod build;
mod builder;
#[cfg(feature = "drop-in")]
mod drop_in;
mod dump;
pub(crate) mod environment;
mod handle;
mod hooks;
mod local;
mod metrics;
mod patrol;
mod poll_limit;
#[allow(clippy::module_inception)]
mod runtime;
pub(crate) mod schedtrace;
pub(crate) mod services;
mod shutdown;

pub use builder::Builder;
#[cfg(feature = "drop-in")]
#[doc(hidden)]
pub use drop_in::UnhandledPanic;
#[cfg(feature = "drop-in")]
#[doc(hidden)]
pub use dump::drop_in::Trace as __Trace;
pub use dump::{Cycle, Dump, TaskDump, TaskState, TaskStats};
pub use handle::{EnterGuard, Handle, Recording, TryCurrentError, worker_index};
pub use local::{LocalOptions, LocalRuntime};
pub use metrics::{
    Arrivals, LatencyHistogram, Metrics, NamePolls, PollSources, ProcessorMetrics, RuntimeMetrics, SitePolls, Steals,
};
pub use runtime::Runtime;
pub use shutdown::{Drained, LeftTask, is_rt_shutdown_err};

pub use crate::observe::dump::{Running, SourceWait, TaskKind, TimerWait, WaitsOn};
pub use crate::observe::sync_waits::SyncWait;
pub use crate::observe::task_hooks::{PanicAction, TaskPanic};
pub use crate::observe::timeline::{FlightRecorder, TraceDirectory, TraceSummary};
pub use crate::scheduler::runtime_id::RuntimeId;
pub use crate::scheduler::scheduler::RuntimeFlavor;
pub use crate::sysmon::stall::Stall;
#[doc(inline)]
pub use crate::task::{NewTask, TaskMeta};
#[doc(hidden)]
pub use crate::util::report::Recurring as __Recurring;
pub use crate::util::report::{Report, ReportKind};
/// The address of a socket or of its peer, in a [`SourceWait`].
#[doc(inline)]
pub use wsrt_reactor::Address;
pub use wsrt_stack::{Backtrace, StackFrame};
/// The kind of operation that a task waits for, in a [`SyncWait`].
#[doc(inline)]
pub use wsrt_sync::wait::WaitKind;
#[cfg(feature = "drop-in")]
#[doc(hidden)]
pub use wsrt_trace::drop_in as __trace;
#[doc(hidden)] // For wsrt-debug and wsrt-metrics.
pub use wsrt_trace::place::ShortLocation as __ShortLocation;
