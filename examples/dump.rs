//! A program that prints a dump of its tasks: `cargo run --release --example dump`.
//!
//! Tasks wait for a socket, a timer, each other and a blocking job, and one of them keeps its
//! processor. The dump names them all. With `--stay` the program runs until ctrl-c and prints a
//! dump at each `kill -USR2`.

use std::io;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Handle};
use wsrt::signal::unix::SignalKind;
use wsrt::task::{self, spawn_blocking};
use wsrt::time::{sleep, timeout};

fn main() -> io::Result<()> {
    let is_to_stay = std::env::args().any(|word| word == "--stay");
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .dump_on_signal(SignalKind::user_defined2())
        .task_stats(true)
        .build()?;
    runtime.run(async move {
        // A server, and a client that waits for an answer.
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let client = TcpStream::connect(listener.local_addr()?).await?;
        named("accept").spawn(serve(listener));
        named("client").spawn(timeout(Duration::from_secs(30), ask(client)));

        // One task that waits for the end of another, which waits for a blocking job.
        let report = named("report").spawn(async {
            let file = named("read file").spawn_blocking(|| thread::sleep(Duration::from_secs(1)));
            file.await
        });
        named("mail report").spawn(report);

        // A task that keeps its processor.
        named("resize picture").spawn(async { burn(Duration::from_millis(500)) });

        spawn_blocking(|| thread::sleep(Duration::from_millis(50))).await?;
        println!("{}", Handle::current().dump());
        if is_to_stay {
            println!("ask on with: kill -USR2 {}", process::id());
            wsrt::signal::ctrl_c().await?;
        }
        Ok(())
    })
}

fn named(name: &str) -> task::Builder<'_> {
    task::Builder::new().name(name)
}

async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        let (_stream, _) = listener.accept().await?;
        // The client gets no answer for a while.
        sleep(Duration::from_secs(60)).await;
    }
}

async fn ask(mut stream: TcpStream) -> io::Result<usize> {
    stream.write_all(b"anybody there?").await?;
    stream.read(&mut [0; 64]).await
}

fn burn(duration: Duration) {
    let began = Instant::now();
    while began.elapsed() < duration {
        std::hint::spin_loop();
    }
}
