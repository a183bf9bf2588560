//! A parallel loop over rows that cost very different amounts:
//! `cargo run --release --example mandelbrot`.
//!
//! Rows through the middle of Mandelbrot's set take a thousand steps a pixel, rows at its edge a
//! few. Nothing here says how to cut the work: a processor that runs out of rows takes half of
//! another's remaining ones.
//!
//! Writes `mandelbrot.png`, and prints the speed-up over a serial run of the same rows. The width
//! in pixels and the file may be given as arguments:
//! `cargo run --release --example mandelbrot -- 1920 /tmp/set.png`.

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use wsrt::parallel;

const USUAL_WIDTH: u32 = 1_200;
const MOST_WIDTH: u32 = 20_000;
const USUAL_FILE: &str = "mandelbrot.png";
/// A point that has not fled after so many steps is taken to be in the set.
const STEPS: u32 = 1_000;
/// The part of the plane: from -2.2 to 0.8, and as much to both sides of the axis as the picture is
/// high.
const LEFT: f64 = -2.2;
const SPAN: f64 = 3.0;

#[wsrt::main]
async fn main() -> ExitCode {
    // A task should not hold its processor for so long. A blocking thread gets help from the
    // processors as a task does.
    let ran = wsrt::task::spawn_blocking(run).await;
    match ran.expect("it is neither cancelled nor does it panic") {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mandelbrot: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut arguments = env::args().skip(1);
    let width = match arguments.next() {
        Some(word) => parse_width(&word)?,
        None => USUAL_WIDTH,
    };
    let path = arguments.next().unwrap_or_else(|| USUAL_FILE.to_owned());
    if let Some(word) = arguments.next() {
        return Err(format!("unknown argument `{word}`: a width and a file are all that is asked").into());
    }

    let mut picture = Picture::new(width);
    let alone = time_of(|| picture.rows().iter_mut().for_each(|row| row.paint()));
    let expected = picture.clone();
    picture.clear();
    let together = time_of(|| parallel::for_each(&mut picture.rows()[..], |row| row.paint()));
    assert!(picture == expected, "both runs paint the same picture");

    picture.save(&path).map_err(|error| format!("cannot write `{path}`: {error}"))?;
    println!("{} x {} pixels in `{path}`", picture.width, picture.height);
    println!("one row after the other {:>8.1} ms", alone.as_secs_f64() * 1e3);
    println!("in parallel             {:>8.1} ms", together.as_secs_f64() * 1e3);
    println!("speed-up                {:>8.2}", alone.as_secs_f64() / together.as_secs_f64());
    Ok(())
}

fn parse_width(word: &str) -> Result<u32, String> {
    match word.parse() {
        Ok(width @ 2..=MOST_WIDTH) => Ok(width),
        _ => Err(format!("`{word}` is not a width in pixels from 2 to {MOST_WIDTH}")),
    }
}

fn time_of(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Grey values, row by row.
#[derive(Clone, PartialEq)]
struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

struct Row<'a> {
    pixels: &'a mut [u8],
    /// In the plane.
    height: f64,
    pixel_size: f64,
}

impl Picture {
    fn new(width: u32) -> Self {
        let height = width * 2 / 3 + 1;
        Self { width, height, pixels: vec![0; width as usize * height as usize] }
    }

    fn clear(&mut self) {
        self.pixels.fill(0);
    }

    fn rows(&mut self) -> Vec<Row<'_>> {
        let pixel_size = SPAN / f64::from(self.width);
        let middle = self.height as usize / 2;
        let row = |(number, pixels)| Row { pixels, height: (middle as f64 - number as f64) * pixel_size, pixel_size };
        self.pixels.chunks_mut(self.width as usize).enumerate().map(row).collect()
    }

    fn save(&self, path: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), self.width, self.height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        Ok(writer.finish()?)
    }
}

impl Row<'_> {
    fn paint(&mut self) {
        for (column, pixel) in self.pixels.iter_mut().enumerate() {
            *pixel = shade(steps_until_it_flees(LEFT + column as f64 * self.pixel_size, self.height));
        }
    }
}

fn steps_until_it_flees(real: f64, imaginary: f64) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    for step in 0..STEPS {
        let (square_x, square_y) = (x * x, y * y);
        if square_x + square_y > 4.0 {
            return step;
        }
        (x, y) = (square_x - square_y + real, 2.0 * x * y + imaginary);
    }
    STEPS
}

/// Black in the set, the brighter the later it flees outside.
fn shade(steps: u32) -> u8 {
    if steps == STEPS {
        return 0;
    }
    let share = f64::from(steps + 1).ln() / f64::from(STEPS).ln();
    40 + (share * 215.0) as u8
}
