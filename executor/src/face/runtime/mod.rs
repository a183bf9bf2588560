//! Building a runtime, running futures on it, and ending it.

mod builder;
mod drain;
mod dump;
mod handle;
mod metrics;
#[allow(clippy::module_inception)]
mod runtime;
mod trace;

pub use builder::Builder;
pub use drain::{Drained, LeftTask};
pub use dump::{Dump, TaskDump, TaskState, TaskStats};
pub use handle::{EnterGuard, Handle, TryCurrentError};
#[cfg(feature = "metrics")]
pub use metrics::MetricsExport;
pub use metrics::{Arrivals, LatencyHistogram, Metrics, PollSources, ProcessorMetrics, Steals};
pub use runtime::Runtime;
pub use trace::Recording;

pub use crate::policy::seeing::dump::{Running, SourceWait, TaskKind, TimerWait, WaitsOn};
pub use crate::policy::seeing::timeline::{FlightRecorder, TraceSummary};
pub use crate::policy::stall::Stall;
/// Where a socket is, or its peer, in a [`SourceWait`].
#[doc(inline)]
pub use wsrt_reactor::Address;
