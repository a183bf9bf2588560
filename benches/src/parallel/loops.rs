//! One parallel loop over tasks of known cost, again and again.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::pools::{Central, Pool, Rayon, Serial, Wsrt};
use super::request::Request;
use super::rhythm::Rhythm;
use super::spin::{Speed, spin};
use super::{costs, cpp};
use crate::Failure;
use crate::harness::Series;

pub(super) const SUBJECTS: &[&str] = &[
    "wsrt",
    "rayon",
    "rayon_max_len_1",
    cpp::STATIC,
    cpp::DYNAMIC,
    cpp::GUIDED,
    cpp::ONETBB,
    "central_queue",
    "serial",
];

/// Back to back.
pub(super) fn serve_hot(request: &Request) -> Result<Series, Failure> {
    let costs = costs::of(&request.case)?;
    let total = costs.iter().map(|&cost| u64::from(cost)).sum();
    serve(request, &costs, Rhythm::hot(total))
}

/// Each loop by itself after a rest.
pub(super) fn serve_rested(request: &Request) -> Result<Series, Failure> {
    serve(request, &costs::of(&request.case)?, Rhythm::rested())
}

fn serve(request: &Request, costs: &[u32], rhythm: Rhythm) -> Result<Series, Failure> {
    let processors = request.processors();
    match &*request.subject {
        "wsrt" => measure::<Wsrt>(processors, costs, rhythm),
        "rayon" => measure::<Rayon<false>>(processors, costs, rhythm),
        "rayon_max_len_1" => measure::<Rayon<true>>(processors, costs, rhythm),
        "central_queue" => measure::<Central>(processors, costs, rhythm),
        "serial" => measure::<Serial>(processors, costs, rhythm),
        other => cpp::become_rival(other, &request.rivals, processors, costs, rhythm),
    }
}

fn measure<P: Pool>(processors: usize, costs: &[u32], rhythm: Rhythm) -> Result<Series, Failure> {
    let speed = Speed::measure()?;
    let pool = P::build(processors)?;
    check(&pool, costs.len())?;
    let steps: Arc<[u32]> = costs.iter().map(|&cost| speed.steps(cost)).collect();
    let body = move |index: usize| spin(steps[index]);
    let count = costs.len();
    Ok(rhythm.alternate(|times| Serial.run(count, times, body.clone()), |times| pool.run(count, times, body.clone())))
}

/// Makes sure that the pool runs every index once.
fn check(pool: &impl Pool, count: usize) -> Result<(), Failure> {
    let ran: Arc<[AtomicU32]> = (0..count).map(|_| AtomicU32::new(0)).collect();
    let counts = Arc::clone(&ran);
    pool.run(count, 1, move |index| {
        counts[index].fetch_add(1, Relaxed);
    });
    match ran.iter().position(|ran| ran.load(Relaxed) != 1) {
        None => Ok(()),
        Some(index) => Err(format!("index {index} of {count} ran {} times", ran[index].load(Relaxed)).into()),
    }
}
