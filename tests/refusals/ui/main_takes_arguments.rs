//! Nobody could pass them.

#[wsrt::main]
async fn main(port: u16, host: &str) {
    println!("{host}:{port}");
}
