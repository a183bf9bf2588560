//! reqwest unchanged: it fetches its arguments, all at the same time, and gives up after a while.
//! `cargo run --release --example reqwest_client -- http://127.0.0.1:8080/`

use std::env;
use std::error::Error;
use std::time::Duration;

use wsrt::task::JoinSet;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let client = reqwest::Client::builder().timeout(Duration::from_millis(500)).build()?;
    let mut fetching = JoinSet::new();
    for url in env::args().skip(1) {
        let client = client.clone();
        fetching.spawn(async move {
            let said = match client.get(&url).send().await {
                Err(error) if error.is_timeout() => "took too long".to_owned(),
                Err(error) if error.is_connect() => "cannot be reached".to_owned(),
                Err(error) => error.to_string(),
                Ok(answer) => {
                    format!("{}, {} bytes", answer.status(), answer.bytes().await.map_or(0, |body| body.len()))
                }
            };
            format!("{url}: {said}")
        });
    }
    let mut said = Vec::new();
    while let Some(line) = fetching.join_next().await {
        said.push(line?);
    }
    said.sort_unstable();
    println!("{}", said.join("\n"));
    Ok(())
}
