//! A graph whose nodes have the costs of the Zipf loop's tasks: the visit of a node spawns the
//! visits of its neighbours that no other visit has seen yet.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use super::Scenario;
use crate::parallel::costs;
use crate::parallel::pools::Jobs;
use crate::parallel::spin::{Speed, spin};
use crate::random::Random;

pub(super) const NAME: &str = "graph";

const NEIGHBOURS: usize = 4;
const COSTS: &str = "zipf_2048";

pub(super) struct Graph {
    nodes: Vec<Node>,
    nanos: u64,
}

struct Node {
    steps: u32,
    neighbours: [usize; NEIGHBOURS],
}

/// One traversal.
struct Visits {
    is_seen: Vec<AtomicBool>,
    done: AtomicUsize,
}

impl Visits {
    fn of(graph: &Graph) -> Self {
        let is_seen: Vec<_> = graph.nodes.iter().map(|_| AtomicBool::new(false)).collect();
        is_seen[0].store(true, Relaxed);
        Self { is_seen, done: AtomicUsize::new(0) }
    }

    /// Visits the node `number` and returns those of its neighbours that no other visit will spawn.
    fn visit<'graph>(&self, graph: &'graph Graph, number: usize) -> impl Iterator<Item = usize> + use<'_, 'graph> {
        let node = &graph.nodes[number];
        spin(node.steps);
        self.done.fetch_add(1, Relaxed);
        node.neighbours.iter().copied().filter(|&neighbour| !self.is_seen[neighbour].swap(true, Relaxed))
    }

    fn done(&self) -> usize {
        self.done.load(Relaxed)
    }
}

impl Scenario for Graph {
    fn prepare(speed: Speed) -> Self {
        let costs = costs::of(COSTS).expect("it is one of the loops");
        let mut random = Random::new(7);
        let node = |&cost: &u32| Node {
            steps: speed.steps(cost),
            neighbours: std::array::from_fn(|_| random.below(costs.len())),
        };
        Self { nanos: costs.iter().map(|&cost| u64::from(cost)).sum(), nodes: costs.iter().map(node).collect() }
    }

    fn nanos(&self) -> u64 {
        self.nanos
    }

    fn serial(&self) -> usize {
        let visits = Visits::of(self);
        let mut to_visit = vec![0];
        while let Some(number) = to_visit.pop() {
            to_visit.extend(visits.visit(self, number));
        }
        visits.done()
    }

    fn wsrt(&self) -> usize {
        let visits = Visits::of(self);
        wsrt::parallel::scope(|scope| wsrt(scope, self, &visits, 0));
        visits.done()
    }

    fn rayon(&self) -> usize {
        let visits = Visits::of(self);
        rayon::scope(|scope| rayon(scope, self, &visits, 0));
        visits.done()
    }

    fn central(self: &Arc<Self>, jobs: &Jobs) -> usize {
        let visits = Arc::new(Visits::of(self));
        central(jobs, self, &visits, 0);
        jobs.wait_all();
        visits.done()
    }
}

fn wsrt<'scope>(scope: &wsrt::parallel::Scope<'scope>, graph: &'scope Graph, visits: &'scope Visits, number: usize) {
    for neighbour in visits.visit(graph, number) {
        scope.spawn(move |scope| wsrt(scope, graph, visits, neighbour));
    }
}

fn rayon<'scope>(scope: &rayon::Scope<'scope>, graph: &'scope Graph, visits: &'scope Visits, number: usize) {
    for neighbour in visits.visit(graph, number) {
        scope.spawn(move |scope| rayon(scope, graph, visits, neighbour));
    }
}

fn central(jobs: &Jobs, graph: &Arc<Graph>, visits: &Arc<Visits>, number: usize) {
    let graph = Arc::clone(graph);
    let visits = Arc::clone(visits);
    jobs.spawn(move |jobs| {
        for neighbour in visits.visit(&graph, number) {
            central(jobs, &graph, &visits, neighbour);
        }
    });
}
