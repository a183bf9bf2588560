//! Drawings as plain SVG without text, stretched to the available width. The labels are HTML beside
//! the drawings, so that they stay readable on a phone.

mod axis;
mod bar;
mod columns;
mod strip;

pub(crate) use axis::{Tick, time_axis};
pub(crate) use bar::{Part, bar};
pub(crate) use columns::columns;
pub(crate) use strip::{Kind, Strip, encode, strip};
