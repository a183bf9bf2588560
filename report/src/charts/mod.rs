//! Drawings: plain SVG without text in it, stretched to the width there is. Their words stand
//! beside them in HTML, so that they stay readable on a phone.

mod axis;
mod bar;
mod columns;
mod strip;

pub(crate) use axis::{Tick, time_axis};
pub(crate) use bar::{Part, bar};
pub(crate) use columns::columns;
pub(crate) use strip::{Kind, Strip, encode, strip};
