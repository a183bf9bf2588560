//! An axum service that computes with rayon in its handlers, without a second thread pool or a
//! bridge to one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use image::codecs::png::PngEncoder;
use image::imageops::{FilterType, resize};
use image::{ImageBuffer, Rgb, RgbImage};
use rayon::prelude::*;

/// A flag that ends the endless computation once it is set to `true`.
pub type Stop = Arc<AtomicBool>;

/// Returns the routes of the service. Setting `stop` ends requests for `/endless`.
pub fn routes(stop: Stop) -> Router {
    Router::new()
        .route("/", get(|| async { "light" }))
        .route("/sorted/{count}", get(sorted))
        .route("/words", post(words))
        .route("/picture/{side}", get(picture))
        .route("/endless", get(endless))
        .with_state(stop)
}

/// Returns `count` pseudo-random numbers, the same in every call.
#[must_use]
pub fn numbers(count: usize) -> Vec<u64> {
    let next =
        |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(1), next).map(|state| state >> 33).take(count).collect()
}

/// Sorts numbers, and answers with the median.
async fn sorted(Path(count): Path<usize>) -> String {
    let mut numbers = numbers(count.clamp(1, 10_000_000));
    numbers.par_sort_unstable();
    numbers[numbers.len() / 2].to_string()
}

/// Counts the words of a text, and answers with the three most frequent.
async fn words(text: String) -> String {
    let mut words: Vec<&str> = text.par_split_whitespace().collect();
    words.par_sort_unstable();
    let mut counts: Vec<(usize, &str)> =
        words.par_chunk_by(|one, other| one == other).map(|same| (same.len(), same[0])).collect();
    counts.par_sort_unstable_by(|one, other| other.cmp(one));
    counts.iter().take(3).map(|(count, word)| format!("{word} {count}\n")).collect()
}

/// Draws a picture, and answers with a thumbnail of it.
async fn picture(Path(side): Path<u32>) -> impl IntoResponse {
    let drawn = draw(side.clamp(16, 4_096));
    let thumbnail = resize(&drawn, 16, 16, FilterType::Triangle);
    let mut png = Vec::new();
    thumbnail.write_with_encoder(PngEncoder::new(&mut png)).expect("memory takes it");
    ([(CONTENT_TYPE, "image/png")], png)
}

/// Draws a picture of the Mandelbrot set, `side` pixels wide and high.
#[must_use]
pub fn draw(side: u32) -> RgbImage {
    let color = |x: u32, y: u32| {
        let (a, b) = (f64::from(x) / f64::from(side) * 3.0 - 2.25, f64::from(y) / f64::from(side) * 3.0 - 1.5);
        let (mut re, mut im, mut steps) = (0.0_f64, 0.0_f64, 0_u8);
        while re * re + im * im < 4.0 && steps < 60 {
            (re, im, steps) = (re * re - im * im + a, 2.0 * re * im + b, steps + 1);
        }
        Rgb([steps * 4, steps * 2, 255 - steps * 4])
    };
    let mut picture = ImageBuffer::new(side, side);
    picture.par_enumerate_pixels_mut().for_each(|(x, y, pixel)| *pixel = color(x, y));
    picture
}

/// Computes on all processors until it is stopped.
async fn endless(State(stop): State<Stop>) -> String {
    let rounds =
        (0..usize::MAX).into_par_iter().take_any_while(|_| !stop.load(Relaxed)).map(|_| 1_usize).sum::<usize>();
    rounds.to_string()
}
