//! Hostile clients harm themselves: while they attack, others are answered in time, the server's
//! memory is bounded, and afterwards its descriptors come back.
//!
//! Three victims, each a process of its own on two processors: `wsrt_hyper::serve`, the example
//! `http_server`, and the server of wsrt-debug. All attacks go over loopback, from this process,
//! for `HOSTILE_SECONDS` each (0.3 by default); `docs/PROOF.md` has the figures of a longer run.
#![cfg(target_os = "linux")]

mod bombs;
mod floods;
mod frames;
mod held_places;
mod http2;
mod http2_client;
mod limits;
mod others;
mod quiet_streams;
mod scene;
mod slow;
mod unsent;
mod victim;

use crate::scene::withstand;

#[test]
fn slow_heads_delay_no_others() {
    withstand("slow_heads_delay_no_others", slow::heads);
}

#[test]
fn slow_bodies_delay_no_others() {
    withstand("slow_bodies_delay_no_others", slow::bodies);
}

#[test]
fn slow_readers_delay_no_others() {
    withstand("slow_readers_delay_no_others", slow::readers);
}

#[test]
fn silent_and_half_closed_connections_delay_no_others() {
    withstand("silent_and_half_closed_connections_delay_no_others", slow::silent);
}

#[test]
fn a_flood_of_resets_delays_no_others() {
    withstand("a_flood_of_resets_delays_no_others", floods::resets);
}

#[test]
fn ten_thousand_connects_a_second_delay_no_others() {
    withstand("ten_thousand_connects_a_second_delay_no_others", floods::connects);
}

#[test]
fn streams_opened_and_reset_delay_no_others() {
    withstand("streams_opened_and_reset_delay_no_others", http2::rapid_reset);
}

#[test]
fn endless_continuations_delay_no_others() {
    withstand("endless_continuations_delay_no_others", http2::continuations);
}

#[test]
fn a_flood_of_settings_delays_no_others() {
    withstand("a_flood_of_settings_delays_no_others", http2::settings);
}

#[test]
fn a_flood_of_pings_delays_no_others() {
    withstand("a_flood_of_pings_delays_no_others", http2::pings);
}

#[test]
fn a_flood_of_window_updates_delays_no_others() {
    withstand("a_flood_of_window_updates_delays_no_others", http2::window_updates);
}

#[test]
fn a_flood_of_empty_data_delays_no_others() {
    withstand("a_flood_of_empty_data_delays_no_others", http2::empty_data);
}

#[test]
fn windows_of_zero_delay_no_others() {
    withstand("windows_of_zero_delay_no_others", http2::zero_windows);
}

#[test]
fn large_heads_delay_no_others() {
    withstand("large_heads_delay_no_others", bombs::heads);
}

#[test]
fn compressed_heads_that_expand_delay_no_others() {
    withstand("compressed_heads_that_expand_delay_no_others", bombs::compressed_heads);
}
