//! Grids and bodies: many steps, each a loop over all.

use rayon::prelude::*;

use crate::Random;

type Run = Box<dyn FnMut() -> u64>;

type Vector = [f64; 3];

pub fn nbody() -> Run {
    let mut random = Random::new();
    let bodies: Vec<Vector> = (0..800).map(|_| [random.fraction(), random.fraction(), random.fraction()]).collect();
    let force = |on: &Vector, bodies: &[Vector]| {
        bodies.iter().fold([0.0; 3], |sum: Vector, from| {
            let apart: Vector = std::array::from_fn(|axis| from[axis] - on[axis]);
            let square = apart.iter().map(|part| part * part).sum::<f64>() + 1e-3;
            let pull = 1.0 / (square * square.sqrt());
            std::array::from_fn(|axis| sum[axis] + apart[axis] * pull)
        })
    };
    Box::new(move || {
        let mut moved = bodies.clone();
        for _ in 0..2 {
            let forces: Vec<Vector> = moved.par_iter().map(|body| force(body, &moved)).collect();
            moved.par_iter_mut().zip(&forces).for_each(|(body, force)| {
                (0..3).for_each(|axis| body[axis] += force[axis] * 1e-9);
            });
        }
        moved.iter().map(|body| (body[0] * 1e9) as u64).sum()
    })
}

/// Divides both factors until the pieces are small.
pub fn matmul() -> Run {
    const SIDE: usize = 192;
    fn multiply(a: &[f32], b: &[f32], product: &mut [f32], rows: usize) {
        if rows > 8 {
            let half = rows / 2;
            let (a_top, a_rest) = a.split_at(half * SIDE);
            let (top, rest) = product.split_at_mut(half * SIDE);
            rayon::join(|| multiply(a_top, b, top, half), || multiply(a_rest, b, rest, rows - half));
            return;
        }
        for row in 0..rows {
            let sums = &mut product[row * SIDE..][..SIDE];
            for (at, factor) in a[row * SIDE..][..SIDE].iter().enumerate() {
                for (sum, other) in sums.iter_mut().zip(&b[at * SIDE..][..SIDE]) {
                    *sum += factor * other;
                }
            }
        }
    }
    let mut random = Random::new();
    let mut matrix = || -> Vec<f32> { (0..SIDE * SIDE).map(|_| random.below(8) as f32).collect() };
    let (a, b) = (matrix(), matrix());
    Box::new(move || {
        let mut product = vec![0.0; SIDE * SIDE];
        multiply(&a, &b, &mut product, SIDE);
        product.iter().map(|cell| *cell as u64).sum()
    })
}

/// Twenty generations of Conway's game, on a field without an edge.
pub fn life() -> Run {
    const SIDE: usize = 256;
    let mut random = Random::new();
    let start: Vec<u8> = (0..SIDE * SIDE).map(|_| u8::from(random.below(4) == 0)).collect();
    let next = |old: &[u8], at: usize| {
        let (row, column) = (at / SIDE, at % SIDE);
        let rows = [row + SIDE - 1, row, row + 1].map(|row| row % SIDE * SIDE);
        let columns = [column + SIDE - 1, column, column + 1].map(|column| column % SIDE);
        let around: u8 = rows.iter().flat_map(|row| columns.map(|column| old[row + column])).sum();
        u8::from(around == 3 || (around == 4 && old[at] == 1))
    };
    Box::new(move || {
        let mut field = start.clone();
        for _ in 0..20 {
            field = (0..field.len()).into_par_iter().map(|at| next(&field, at)).collect();
        }
        field.iter().map(|cell| u64::from(*cell)).sum()
    })
}
