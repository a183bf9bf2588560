//! A gRPC service of tonic's and its client, on two hosts of a simulation, through trouble.

mod trouble;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tonic::{Code, Status};
use trouble::{Trouble, TroubleKind, each_seed_is_one_run};
use wsrt::sim::{self, Link, Record};
use wsrt_drop_in_sim::greeter::{self, Register};
use wsrt_drop_in_sim::guest::Guest;

wsrt::sim::interpose!();

/// How many seeds a test runs: hundreds by hand, in a release build.
const SEEDS: u64 = if cfg!(debug_assertions) { 10 } else { 200 };

const TIMES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);
const CALM: Duration = Duration::from_millis(1_500);
/// In which the connection was found to be lost, and another one made.
const AFTERMATH: Duration = Duration::from_secs(3);

/// How a lost connection, and one that cannot be made, is told to callers.
const SIGNS: [Code; 3] = [Code::Unavailable, Code::Unknown, Code::Cancelled];

/// A guest that is greeted again and again, and what it counts.
#[derive(Clone, Debug)]
struct Visit {
    register: Register,
    trouble: Trouble,
    attempts: Arc<AtomicU64>,
    counts: Arc<Counts>,
}

/// The rounds that went well, and the calls that failed.
#[derive(Debug, Default)]
struct Counts {
    before: AtomicU64,
    after: AtomicU64,
    failed: AtomicU64,
}

impl Visit {
    fn new(trouble: Trouble) -> Self {
        Self { register: Register::default(), trouble, attempts: Arc::default(), counts: Arc::default() }
    }

    async fn stay(self) {
        let guest = Guest::new();
        // The greeter may not be there yet.
        while guest.greet("early").await.is_err() {
            sleep(PAUSE).await;
        }
        loop {
            let (began, was_forgotten) = (Instant::now(), self.trouble.is_forgotten());
            match self.round(&guest).await {
                Ok(()) if self.trouble.is_ahead() => self.counts.before.fetch_add(1, Relaxed),
                Ok(()) if was_forgotten => self.counts.after.fetch_add(1, Relaxed),
                Ok(()) => 0,
                Err(status) => {
                    let is_of_network = SIGNS.contains(&status.code());
                    assert!(is_of_network && self.trouble.explains(began), "no fault explains {status:?}");
                    self.counts.failed.fetch_add(1, Relaxed)
                }
            };
            sleep(PAUSE).await;
        }
    }

    /// A name that no call has had.
    fn name(&self) -> String {
        format!("guest {}", self.attempts.fetch_add(1, Relaxed))
    }

    /// One call of each kind.
    async fn round(&self, guest: &Guest) -> Result<(), Status> {
        let name = self.name();
        assert_eq!(guest.greet(&name).await?, greeting(&name));
        assert_eq!(self.register.count(&name), 1, "{name} was greeted");

        let name = self.name();
        let expected: Vec<_> = (1..=TIMES).map(|count| greeting(&format!("{name}, {count}"))).collect();
        let mut heard = Vec::new();
        let outcome = guest.greet_often(&name, TIMES, &mut heard).await;
        check(&heard, &expected, outcome)?;

        let names: Vec<_> = (0..TIMES).map(|_| self.name()).collect();
        let expected: Vec<_> = names.iter().map(|name| greeting(name)).collect();
        let mut heard = Vec::new();
        let outcome = guest.greet_all(&names, &mut heard).await;
        check(&heard, &expected, outcome)
    }
}

fn greeting(name: &str) -> String {
    format!("Hello, {name}!")
}

/// A stream that has failed was right so far, and one that has not is whole.
fn check(heard: &[String], expected: &[String], outcome: Result<(), Status>) -> Result<(), Status> {
    assert!(expected.starts_with(heard), "{heard:?} is not the beginning of {expected:?}");
    if outcome.is_ok() {
        assert_eq!(heard, expected);
    }
    outcome
}

/// Has a guest be greeted while trouble of this seed's kind comes.
fn run(seed: u64) -> Record {
    sim::run(seed, move |sim| async move {
        sim.deadline(Duration::from_secs(60));
        sim.links(&Link::new().latency(Duration::from_millis(1)..Duration::from_millis(20)));
        let kind = TroubleKind::of(seed);
        let visit = Visit::new(Trouble::new(kind, AFTERMATH));
        let register = visit.register.clone();
        sim.invariant("no call but the early ones reaches the greeter twice", move || register.most() <= 1);
        let register = visit.register.clone();
        sim.host("greeter", move || greeter::serve(register.clone()));
        let guest = visit.clone();
        sim.host("guest", move || guest.clone().stay());

        sleep(CALM).await;
        let lasts = Duration::from_millis(300 + seed * 97 % 1_200);
        visit.trouble.come(&sim, "greeter", "guest", lasts).await;
        sleep(AFTERMATH + CALM).await;

        let [before, after, failed] =
            [&visit.counts.before, &visit.counts.after, &visit.counts.failed].map(|count| count.load(Relaxed));
        assert!(before > 0 && after > 0, "{kind:?}: {before} rounds before, {after} after");
        // The others may pass between two calls, or before their patience ends.
        assert!(failed > 0 || kind != TroubleKind::Crash, "{kind:?} is felt");
        sim.record()
    })
}

#[test]
fn a_seed_is_one_run_of_calls_and_streams() {
    each_seed_is_one_run(SEEDS, run);
}
