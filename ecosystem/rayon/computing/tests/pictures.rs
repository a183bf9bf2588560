//! Crates that compute with rayon: pictures.

use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage};
use oxipng::{Options, optimize_from_memory};
use rayon::prelude::*;

fn stripes(side: u32) -> RgbImage {
    let mut picture = RgbImage::new(side, side);
    picture.par_enumerate_pixels_mut().for_each(|(x, y, pixel)| {
        *pixel = Rgb([(x ^ y) as u8, (x * y % 251) as u8, (x + y) as u8]);
    });
    picture
}

fn png(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).expect("memory takes it");
    bytes.into_inner()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn image_draws_and_reads_back() {
    let task = tokio::spawn(async {
        let picture = stripes(200);
        let read = image::load_from_memory(&png(&picture)).expect("it was just written").to_rgb8();
        assert_eq!(read, picture);
    });
    task.await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oxipng_makes_a_picture_smaller() {
    let task = tokio::spawn(async {
        let picture = stripes(100);
        let before = png(&picture);
        let after = optimize_from_memory(&before, &Options::from_preset(2)).expect("it is a PNG");
        assert!(after.len() <= before.len());
        assert_eq!(image::load_from_memory(&after).expect("it is a PNG").to_rgb8(), picture);
    });
    task.await.expect("no panic");
}
