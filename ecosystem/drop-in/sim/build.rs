//! Generates the gRPC service of the greeter.

use std::error::Error;

const FOLDER: &str = "../../native/proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={FOLDER}");
    let files = protox::compile(["greeter.proto"], [FOLDER])?;
    tonic_prost_build::configure().compile_fds(files)?;
    Ok(())
}
