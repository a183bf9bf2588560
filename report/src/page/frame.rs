//! The frame around the sections: the head with the style and the script, the links to the
//! sections, and the foot.

use std::fmt::{Arguments, Display, Write};

use crate::charts::Tick;
use crate::numbers::Bytes;
use crate::reading::Report;
use crate::text::Escaped;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// The SHA-256 hash of the script. Browsers run this script and no other, even if a name in the
/// trace contains a script.
const SCRIPT_HASH: &str = "sha256-mt2X2iDYrSvBhG+n4rcXZNbiVFUwLnGhb/+FglO/vKU=";

/// The minimum distance on a phone between two labels under a chart, if the second one is to the
/// left of its line, in percent.
const CLOSE: f64 = 30.0;

/// The sections in their order on the page.
const SECTIONS: [(&str, &str); 11] = [
    ("timeline-section", "Timeline"),
    ("processors", "Processors"),
    ("latency", "Latency"),
    ("steals", "Steals"),
    ("slowest", "Slowest polls"),
    ("sites", "Spawn sites"),
    ("samples", "CPU samples"),
    ("woken", "Most woken"),
    ("waits", "Locks and channels"),
    ("stalls", "Stalls"),
    ("threads", "Threads"),
];

/// A page that is being written.
#[derive(Debug)]
pub(crate) struct Page {
    text: String,
}

impl Page {
    pub(crate) fn begin(report: &Report) -> Self {
        let mut page = Self { text: String::with_capacity(256 << 10) };
        let file = Escaped(&report.file);
        page.put(format_args!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src '{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <title>{file} · wsrt report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">To the report</a>\n<header>\n"
        ));
        page
    }

    /// Ends the head of the page, and writes the links to the sections.
    pub(crate) fn contents(&mut self) {
        self.put(format_args!("<nav aria-label=\"Sections\"><ul>"));
        for (id, title) in SECTIONS {
            self.put(format_args!("<li><a href=\"#{id}\">{title}</a></li>"));
        }
        self.put(format_args!("</ul></nav>\n</header>\n<main id=\"main\">\n"));
    }

    pub(crate) fn end(mut self, report: &Report) -> String {
        self.put(format_args!(
            "</main>\n<footer><p>Made by wsrt-report {} from {} of trace. Times are counted from the first event. For single events, \
             and the arrows from waker to poll, open the trace itself in Perfetto.</p></footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
            env!("CARGO_PKG_VERSION"),
            Bytes(report.bytes)
        ));
        self.text
    }

    pub(crate) fn put(&mut self, text: Arguments<'_>) {
        self.text.write_fmt(text).expect("a string takes everything");
    }

    /// Begins a section with its finding, and with an explanation of how to read the picture.
    pub(crate) fn section(&mut self, id: &str, finding: impl Display, how: &str) {
        let title = SECTIONS.iter().find(|(other, _)| *other == id).map_or(id, |(_, title)| title);
        self.put(format_args!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n\
             <p class=\"finding\">{finding}</p>\n<p class=\"how\">{how}</p>\n"
        ));
    }

    pub(crate) fn end_section(&mut self) {
        self.put(format_args!("</section>\n"));
    }

    /// Writes the ticks under a chart.
    pub(crate) fn axis(&mut self, ticks: &[Tick]) {
        self.put(format_args!("<div class=\"axis\" aria-hidden=\"true\">"));
        for (number, tick) in ticks.iter().enumerate() {
            // A number at the right end stands left of its line, so that it is not cut off.
            let (side, at, class) =
                if tick.at > 88.0 { ("right", 100.0 - tick.at, "late") } else { ("left", tick.at, "") };
            // On a phone it would cover the one before.
            let is_close = number > 0 && class == "late" && tick.at - ticks[number - 1].at < CLOSE;
            let minor = if tick.minor || is_close { " minor" } else { "" };
            self.put(format_args!(
                "<span class=\"{class}{minor}\" style=\"{side}:{at:.2}%\">{}</span>",
                Escaped(&tick.text)
            ));
        }
        self.put(format_args!("</div>"));
    }

    /// Writes a legend that explains a bar's colours.
    pub(crate) fn legend<'a>(&mut self, colours: impl IntoIterator<Item = (&'a str, &'a str)>) {
        self.put(format_args!("<ul class=\"legend\">"));
        for (class, word) in colours {
            self.put(format_args!("<li><i class=\"{class}\"></i>{word}</li>"));
        }
        self.put(format_args!("</ul>\n"));
    }

    /// Begins a table, which scrolls on its own if it is too wide. A column whose title begins with
    /// `#` contains numbers.
    pub(crate) fn table(&mut self, about: &str, class: &str, titles: &[&str]) {
        self.put(format_args!(
            "<div class=\"scroll\" role=\"region\" aria-label=\"Table: {about}\" tabindex=\"0\"><table class=\"{class}\"><thead><tr>"
        ));
        for title in titles {
            match title.strip_prefix('#') {
                Some(title) => self.put(format_args!("<th scope=\"col\" class=\"n\">{title}</th>")),
                None => self.put(format_args!("<th scope=\"col\">{title}</th>")),
            }
        }
        self.put(format_args!("</tr></thead><tbody>\n"));
    }

    pub(crate) fn end_table(&mut self) {
        self.put(format_args!("</tbody></table></div>\n"));
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for group in bytes.chunks(3) {
            let bits = group.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
            for place in 0..4 {
                let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
                text.push(if place > group.len() { '=' } else { digit.into() });
            }
        }
        text
    }

    #[test]
    fn the_page_has_the_hash_of_its_script() {
        let hash = format!("sha256-{}", base64(&Sha256::digest(SCRIPT)));
        assert_eq!(SCRIPT_HASH, hash, "the script was changed, and SCRIPT_HASH has to follow it");
    }

    #[test]
    fn style_and_script_cannot_end_before_their_end() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
    }
}
