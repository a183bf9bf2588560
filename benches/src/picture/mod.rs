//! Pictures: plots in SVG, drawn so that they can be read on a light page and on a dark one.
//!
//! They bring their own light ground along, since a picture does not know the colour of its page.

use std::fmt::Write;

pub(crate) mod bars;
pub(crate) mod curves;
pub(crate) mod guide;

const MARGIN: f64 = 24.0;
const HEAD: f64 = 96.0;
const COLUMNS: usize = 2;
const PANEL_WIDTH: f64 = 470.0;

const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 19px; font-weight: 600 } .panel { font-size: 14px; font-weight: 600 } .small { font-size: 11px; fill: #57606a }
.ours { fill: #0b6bcb } .theirs { fill: #9aa7b4 } .grid { stroke: #d8dee4 } .asked { stroke: #c2410c; stroke-width: 1.5; stroke-dasharray: 4 3 }
.note { fill: #c2410c; font-size: 11px } .spread { stroke: #1f2328; stroke-width: 1.2 }";

/// The text above the panels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    pub(crate) title: &'a str,
    /// How to read the panels.
    pub(crate) about: &'a str,
    /// The meaning of the dashed line.
    pub(crate) note: &'a str,
}

/// Puts panels of one height, side by side, under their head.
fn page(head: Head<'_>, panel_height: f64, panels: &[String]) -> String {
    let width = MARGIN + COLUMNS as f64 * (PANEL_WIDTH + MARGIN);
    let height = HEAD + panels.len().div_ceil(COLUMNS) as f64 * panel_height;
    let (title, about, note) = (escape(head.title), escape(head.about), escape(head.note));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{title}\">\n<style>{STYLE}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d8dee4\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"40\">{title}</text>\n\
         <text x=\"{MARGIN}\" y=\"64\">{about}</text>\n\
         <text class=\"note\" x=\"{MARGIN}\" y=\"82\">{note}</text>\n"
    );
    for (number, panel) in panels.iter().enumerate() {
        let x = MARGIN + (number % COLUMNS) as f64 * (PANEL_WIDTH + MARGIN);
        let y = HEAD + (number / COLUMNS) as f64 * panel_height;
        put(&mut text, &format!("<g transform=\"translate({x} {y})\">\n{panel}</g>"));
    }
    text.push_str("</svg>\n");
    text
}

fn line(text: &mut String, class: &str, x1: f64, y1: f64, x2: f64, y2: f64) {
    put(text, &format!("<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"));
}

fn put(text: &mut String, element: &str) {
    writeln!(text, "{element}").expect("a string takes everything");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
