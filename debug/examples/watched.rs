//! A program with something on each page: `cargo run -p wsrt-debug --example watched`, then open
//! the address that it prints. `WSRT_DEBUG=unix:watched.sock` chooses another one.

use std::env;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, FlightRecorder};
use wsrt::sync::Mutex;
use wsrt::task;
use wsrt::time::sleep;

fn main() -> std::io::Result<()> {
    let _debug = match env::var_os("WSRT_DEBUG") {
        Some(_) => wsrt_debug::init().map(|()| None)?,
        None => Some(wsrt_debug::serve("127.0.0.1:6670").inspect(|server| println!("open {server}"))?),
    };
    let flight = FlightRecorder::new(env::temp_dir().join("watched.perfetto-trace"));
    let runtime = Builder::new_multi_thread()
        .name("watched")
        .task_stats(true)
        .latency_histograms(true)
        .flight_recorder(flight)
        .build()?;
    runtime.run(async {
        for number in 0..20 {
            task::Builder::new().name(&format!("ticker {number}")).spawn(tick());
        }
        task::Builder::new().name("blocker").spawn(block_now_and_then());
        let (forks, spoons) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        task::Builder::new().name("forks first").spawn(take_both(Arc::clone(&forks), Arc::clone(&spoons)));
        task::Builder::new().name("spoons first").spawn(take_both(spoons, forks));
        std::future::pending::<()>().await;
    });
    Ok(())
}

async fn tick() {
    loop {
        sleep(Duration::from_millis(5)).await;
    }
}

/// A fault: `/stalls` names the task.
async fn block_now_and_then() {
    loop {
        sleep(Duration::from_secs(2)).await;
        thread::sleep(Duration::from_millis(300));
    }
}

/// A fault: two of these in the opposite order are a deadlock, which `/locks` shows.
async fn take_both(first: Arc<Mutex<()>>, second: Arc<Mutex<()>>) {
    let _first = first.lock().await;
    sleep(Duration::from_millis(10)).await;
    let _second = second.lock().await;
}
