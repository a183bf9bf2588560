//! A thousand jobs on four worker processes, of which one is killed every 200 ms, have a thousand
//! results, each recorded once.

mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::thread::sleep;
use std::time::{Duration, Instant};

use harness::{Client, Durability, LIMIT, Program, Redis};
use wsrt_cluster::store::{Census, RedisStore, Store, StoreAddress};

const JOBS: usize = 1_000;
const WORKERS: usize = 4;
const KILL_PERIOD: Duration = Duration::from_millis(200);
const CHECK: &str = r#""type":"check_cluster_state""#;

/// The worker processes, those that were killed included: their output is evidence.
struct Crew {
    url: String,
    next_kill: Instant,
    alive: Vec<(String, Program)>,
    dead: Vec<Program>,
}

impl Crew {
    fn new(url: String) -> Self {
        let mut crew = Self { url, next_kill: Instant::now() + KILL_PERIOD, alive: Vec::new(), dead: Vec::new() };
        for number in 0..WORKERS {
            crew.hire(format!("w{number}"));
        }
        crew
    }

    fn hire(&mut self, name: String) {
        let program = Program::start(&["--store", &self.url, "--worker", &name, "--lease-ms", "400", "--log"]);
        self.alive.push((name, program));
    }

    /// When it is time again, kills the one that has lived longest. Every other time its successor
    /// has its name, as from a supervisor, else a new one.
    fn kill_when_it_is_time(&mut self) {
        if Instant::now() < self.next_kill {
            return;
        }
        self.next_kill += KILL_PERIOD;
        let (name, mut program) = self.alive.remove(0);
        program.kill();
        let deaths = self.dead.len();
        self.dead.push(program);
        self.hire(if deaths % 2 == 0 { name } else { format!("heir{deaths}") });
    }

    /// Which job was recorded in which attempt, as the workers say. Panics if one was recorded
    /// twice.
    fn testimony(mut self) -> BTreeMap<String, u64> {
        for (_, mut program) in self.alive {
            program.interrupt();
            program.wait();
            self.dead.push(program);
        }
        let mut recorded = BTreeMap::new();
        for program in self.dead {
            while let Ok(line) = program.said.recv_timeout(LIMIT) {
                let words: Vec<_> = line.split(' ').collect();
                if let [_, "recorded", job, "attempt", attempt] = words[..] {
                    let attempt = attempt.parse().expect("a number");
                    assert_eq!(recorded.insert(job.to_owned(), attempt), None, "{job} was recorded twice");
                }
            }
        }
        recorded
    }
}

fn census(url: &str) -> Census {
    let StoreAddress::Redis(info) = url.parse().expect("an address") else { panic!("{url} is no Redis") };
    let runtime = wsrt::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async { RedisStore::open(*info, "wsrt").await.census().await.expect("Redis is there") })
}

#[test]
fn a_thousand_jobs_have_their_results_although_workers_are_killed() {
    let test = "a_thousand_jobs_have_their_results_although_workers_are_killed";
    let Some(redis) = Redis::start(test, Durability::None) else { return };
    let (_node, address) = Program::listen(&["--store", &redis.url()]);
    let mut client = Client::connect(&address);
    let mut crew = Crew::new(redis.url());
    harness::wait_until("all workers join", || {
        let state = client.ask(CHECK);
        (state["workers"].as_object().is_some_and(|workers| workers.len() == WORKERS)).then_some(())
    });

    // All on one, so that the others live by stealing.
    let jobs: BTreeSet<_> = (0..JOBS).map(|number| format!("task-{number}")).collect();
    for job in &jobs {
        let fields =
            format!(r#""type":"submit_job","worker":"w0","job_id":"{job}","payload":{{"wait_us":8000,"cost_us":200}}"#);
        assert_eq!(client.ask(&fields)["type"], "job_submitted");
        crew.kill_when_it_is_time();
    }
    let start = Instant::now();
    while client.ask(CHECK)["all_idle"] != true {
        assert!(start.elapsed() < LIMIT, "the cluster is not idle after {LIMIT:?}");
        crew.kill_when_it_is_time();
        sleep(Duration::from_millis(10));
    }

    let deaths = crew.dead.len();
    let census = census(&redis.url());
    assert_eq!((&census.queued[..], &census.in_flight[..], &census.unfinished[..]), (&[][..], &[][..], &[][..]));
    assert_eq!(census.done.len(), JOBS);
    assert_eq!(census.done.iter().map(|(job, _)| job.clone()).collect::<BTreeSet<_>>(), jobs);
    assert!(census.done.iter().all(|(_, result)| result.contains("steps")), "each did its work");

    let recorded = crew.testimony();
    // A worker that was killed between recording a job and reporting it reported nothing: one job a
    // death at most.
    assert!(recorded.len() + deaths >= JOBS, "{} are reported, {deaths} workers died", recorded.len());
    assert!(recorded.keys().all(|job| jobs.contains(job)));
    let taken_over = recorded.values().filter(|&&attempt| attempt > 1).count();
    assert!(
        deaths >= 5 && taken_over > 0,
        "{deaths} deaths, {taken_over} jobs taken over: nothing was put to the test"
    );
}

#[test]
fn a_worker_stopped_too_long_cannot_record_anothers_result() {
    let test = "a_worker_stopped_too_long_cannot_record_anothers_result";
    let Some(redis) = Redis::start(test, Durability::None) else { return };
    let (_node, address) = Program::listen(&["--store", &redis.url()]);
    let mut client = Client::connect(&address);
    let worker = |name| Program::start(&["--store", &redis.url(), "--worker", name, "--lease-ms", "200", "--log"]);
    let sleeper = worker("sleeper");
    let job = r#""type":"submit_job","worker":"sleeper","job_id":"the-job","payload":{"wait_us":2000000}"#;
    harness::wait_until("it joins", || (client.ask(job)["type"] == "job_submitted").then_some(()));
    let find = r#""type":"find_job","job_id":"the-job""#;
    harness::wait_until("it takes the job", || (client.ask(find)["place"] == "in_flight").then_some(()));
    sleeper.stop();

    let _other = worker("other");
    let done =
        harness::wait_until("the other does it", || Some(client.ask(find)).filter(|found| found["place"] == "done"));
    assert_eq!(done["worker"], "other");
    sleeper.go_on();
    let said = harness::wait_until("the sleeper wakes up", || sleeper.said.recv_timeout(LIMIT).ok());
    assert!(said.starts_with("sleeper lost the-job"), "{said}");
    assert_eq!(client.ask(find)["worker"], "other");
}

#[test]
fn a_worker_that_is_asked_to_end_finishes_its_job() {
    let (mut program, address) = Program::listen(&["--worker", "w", "--log"]);
    let mut client = Client::connect(&address);
    let job = r#""type":"submit_job","worker":"w","job_id":"last","payload":{"wait_us":200000}"#;
    harness::wait_until("it joins", || (client.ask(job)["type"] == "job_submitted").then_some(()));
    let find = r#""type":"find_job","job_id":"last""#;
    harness::wait_until("it takes the job", || (client.ask(find)["place"] == "in_flight").then_some(()));
    program.interrupt();
    assert!(program.wait().success());
    assert_eq!(program.said.recv_timeout(LIMIT).as_deref(), Ok("w recorded last attempt 1"));
}
