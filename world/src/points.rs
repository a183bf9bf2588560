//! Fault points: places in a program at which a fault may happen, and which of their calls fail.

use std::collections::BTreeMap;

use wsrt_sync::rng::FastRand;

/// The reciprocal of the probability with which an armed fault point fails.
const ONE_IN: usize = 20;

/// The number of calls of each fault point so far.
#[derive(Default)]
pub(super) struct Points(BTreeMap<String, u64>);

impl Points {
    /// Counts a call of a fault point, and returns the number of the call. Calls count from 1.
    pub(super) fn count(&mut self, point: &str) -> u64 {
        if let Some(calls) = self.0.get_mut(point) {
            *calls += 1;
            return *calls;
        }
        self.0.insert(point.to_owned(), 1);
        1
    }
}

/// Returns whether the seed makes this call of a fault point fail. The decision is a hash of all
/// three arguments, and does not depend on other faults.
pub(super) fn fires(seed: u64, point: &str, call: u64) -> bool {
    let hash = hash(seed, point);
    let is_armed = hash >> 62 == 0;
    is_armed && FastRand::from_seed(hash ^ call.rotate_left(32)).below(ONE_IN) == 0
}

fn hash(seed: u64, point: &str) -> u64 {
    let mut hash = seed ^ 0x51_7c_c1_b7_27_22_0a_95;
    for byte in point.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
