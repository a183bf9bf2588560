//! The faults of a run are a plan, which repeats it.

use std::io;
use std::time::Duration;

use wsrt::io::{AsyncReadExt, AsyncWriteExt};
use wsrt::net::{TcpListener, TcpStream};
use wsrt::sim::{self, Faults, Link, Plan, Record, Sim};
use wsrt::time::{Instant, sleep, sleep_until, timeout};

use crate::faults::message;

async fn answer() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        wsrt::spawn(async move {
            while let Ok(number) = stream.read_u8().await {
                if sim::maybe("slow answer") {
                    sleep(Duration::from_millis(200)).await;
                }
                stream.write_u8(number).await?;
            }
            io::Result::Ok(())
        });
    }
}

async fn ask_always() -> io::Result<()> {
    loop {
        let exchange = async {
            let mut stream = TcpStream::connect("server:80").await?;
            for number in 0..20 {
                stream.write_u8(number).await?;
                stream.read_u8().await?;
            }
            io::Result::Ok(())
        };
        let _ = timeout(Duration::from_millis(500), exchange).await;
        sleep(Duration::from_millis(20)).await;
    }
}

/// A server and two clients, with the faults of the seed, or those of a plan.
fn run(seed: u64, plan: Option<Plan>) -> (Record, Plan) {
    sim::run(seed, |sim: Sim| async move {
        sim.host("server", answer);
        sim.host("client", ask_always);
        sim.host("another", ask_always);
        match plan {
            Some(plan) => sim.inject(&plan),
            None => {
                let faults = Faults::new(Duration::from_secs(6)).crashes(2).partitions().resets().slow_links(2..50);
                sim.random_faults(faults);
            }
        }
        sleep(Duration::from_secs(8)).await;
        (sim.record(), sim.plan())
    })
}

#[test]
fn a_run_with_its_own_plan_is_the_same_run() {
    let mut texts = String::new();
    // Together they have each kind of fault.
    for seed in 5..9 {
        let (record, plan) = run(seed, None);
        assert_eq!((record, &plan), (run(seed, None).0, &plan), "seed {seed}");
        let text = plan.to_string();
        let again = run(seed, Some(text.parse().expect("it is a plan")));
        assert_eq!(again, (record, plan), "seed {seed}: {text}");
        assert_ne!(run(seed, Some(Plan::default())).0.hash(), record.hash(), "seed {seed}");
        texts.push_str(&text);
    }
    for kind in ["crash", "cut", "->", "reset", "slow", "maybe"] {
        assert!(texts.contains(kind), "no {kind} in {texts}");
    }
}

#[test]
fn a_failure_prints_the_plan_of_its_faults() {
    let text = message(|| {
        sim::run(3, |sim| async move {
            sim.host("node one", std::future::pending::<()>);
            sim.inject(&"at 2s crash \"node one\" for 1.5s; maybe 2 commit".parse().expect("it is a plan"));
            assert_eq!([(); 3].map(|()| sim::maybe("commit")), [false, true, false]);
            sim.deadline(Duration::from_secs(10));
            sleep(Duration::from_secs(20)).await;
        });
    });
    assert!(text.contains("  at 2s crash \"node one\" for 1.5s\n  maybe 2 commit"), "{text}");
}

#[test]
fn a_plan_with_an_unknown_host_fails_the_run() {
    let text = message(|| {
        sim::run(3, |sim| async move {
            sim.host("one", std::future::pending::<()>);
            sim.inject(&"at 2s cut one two".parse().expect("it is a plan"));
            sleep(Duration::from_secs(20)).await;
        });
    });
    assert!(text.contains("the plan says `cut one two`, and there is no host `two` at that moment"), "{text}");
}

/// Whether the host answers within two seconds.
async fn is_reached(host: &str) -> bool {
    timeout(Duration::from_secs(2), TcpStream::connect((host, 80))).await.is_ok_and(|stream| stream.is_ok())
}

/// The one cut ends within the other: the link stays cut until both have ended.
#[test]
fn planned_faults_begin_and_end_at_their_moments() {
    sim::run(5, |sim| async move {
        sim.host("a", answer);
        sim.host("b", || async {
            let began = Instant::now();
            let tries =
                [(5.0, true), (9.5, false), (12.0, false), (18.5, false), (22.0, true), (30.0, true), (45.0, false)];
            for (at, expected) in tries {
                sleep_until(began + Duration::from_secs_f64(at)).await;
                assert_eq!(is_reached("a").await, expected, "at {at} s");
            }
        });
        sim.inject(&"at 9s cut b -> a for 8s; at 10s cut b -> a for 11s; at 39s cut b a".parse().expect("a plan"));
        sleep(Duration::from_secs(100)).await;
    });
}

#[test]
fn a_slow_link_makes_each_packet_late() {
    sim::run(5, |sim| async move {
        sim.links(&Link::new().latency(Duration::from_millis(1)));
        sim.host("a", answer);
        sim.host("b", || async {
            for is_slow in [false, true, false] {
                let began = Instant::now();
                assert!(is_reached("a").await);
                let took = began.elapsed();
                assert_eq!(took > Duration::from_millis(100), is_slow, "{took:?}");
                sleep(Duration::from_secs(10)).await;
            }
        });
        sim.inject(&"at 5s slow a b by 60 for 10s".parse().expect("a plan"));
        sleep(Duration::from_secs(60)).await;
    });
}

#[test]
fn a_slow_link_ends_with_the_last_of_its_faults() {
    sim::run(3, |sim| async move {
        sim.links(&Link::new().latency(Duration::from_millis(1)));
        sim.host("server", answer);
        let (sender, mut trips) = wsrt::sync::mpsc::channel(5);
        sim.host("client", move || {
            let sender = sender.clone();
            async move {
                let began = Instant::now();
                for moment in [500, 1_500, 2_500, 3_500, 4_500] {
                    sleep_until(began + Duration::from_millis(moment)).await;
                    let asked = Instant::now();
                    TcpStream::connect("server:80").await?;
                    let _ = sender.send(asked.elapsed().as_millis() / 2).await;
                }
                io::Result::Ok(())
            }
        });
        let faults = "at 1s slow client server by 20 for 3s; at 2s slow server client by 50 for 1s; \
                      at 2s slow client server by 2 for 1s";
        sim.inject(&faults.parse().expect("it is a plan"));
        for expected in [1, 20, 50, 20, 1] {
            assert_eq!(trips.recv().await, Some(expected), "milliseconds for one way");
        }
    });
}
