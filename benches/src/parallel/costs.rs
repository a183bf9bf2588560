//! The loops: the cost of each of their tasks, in nanoseconds.
//!
//! The Zipf costs are drawn from Zipf's distribution with exponent 1.5, times 50 ns: most tasks
//! cost 50 ns, a few 40 µs. They are files, so that every user measures the same ones; `data/`
//! holds nothing else.

use crate::Failure;

/// Tasks of the uniform loop, and the cost of each: the mean of [`zipf_512`](ALL).
const UNIFORM: (usize, u32) = (512, 1283);

/// The two costs of the bimodal loop: one task in ten has the second one.
const BIMODAL: [u32; 2] = [443, 8_860];

/// A loop of the table.
pub(super) struct Loop {
    pub(super) name: &'static str,
    costs: fn() -> Result<Vec<u32>, Failure>,
    /// The efficiency on two processors that is asked of wsrt.
    pub(super) asked: f64,
}

pub(super) const ALL: [Loop; 7] = [
    Loop { name: "zipf_512", costs: || read("zipf_512", include_str!("../../data/zipf_512.txt")), asked: 0.96 },
    Loop { name: "zipf_1024", costs: || read("zipf_1024", include_str!("../../data/zipf_1024.txt")), asked: 0.97 },
    Loop { name: "zipf_2048", costs: || read("zipf_2048", include_str!("../../data/zipf_2048.txt")), asked: 0.98 },
    Loop { name: "zipf_100", costs: || read("zipf_100", include_str!("../../data/zipf_100.txt")), asked: 0.85 },
    Loop { name: "uniform_512", costs: || Ok(vec![UNIFORM.1; UNIFORM.0]), asked: 0.97 },
    Loop { name: "bimodal_512", costs: || Ok((0..UNIFORM.0 as u32).map(bimodal).collect()), asked: 0.97 },
    Loop { name: "zipf_512_descending", costs: descending, asked: 0.96 },
];

/// Returns the costs of the loop `name`.
pub(super) fn of(name: &str) -> Result<Vec<u32>, Failure> {
    let found = ALL.iter().find(|known| known.name == name).ok_or_else(|| format!("no loop {name:?}"))?;
    (found.costs)()
}

/// Returns how long the tasks take if each goes, in order and at no cost, to the processor that is
/// free first: the time of a loop over a shared counter on a perfect machine.
pub(super) fn in_order(costs: &[u32], processors: usize) -> f64 {
    let mut busy_until = vec![0_u64; processors];
    for &cost in costs {
        let first_free = busy_until.iter_mut().min().expect("there is a processor");
        *first_free += u64::from(cost);
    }
    busy_until.into_iter().max().map_or(0.0, |nanos| nanos as f64)
}

fn descending() -> Result<Vec<u32>, Failure> {
    let mut costs = of("zipf_512")?;
    costs.sort_unstable_by(|one, other| other.cmp(one));
    Ok(costs)
}

/// The costly tasks come in no order.
fn bimodal(index: u32) -> u32 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b);
    BIMODAL[usize::from((mixed >> 16) % 10 == 0)]
}

/// Reads a cost a line.
fn read(name: &str, text: &str) -> Result<Vec<u32>, Failure> {
    let cost = |(number, line): (usize, &str)| {
        let cost = line.trim().parse::<u32>().ok().filter(|&cost| cost > 0);
        cost.ok_or_else(|| format!("{name}.txt, line {}: {line:?} is no cost in nanoseconds", number + 1).into())
    };
    text.lines().enumerate().map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loops_are_as_long_and_costly_as_documented() {
        for (name, tasks, total) in [
            ("zipf_100", 100, 129_150),
            ("zipf_512", 512, 656_650),
            ("zipf_1024", 1024, 1_311_500),
            ("zipf_2048", 2048, 2_621_950),
            ("uniform_512", 512, 656_896),
            ("bimodal_512", 512, 723_419),
            ("zipf_512_descending", 512, 656_650),
        ] {
            let costs = of(name).unwrap();
            assert_eq!((costs.len(), costs.iter().sum::<u32>()), (tasks, total), "{name}");
        }
    }

    #[test]
    fn the_descending_loop_begins_with_its_dearest_task() {
        assert!(of("zipf_512_descending").unwrap().is_sorted_by(|one, other| one >= other));
    }

    #[test]
    fn in_order_a_costly_last_task_keeps_one_processor_busy() {
        assert_eq!(in_order(&[10, 10, 10, 10], 2), 20.0);
        assert_eq!(in_order(&[10, 10, 100], 2), 110.0);
    }

    #[test]
    fn a_line_that_is_no_cost_is_named() {
        for text in ["50\nfifty\n", "50\n0\n", "50\n\n50"] {
            let message = read("odd", text).unwrap_err().to_string();
            assert!(message.starts_with("odd.txt, line 2: "), "{message}");
        }
    }
}
