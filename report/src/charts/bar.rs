//! A horizontal bar of consecutive parts.

use std::fmt::Write;

use crate::text::Escaped;

/// One part of a bar.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The CSS class that gives the part its colour.
    pub(crate) class: &'static str,
    /// The part's fraction of the bar's length.
    pub(crate) share: f64,
    /// The text that is shown while the pointer is over the part.
    pub(crate) text: String,
}

/// Draws a bar across the full width. `label` describes the bar in words.
pub(crate) fn bar(label: &str, parts: &[Part]) -> String {
    let mut svg = format!(
        "<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
        Escaped(label)
    );
    let mut begin = 0.0_f64;
    for part in parts.iter().filter(|part| part.share > 0.0) {
        let width = (part.share * 1000.0).min(1000.0 - begin);
        let (class, text) = (part.class, Escaped(&part.text));
        write!(svg, "<rect class=\"{class}\" x=\"{begin:.1}\" y=\"0\" width=\"{width:.1}\" height=\"10\"><title>{text}</title></rect>")
            .expect("a string takes everything");
        begin += width;
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_and_end_with_the_bar() {
        let part = |share, text: &str| Part { class: "c", share, text: text.to_owned() };
        let svg = bar("<all>", &[part(0.25, "a"), part(0.0, "none"), part(0.9, "b")]);
        assert!(svg.contains("aria-label=\"&lt;all&gt;\""), "{svg}");
        assert!(
            svg.contains("x=\"0.0\" y=\"0\" width=\"250.0\"") && svg.contains("x=\"250.0\" y=\"0\" width=\"750.0\""),
            "{svg}"
        );
        assert!(!svg.contains("none<"), "{svg}");
    }
}
