//! How fast a simulation is, on the one core that it takes: requests between simulated hosts for
//! each real second, and virtual hours of a program that is almost idle.
//!
//! ```text
//! cargo run --release -p wsrt-benches --features scale --bin simulated
//! cargo run --release -p wsrt-benches --features scale --bin simulated -- 200000 720 5
//! ```
//!
//! The arguments are the requests of a round, the virtual hours of a round, and the rounds. Each
//! round has a seed of its own; the median of the rounds is reported, with the least and the most.

use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream};
use wsrt::sim::{self, Record};
use wsrt::task::JoinSet;
use wsrt::time::sleep;

/// Streams that ask at the same time.
const CLIENTS: u64 = 16;
const REQUEST: usize = 64;

fn main() -> ExitCode {
    let mut settings: [u64; 3] = [200_000, 720, 5];
    for (setting, argument) in settings.iter_mut().zip(std::env::args().skip(1)) {
        match argument.parse() {
            Ok(number) if number > 0 => *setting = number,
            _ => {
                eprintln!("simulated: `{argument}` is no count; the arguments are: requests, virtual hours, rounds");
                return ExitCode::FAILURE;
            }
        }
    }
    let [requests, hours, rounds] = settings;
    let each = requests.div_ceil(CLIENTS);
    let (rates, steps) = measure(rounds, (each * CLIENTS) as f64, |seed| ask(seed, each));
    println!("requests for a real second, {CLIENTS} streams between two hosts: {rates}; {steps} steps each");
    let (rates, steps) = measure(rounds, hours as f64, |seed| idle(seed, hours));
    println!("virtual hours for a real second, one timer each second: {rates}; {steps} steps each");
    ExitCode::SUCCESS
}

/// Runs the rounds, each of which does `count` of something, and returns how many were done for a
/// real second, and the steps that each took.
fn measure(rounds: u64, count: f64, run: impl Fn(u64) -> Record) -> (String, String) {
    let mut rates = Vec::new();
    let mut steps = 0;
    for seed in 0..rounds {
        // The clock of this thread is the system's: the simulation has a thread of its own.
        let began = Instant::now();
        steps += run(seed).steps();
        rates.push(count / began.elapsed().as_secs_f64());
    }
    rates.sort_by(f64::total_cmp);
    let (least, median, most) = (rates[0], rates[rates.len() / 2], rates[rates.len() - 1]);
    (format!("{median:.0} ({least:.0} to {most:.0})"), format!("{:.1}", steps as f64 / (count * rounds as f64)))
}

async fn server() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        wsrt::spawn(async move {
            let mut request = [0; REQUEST];
            loop {
                stream.read_exact(&mut request).await?;
                stream.write_all(&request).await?;
            }
            #[expect(unreachable_code, reason = "it says what errors there are")]
            io::Result::Ok(())
        });
    }
}

/// Has each of the clients send so many requests, one after the other.
fn ask(seed: u64, each: u64) -> Record {
    sim::run(seed, |sim| async move {
        sim.host("server", server);
        let (done, mut is_done) = wsrt::sync::mpsc::channel(1);
        sim.host("clients", move || {
            let done = done.clone();
            async move {
                // The server may not listen yet.
                sleep(Duration::from_secs(1)).await;
                let mut clients = JoinSet::new();
                for _ in 0..CLIENTS {
                    clients.spawn(async move {
                        let mut stream = TcpStream::connect("server:80").await?;
                        let mut answer = [0; REQUEST];
                        for _ in 0..each {
                            stream.write_all(&[7; REQUEST]).await?;
                            stream.read_exact(&mut answer).await?;
                        }
                        io::Result::Ok(())
                    });
                }
                while let Some(ended) = clients.join_next().await {
                    ended.expect("it does not panic").expect("there are no faults");
                }
                let _ = done.send(()).await;
            }
        });
        is_done.recv().await.expect("the host is up");
        sim.record()
    })
}

fn idle(seed: u64, hours: u64) -> Record {
    sim::run(seed, |sim| async move {
        for _ in 0..hours * 3_600 {
            sleep(Duration::from_secs(1)).await;
        }
        sim.record()
    })
}
