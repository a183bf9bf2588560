//! A simulation needs wsrt's feature `sim`.

async fn simulated() {}

// What `#[wsrt::test(seeds = 0..1000)]` expands to, where there are tests.
fn main() {
    wsrt::__run_with_seeds!(0..1000, "simulated", |builder| _ = builder, simulated);
}
