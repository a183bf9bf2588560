//! Errors in the body are where they would be without the attribute.

#[wsrt::main]
async fn main() -> Result<(), std::num::ParseIntError> {
    let port: u16 = "eighty";
    println!("{port}");
}
