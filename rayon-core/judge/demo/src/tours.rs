//! Searches: trees whose branches differ in depth.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use crate::Random;

type Run = Box<dyn FnMut() -> u64>;

const CITIES: usize = 10;

/// The shortest tour, by branch and bound; each step is a closure spawned in a scope.
pub fn tsp() -> Run {
    struct Search {
        apart: [[u64; CITIES]; CITIES],
        shortest: AtomicU64,
    }
    fn go_on<'a>(search: &'a Search, scope: &rayon::Scope<'a>, at: usize, visited: u32, length: u64) {
        if length >= search.shortest.load(Relaxed) {
            return;
        }
        if visited.count_ones() as usize == CITIES {
            search.shortest.fetch_min(length + search.apart[at][0], Relaxed);
            return;
        }
        for city in (0..CITIES).filter(|city| visited & 1 << city == 0) {
            let length = length + search.apart[at][city];
            if visited.count_ones() < 6 {
                scope.spawn(move |scope| go_on(search, scope, city, visited | 1 << city, length));
            } else {
                go_on(search, scope, city, visited | 1 << city, length);
            }
        }
    }
    let mut random = Random::new();
    let places: [(f64, f64); CITIES] = std::array::from_fn(|_| (random.fraction(), random.fraction()));
    let apart = |a: (f64, f64), b: (f64, f64)| ((a.0 - b.0).hypot(a.1 - b.1) * 1e6) as u64;
    let apart = std::array::from_fn(|a| std::array::from_fn(|b| apart(places[a], places[b])));
    Box::new(move || {
        let search = Search { apart, shortest: AtomicU64::new(u64::MAX) };
        rayon::scope(|scope| go_on(&search, scope, 0, 1, 0));
        search.shortest.into_inner()
    })
}

/// In how many ways queens may stand on a board, by an iterator over the columns of each row.
pub fn nqueens() -> Run {
    fn count(side: u32, columns: u32, left: u32, right: u32) -> u64 {
        let row = columns.count_ones();
        if row == side {
            return 1;
        }
        let free = !(columns | left | right) & ((1 << side) - 1);
        let below = |column: u32| {
            let queen = 1 << column;
            count(side, columns | queen, (left | queen) << 1, (right | queen) >> 1)
        };
        let is_free = |column: &u32| free & 1 << column > 0;
        if row < 4 {
            (0..side).into_par_iter().filter(is_free).map(below).sum()
        } else {
            (0..side).filter(is_free).map(below).sum()
        }
    }
    Box::new(|| count(10, 0, 0, 0))
}
