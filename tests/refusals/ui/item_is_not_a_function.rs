//! Only a function can be run.

#[wsrt::main]
struct Server;

fn main() {
    let _ = Server;
}
