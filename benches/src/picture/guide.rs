//! The pictures of the guide: boxes and arrows, without figures.

use super::{STYLE, escape, put};
use std::fmt::Write;

/// The pictures, by the names of their files.
#[must_use]
pub(crate) fn pictures() -> [(&'static str, String); 3] {
    [("packet.svg", packet()), ("spare.svg", spare()), ("steal.svg", steal())]
}

/// A picture as the target of a link, for pages that come without files beside them.
#[must_use]
pub(crate) fn data_uri(picture: &str) -> String {
    let mut uri = "data:image/svg+xml,".to_owned();
    for byte in picture.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~=:;,/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").expect("a string takes everything");
        }
    }
    uri
}

/// Boxes and arrows on a light ground.
struct Sketch {
    text: String,
}

impl Sketch {
    fn new(width: u32, height: u32, title: &str) -> Self {
        let title = escape(title);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" aria-label=\"{title}\">\n<style>{STYLE}\n.box {{ fill: #f6f8fa; stroke: #57606a }} \
             .run {{ fill: #cfe3f8; stroke: #0b6bcb }} .stuck {{ fill: #fbe3d6; stroke: #c2410c }} \
             .arrow {{ stroke: #57606a; stroke-width: 1.5 }} .mid {{ text-anchor: middle }}</style>\n\
             <defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"#57606a\"/></marker></defs>\n"
        );
        put(
            &mut text,
            &format!("<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d8dee4\"/>"),
        );
        let mut sketch = Self { text };
        sketch.words("title", 24, 36, &title);
        sketch
    }

    fn words(&mut self, class: &str, x: u32, y: u32, words: &str) {
        put(&mut self.text, &format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(words)));
    }

    /// A box with words in its middle.
    fn boxed(&mut self, class: &str, (x, y): (u32, u32), (width, height): (u32, u32), words: &str) {
        put(
            &mut self.text,
            &format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>"),
        );
        self.words("mid", x + width / 2, y + height / 2 + 5, words);
    }

    fn arrow(&mut self, (x1, y1): (u32, u32), (x2, y2): (u32, u32)) {
        put(
            &mut self.text,
            &format!(
                "<line class=\"arrow\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" marker-end=\"url(#end)\"/>"
            ),
        );
    }

    fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

fn packet() -> String {
    let mut sketch = Sketch::new(940, 190, "The way of a packet");
    let steps = [
        ("box", "netpoller", "one thread waits in it"),
        ("box", "waker", "readies the task"),
        ("box", "ring", "of a processor, in order"),
        ("run", "poll", "a thread with that processor"),
        ("run", "read returns", "where the task waited"),
    ];
    let mut x = 24;
    for (number, (class, name, about)) in steps.into_iter().enumerate() {
        if number > 0 {
            sketch.arrow((x - 34, 92), (x - 4, 92));
        }
        sketch.boxed(class, (x, 68), (148, 48), name);
        sketch.words("small mid", x + 74, 138, about);
        x += 184;
    }
    sketch.words("small", 24, 168, "If that processor is busy for long, another one steals the task from the ring.");
    sketch.finish()
}

fn spare() -> String {
    let mut sketch = Sketch::new(940, 300, "A spare processor");
    for (number, name) in ["P0", "P1", "P2, a spare"].into_iter().enumerate() {
        sketch.words("panel", 24, 98 + 56 * number as u32, name);
    }
    sketch.boxed("stuck", (130, 74), (560, 36), "task A blocks its thread");
    sketch.boxed("run", (694, 74), (110, 36), "D");
    sketch.boxed("run", (130, 130), (674, 36), "other tasks");
    sketch.boxed("run", (330, 186), (170, 36), "B, stolen");
    sketch.boxed("run", (504, 186), (170, 36), "C, stolen");
    sketch.boxed("box", (678, 186), (126, 36), "ends");
    sketch.arrow((300, 252), (326, 210));
    sketch.words(
        "small",
        130,
        268,
        "The watcher sees the poll for a second time, while B and C wait in the ring of P0: about 2 ms.",
    );
    sketch.words(
        "small",
        130,
        286,
        "Nothing is taken from under the thread that is stuck. When its poll returns, the spare retires.",
    );
    sketch.finish()
}

fn steal() -> String {
    let mut sketch = Sketch::new(940, 230, "Steal half from the tail");
    sketch.words("panel", 24, 98, "victim");
    sketch.words("panel", 24, 178, "thief");
    for (number, name) in ["G1", "G2", "G3", "G4"].into_iter().enumerate() {
        let x = 130 + 90 * number as u32;
        let is_taken = number >= 2;
        sketch.boxed(if is_taken { "run" } else { "box" }, (x, 74), (80, 36), name);
        if is_taken {
            sketch.arrow((x + 40, 114), (x + 40, 150));
            sketch.boxed("run", (x, 154), (80, 36), name);
        }
    }
    sketch.words("small", 130, 62, "oldest: next for the victim");
    sketch.words("small", 310, 62, "newest");
    sketch.words("small", 520, 98, "keeps the oldest half, in order");
    sketch.words("small", 520, 178, "takes the newest half, runs one of it at once");
    sketch.finish()
}
