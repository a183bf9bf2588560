//! Nothing is built: cargo wants a build script where a manifest has `links`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
