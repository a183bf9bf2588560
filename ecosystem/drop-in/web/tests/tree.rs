//! The patch took: one tokio is in the tree, and it is wsrt's.

use std::env;
use std::process::Command;

use wsrt_ecosystem_testing::output_of;

#[test]
fn one_tokio_is_in_the_tree_and_it_is_ours() {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.args(["tree", "--workspace", "--locked", "--invert", "tokio", "--depth", "0", "--prefix", "none"]);
    // It fails where there are two.
    let said = output_of({
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        cargo
    });
    let lines: Vec<_> = said.lines().collect();
    assert!(matches!(lines[..], [tokio] if tokio.starts_with("tokio v1.") && tokio.ends_with("/tokio)")), "{said}");
}
