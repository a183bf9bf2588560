//! Generates the gRPC service of the examples.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile(["greeter.proto"], ["proto"])?;
    // Without the connecting part, which belongs to tonic's own transport on tokio.
    tonic_prost_build::configure().build_transport(false).compile_fds(files)?;
    Ok(())
}
