//! Independently seeded random number generators.

pub(crate) use wsrt_sync::rng::FastRand;

use crate::util::sync::seed;
use crate::util::world::draw_entropy;

/// Returns a generator with a fresh seed, which a simulation draws.
pub(crate) fn fresh() -> FastRand {
    FastRand::from_seed(draw_entropy().unwrap_or_else(seed))
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn two_fresh_generators_differ() {
        assert_ne!(fresh().next_u64(), fresh().next_u64());
    }
}
