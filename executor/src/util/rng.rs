//! Random number generators with their own seeds.

pub(crate) use wsrt_sync::rng::FastRand;

use crate::util::sync::seed;

/// Returns a generator with its own seed, which a simulation draws.
pub(crate) fn fresh() -> FastRand {
    #[cfg(feature = "sim")]
    if let Some(seed) = wsrt_world::entropy::draw() {
        return FastRand::from_seed(seed);
    }
    FastRand::from_seed(seed())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn two_fresh_generators_differ() {
        assert_ne!(fresh().next_u64(), fresh().next_u64());
    }

    #[test]
    #[cfg(feature = "sim")]
    fn fresh_generators_are_alike_under_one_seed_only() {
        use wsrt_world::entropy::{draw, give_entropy};

        let drawn = |seed| {
            let _given = give_entropy(seed);
            [fresh().next_u64(), fresh().next_u64()]
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_ne!(drawn(1)[0], drawn(1)[1]);
        assert_eq!(draw(), None, "it has ended");
    }
}
