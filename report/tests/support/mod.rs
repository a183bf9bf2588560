//! Traces for tests: their packets, written one by one, and a program that never ran.
#![allow(dead_code)] // Each test program uses its part.

pub(crate) mod encoder;
pub(crate) mod program;

/// A number as the page shows it.
pub(crate) fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group)).collect();
    groups.join(",")
}
