//! Publishes the metrics of [wsrt] runtimes: as a page for Prometheus, or through the [`metrics`]
//! crate to the recorder that the program has installed.
//!
//! | to | call |
//! |---|---|
//! | write a page for Prometheus, with nothing else installed | [`prometheus`] |
//! | publish to a recorder of the crate `metrics`, beside the program's own figures | [`export`] (feature `export`, on by default) |
//!
//! Both have the same [figures], which wsrt's guide lists with their names, labels and units.
//!
//! [figures]: https://docs.rs/wsrt/latest/wsrt/guide/metrics/
// The page names items of all features, and some builds have fewer.
#![cfg_attr(not(feature = "export"), allow(rustdoc::broken_intra_doc_links))]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod buckets;
#[cfg(feature = "export")]
mod exporting;
mod figures;
#[cfg(feature = "export")]
mod publishing;
mod text;

pub use self::buckets::BUCKETS;
#[cfg(feature = "export")]
pub use self::exporting::{MetricsExport, export};
pub use self::text::prometheus;

/// For wsrt-opentelemetry, and not part of the public interface.
#[doc(hidden)]
pub mod __figures {
    pub use crate::buckets::counts;
    pub use crate::figures::{FIGURES, Figure, Kind, Value};
    pub use crate::text::names;
}
