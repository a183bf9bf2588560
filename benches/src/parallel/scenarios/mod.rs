//! The four kinds of work that work stealing is said to help with, more and less: a tree, a graph,
//! a uniform batch and one long computation. Each is written as a user of the pool would write it.

use std::sync::Arc;

use super::pools::{Central, Jobs, Pool, Rayon, Wsrt, time_each};
use super::request::Request;
use super::rhythm::Rhythm;
use super::spin::Speed;
use crate::Failure;
use crate::harness::Series;

mod batch;
mod graph;
mod tree;

pub(super) const SUBJECTS: &[&str] = &["wsrt", "rayon", "central_queue", "serial"];
pub(super) const CASES: &[&str] = &[tree::NAME, graph::NAME, batch::UNIFORM, batch::SINGLE];

/// A kind of work. Each way of doing it answers how many pieces it did.
trait Scenario: Send + Sync + Sized + 'static {
    fn prepare(speed: Speed) -> Self;

    /// About how long it takes serially.
    fn nanos(&self) -> u64;

    fn serial(&self) -> usize;

    /// Within a task.
    fn wsrt(&self) -> usize;

    /// Within the pool.
    fn rayon(&self) -> usize;

    /// Outside the queue's threads.
    fn central(self: &Arc<Self>, jobs: &Jobs) -> usize;
}

pub(super) fn serve(request: &Request) -> Result<Series, Failure> {
    match &*request.case {
        tree::NAME => measure::<tree::Tree>(request),
        graph::NAME => measure::<graph::Graph>(request),
        batch::UNIFORM => measure::<batch::Uniform>(request),
        batch::SINGLE => measure::<batch::Single>(request),
        other => Err(format!("no scenario {other:?}").into()),
    }
}

fn measure<S: Scenario>(request: &Request) -> Result<Series, Failure> {
    let scenario = Arc::new(S::prepare(Speed::measure()?));
    let scenario = &scenario;
    let rhythm = Rhythm::hot(scenario.nanos());
    let pieces = scenario.serial();
    let serial = |times| time_each(times, || assert_eq!(scenario.serial(), pieces, "serially"));
    let processors = request.processors();
    Ok(match &*request.subject {
        "wsrt" => {
            let pool = Wsrt::build(processors)?;
            rhythm.alternate(serial, |times| {
                let scenario = Arc::clone(scenario);
                pool.run_task(move || time_each(times, || assert_eq!(scenario.wsrt(), pieces, "on wsrt")))
            })
        }
        "rayon" => {
            let pool = <Rayon>::build(processors)?;
            rhythm.alternate(serial, |times| {
                pool.install(|| time_each(times, || assert_eq!(scenario.rayon(), pieces, "on rayon")))
            })
        }
        "central_queue" => {
            let pool = Central::build(processors)?;
            rhythm.alternate(serial, |times| {
                time_each(times, || assert_eq!(scenario.central(pool.jobs()), pieces, "on the central queue"))
            })
        }
        "serial" => rhythm.alternate(serial, serial),
        other => return Err(format!("no pool {other:?} for scenarios").into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_all_do_the_same<S: Scenario>() {
        let scenario = Arc::new(S::prepare(Speed::instant()));
        let pieces = scenario.serial();
        assert!(pieces > 0);
        assert_eq!(scenario.serial(), pieces, "serially, again");
        assert_eq!(<Rayon>::build(2).unwrap().install(|| scenario.rayon()), pieces, "on rayon");
        assert_eq!(scenario.central(Central::build(2).unwrap().jobs()), pieces, "on the central queue");
        let shared = Arc::clone(&scenario);
        assert_eq!(Wsrt::build(2).unwrap().run_task(move || shared.wsrt()), pieces, "on wsrt");
    }

    #[test]
    fn every_pool_does_all_pieces_of_the_tree() {
        assert_all_do_the_same::<tree::Tree>();
    }

    #[test]
    fn every_pool_visits_every_node_of_the_graph_once() {
        assert_all_do_the_same::<graph::Graph>();
    }

    #[test]
    fn every_pool_does_the_whole_batch() {
        assert_all_do_the_same::<batch::Uniform>();
    }

    #[test]
    fn every_pool_does_the_long_computation() {
        assert_all_do_the_same::<batch::Single>();
    }
}
