//! `main` returns what a plain `main` may; the error is at the return type.

#[wsrt::main]
async fn main() -> Vec<String> {
    Vec::new()
}
