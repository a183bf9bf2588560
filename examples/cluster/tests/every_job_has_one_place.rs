//! Whatever messages come, in whatever order: every job is in exactly one place, moves only as the
//! answers say, and is done once. Both stores are held to it, and both give the same answers.

mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use harness::{Durability, Redis};
use serde_json::Value;
use wsrt_cluster::node::Node;
use wsrt_cluster::protocol::Frame;
use wsrt_cluster::store::{Census, FORGET_AFTER, MemoryStore, RedisStore, Store, StoreAddress};

/// An event in a cluster.
#[derive(Clone, Debug)]
enum Happening {
    /// A message comes: the fields of its body.
    Message(String),
    /// All leases run out.
    LeasesEnd,
    /// A program joins.
    Join(String),
    /// All programs are gone for long.
    Forget,
    /// A worker takes its next job, or steals one with this luck.
    NextJob(String, u32),
}

/// How long the leases are that are to run out, and those that are not.
const SHORT_LEASE: Duration = Duration::from_millis(10);
const LONG_LEASE: Duration = Duration::from_secs(3600);

const WORKERS: [&str; 5] = ["w0", "w1", "w2", "w3", "a/b"];

fn worker(random: &mut Rng) -> &'static str {
    // Seldom an unknown one.
    if random.u8(..20) == 0 { "ghost" } else { WORKERS[random.usize(..WORKERS.len())] }
}

fn some_workers(random: &mut Rng, least: usize) -> Vec<&'static str> {
    let mut workers = WORKERS.to_vec();
    random.shuffle(&mut workers);
    workers.truncate(random.usize(least..=WORKERS.len()));
    workers
}

fn job(random: &mut Rng) -> String {
    let number = random.u8(..12);
    if random.bool() { format!("job{number}") } else { format!("own{number}") }
}

fn happening(random: &mut Rng, by_the_clock: bool) -> Happening {
    let text = |names: &[&str]| serde_json::to_string(names).expect("they are text");
    let message = match random.u8(..20) {
        0 => {
            let workers = some_workers(random, 1);
            format!(r#""type":"init","workers":{},"jobs_to_distribute":{}"#, text(&workers), random.u8(..9))
        }
        1..=4 => {
            let thief = worker(random);
            let mut busy = some_workers(random, 0);
            busy.retain(|name| *name != thief);
            format!(r#""type":"steal_job","thief_worker":"{thief}","busy_workers":{}"#, text(&busy))
        }
        5..=7 => {
            let name = if random.bool() { format!(r#","job_id":"{}""#, job(random)) } else { String::new() };
            format!(r#""type":"submit_job","worker":"{}","payload":{{"n":[1,"\n"]}}{name}"#, worker(random))
        }
        8..=11 => format!(r#""type":"take_job","worker":"{}""#, worker(random)),
        12..=15 => {
            let attempt = if random.bool() { format!(r#","attempt":{}"#, random.u8(1..3)) } else { String::new() };
            format!(
                r#""type":"complete_job","worker":"{}","job_id":"{}","result":7{attempt}"#,
                worker(random),
                job(random)
            )
        }
        16 => format!(r#""type":"find_job","job_id":"{}""#, job(random)),
        17 if random.bool() => r#""type":"check_cluster_state""#.to_owned(),
        17 => return Happening::NextJob(worker(random).to_owned(), random.u32(..)),
        18 if by_the_clock && random.bool() => return Happening::LeasesEnd,
        18 if by_the_clock => r#""type":"run_simulation","duration_ms":1"#.to_owned(),
        _ if random.u8(..4) == 0 => return Happening::Join(worker(random).to_owned()),
        _ if random.u8(..4) == 0 => return Happening::Forget,
        _ => [r#""type":"dance""#, r#""type":"init""#][random.usize(..2)].to_owned(),
    };
    Happening::Message(message)
}

/// A history, the same for the same seed. Events `by_the_clock`, leases that end and simulations,
/// do not happen the same way twice.
fn happenings(seed: u64, by_the_clock: bool) -> Vec<Happening> {
    let mut random = Rng::with_seed(seed);
    // Half of the histories begin without an `init`, in the document's starting state.
    let init = r#""type":"init","workers":["w0","w1","w2","w3","a/b"],"jobs_to_distribute":7"#;
    let beginning = random.bool().then(|| Happening::Message(init.to_owned()));
    beginning.into_iter().chain((0..120).map(|_| happening(&mut random, by_the_clock))).collect()
}

/// Where each job is.
type Places = BTreeMap<String, String>;

/// Finds each job's one place, or the mistake.
fn places(census: &Census) -> Result<Places, String> {
    let mut places = Places::new();
    let queued = census.queued.iter().map(|(worker, job)| (job, format!("queued {worker}")));
    let in_flight = census.in_flight.iter().map(|(worker, job)| (job, format!("in flight {worker}")));
    let done = census.done.iter().map(|(job, result)| (job, format!("done {result}")));
    for (job, place) in queued.chain(in_flight).chain(done) {
        if let Some(other) = places.insert(job.clone(), place.clone()) {
            return Err(format!("{job} is in two places: {place}, {other}"));
        }
    }
    let busy: BTreeSet<_> = census.queued.iter().map(|(worker, _)| worker.clone()).collect();
    if census.busy.iter().cloned().collect::<BTreeSet<_>>() != busy {
        return Err(format!("thieves would try {:?}, and jobs are with {busy:?}", census.busy));
    }
    let recorded: BTreeSet<_> = census.unfinished.iter().cloned().collect();
    let waiting: BTreeSet<_> =
        places.iter().filter(|(_, place)| !place.starts_with("done")).map(|(job, _)| job.clone()).collect();
    if recorded != waiting {
        return Err(format!("jobs without a result: {recorded:?}; jobs in a queue or in flight: {waiting:?}"));
    }
    Ok(places)
}

async fn tell<S: Store>(node: &Node<S>, id: usize, fields: &str) -> String {
    let message = format!(r#"{{"src":"c","dest":"n","body":{{"msg_id":{id},{fields}}}}}"#);
    let mut answer = Vec::new();
    node.answer(Frame::Message(message.as_bytes())).await.write(&mut answer);
    String::from_utf8(answer).expect("JSON is text")
}

/// Lets things happen, and looks after each whether everything is where it should be. Returns the
/// answers.
async fn live<S: Store>(store: Arc<S>, lease: Duration, history: &[Happening]) -> Result<Vec<String>, String> {
    let node = Node::new(Arc::clone(&store), 1, lease);
    let mut answers = Vec::new();
    let mut before = Census::default();
    for (id, happening) in history.iter().enumerate() {
        let answer = match happening {
            Happening::Message(fields) => tell(&node, id, fields).await,
            Happening::LeasesEnd => {
                wsrt::time::sleep(lease * 2).await;
                store
                    .expire(FORGET_AFTER)
                    .await
                    .map(|count| format!("{count} leases"))
                    .map_err(|error| error.to_string())?
            }
            Happening::Forget => store
                .expire(Duration::ZERO)
                .await
                .map(|count| format!("{count} leases"))
                .map_err(|error| error.to_string())?,
            Happening::NextJob(worker, luck) => match store.next_job(worker, lease, Some(*luck)).await {
                Ok(next) => next.map(|next| format!("{next:?}")).unwrap_or_default(),
                Err(error) => error.to_string(),
            },
            Happening::Join(worker) => {
                store.join(worker).await.map(|()| String::new()).map_err(|error| error.to_string())?
            }
        };
        let after = store.census().await.map_err(|error| error.to_string())?;
        let verdict = check(happening, &answer, &before, &after);
        verdict.map_err(|why| {
            format!("after {happening:?}\nanswered with {answer}\n{why}\nbefore {before:?}\nafter {after:?}")
        })?;
        before = after;
        answers.push(answer);
    }
    Ok(answers)
}

fn check(happening: &Happening, answer: &str, before: &Census, after: &Census) -> Result<(), String> {
    let (was, is) = (places(before)?, places(after)?);
    let body = serde_json::from_str::<Value>(answer).map(|mut answer| answer["body"].take()).unwrap_or_default();
    let moved: Vec<_> =
        was.iter().filter(|(job, place)| is.get(*job) != Some(place)).map(|(job, _)| job.as_str()).collect();
    let new: Vec<_> = is.keys().filter(|job| !was.contains_key(*job)).map(String::as_str).collect();
    let expect =
        |holds: bool, rule: &str| if holds { Ok(()) } else { Err(format!("{rule}; moved {moved:?}, new {new:?}")) };

    let ends_starting_state = matches!(happening, Happening::Join(_)) || body["type"] == "init_ok";
    let lost: Vec<_> = was.keys().filter(|job| !is.contains_key(*job)).collect();
    expect(lost.is_empty() || (ends_starting_state && lost.iter().all(|job| job.contains('/'))), "a job is lost")?;
    let undone = moved.iter().any(|job| was[*job].starts_with("done") && is.contains_key(*job));
    expect(!undone, "a result has changed")?;
    let change = Change { happening, answer, body: &body, before, after, places: &is, moved: &moved, new: &new };
    match body["type"].as_str() {
        Some("job_stolen") => change.is_a_steal(),
        Some("job_submitted") => {
            change.expect(moved.is_empty() && new == [change.told("job_id")], "one job is new")?;
            let front = end(&body["worker"], after, Side::Front);
            change.expect(front.as_deref() == new.first().copied(), "it is in front")
        }
        Some("job_taken") => {
            change.expect(new.is_empty() && moved.len() == 1, "one job is taken")?;
            let front = end(&body["worker"], before, Side::Front);
            change.expect(front.as_deref() == moved.first().copied(), "the owner takes the first")
        }
        Some("job_completed") if moved.is_empty() => change.expect(new.is_empty(), "nothing is new"),
        Some("job_completed") => change.expect(moved.len() == 1 && is[moved[0]] == "done 7", "one job is done"),
        Some("cluster_state_ok") => change.is_none_and_idle_is_told(),
        Some("simulation_ok") => {
            change.expect(new.is_empty() && after.queued.is_empty(), "a simulation does all that is queued")
        }
        Some("init_ok") => change.is_a_beginning(),
        // No worker had a job, but the first name is that of a worker from now on, and may be a new
        // one.
        Some("error") if fields_of(happening).contains("steal_job") => {
            change.expect(moved.is_empty() && new.iter().all(|job| job.contains('/')), "an error changes nothing")
        }
        Some(_) => change.expect(moved.is_empty() && new.is_empty(), "it changes nothing"),
        None if matches!(happening, Happening::NextJob(..)) => change.is_a_next_job(),
        None => change.expect(new.is_empty(), "time brings no jobs"),
    }
}

/// A message, its answer, and the jobs that it has moved or made.
struct Change<'a> {
    happening: &'a Happening,
    answer: &'a str,
    body: &'a Value,
    before: &'a Census,
    after: &'a Census,
    /// Where each job is afterwards.
    places: &'a Places,
    moved: &'a [&'a str],
    new: &'a [&'a str],
}

impl Change<'_> {
    fn expect(&self, holds: bool, rule: &str) -> Result<(), String> {
        if holds { Ok(()) } else { Err(format!("{rule}; moved {:?}, new {:?}", self.moved, self.new)) }
    }

    fn told(&self, field: &str) -> &str {
        self.body[field].as_str().unwrap_or("?")
    }

    fn is_a_steal(&self) -> Result<(), String> {
        let stolen = end(&self.body["victim"], self.before, Side::Back);
        let arrived = end(&self.body["thief"], self.after, Side::Front);
        let from_starting_state = stolen.is_none() && self.new.len() % 3 == 0;
        self.expect(stolen == arrived || from_starting_state, "a thief takes the victim's last job, to its own front")?;
        self.expect(arrived.is_some_and(|job| job.ends_with(self.told("job_id"))), "another was told")?;
        self.expect(self.moved.len() <= 1, "one job is stolen")
    }

    fn is_none_and_idle_is_told(&self) -> Result<(), String> {
        let idle = self.after.queued.is_empty() && self.after.in_flight.is_empty();
        let changes_nothing = self.moved.is_empty() && self.new.is_empty();
        self.expect(self.body["all_idle"] == idle && changes_nothing, "all_idle means that nothing waits")
    }

    fn is_a_beginning(&self) -> Result<(), String> {
        let Happening::Message(fields) = self.happening else { return Ok(()) };
        let wanted: usize = fields.rsplit(':').next().and_then(|count| count.parse().ok()).unwrap_or(0);
        let are_new = self.new.len() == wanted && self.moved.iter().all(|job| job.contains('/'));
        self.expect(are_new, "as many jobs are new as were asked for")
    }

    fn is_a_next_job(&self) -> Result<(), String> {
        let taken = self.moved.len() == 1 && self.places[self.moved[0]].starts_with("in flight");
        let none = self.moved.is_empty() && (self.before.queued.is_empty() || self.answer.contains("no worker"));
        self.expect(self.new.is_empty() && (taken || none), "one job is taken, if there is one anywhere")
    }
}

enum Side {
    Front,
    Back,
}

/// The job at one side of a worker's deque.
fn end(worker: &Value, census: &Census, side: Side) -> Option<String> {
    let mut queue = census.queued.iter().filter(|(owner, _)| *worker == **owner).map(|(_, job)| job.clone());
    match side {
        Side::Front => queue.next(),
        Side::Back => queue.next_back(),
    }
}

fn fields_of(happening: &Happening) -> &str {
    if let Happening::Message(fields) = happening { fields } else { "" }
}

/// Leaves out the events that the failure does not need, and fails with the rest; or with the first
/// failure, if that does not happen again.
async fn fail_with_the_least(
    seed: u64,
    mut history: Vec<Happening>,
    at_first: String,
    live: impl AsyncFn(&[Happening]) -> Result<(), String>,
) {
    let mut place = 0;
    while place < history.len() {
        let mut shorter = history.clone();
        shorter.remove(place);
        if live(&shorter).await.is_err() { history = shorter } else { place += 1 }
    }
    let why = live(&history).await.err().unwrap_or(at_first);
    panic!("seed {seed}, without the events that it does not need: {history:#?}\n{why}");
}

async fn redis_store(redis: &Redis, namespace: &str) -> Arc<RedisStore> {
    let StoreAddress::Redis(info) = redis.url().parse().expect("an address") else { panic!("it is a Redis") };
    Arc::new(RedisStore::open(*info, namespace).await)
}

fn block_on<F: Future>(future: F) -> F::Output {
    wsrt::runtime::Runtime::new().expect("a runtime").block_on(future)
}

#[test]
fn in_memory_every_job_has_one_place() {
    block_on(async {
        for seed in 0..300 {
            let by_the_clock = seed % 10 == 0;
            let lease = if by_the_clock { SHORT_LEASE } else { LONG_LEASE };
            let attempt =
                async |history: &[Happening]| live(Arc::new(MemoryStore::new()), lease, history).await.map(drop);
            let history = happenings(seed, by_the_clock);
            if let Err(why) = attempt(&history).await {
                fail_with_the_least(seed, history, why, attempt).await;
            }
        }
    });
}

#[test]
fn in_redis_jobs_and_answers_are_as_in_memory() {
    let test = "in_redis_jobs_and_answers_are_as_in_memory";
    let Some(redis) = Redis::start(test, Durability::None) else { return };
    block_on(async {
        let count = std::cell::Cell::new(0);
        for seed in 1000..1060 {
            let by_the_clock = seed % 10 == 0;
            let lease = if by_the_clock { SHORT_LEASE } else { LONG_LEASE };
            let attempt = async |history: &[Happening]| {
                count.set(count.get() + 1);
                let store = redis_store(&redis, &format!("history-{}", count.get())).await;
                let answers = live(store, lease, history).await?;
                if by_the_clock {
                    return Ok(());
                }
                let others = live(Arc::new(MemoryStore::new()), lease, history).await?;
                let differs = |(a, b): &(&String, &String)| a != b;
                answers
                    .iter()
                    .zip(&others)
                    .find(differs)
                    .map_or(Ok(()), |(a, b)| Err(format!("Redis: {a}\nmemory: {b}")))
            };
            let history = happenings(seed, by_the_clock);
            if let Err(why) = attempt(&history).await {
                fail_with_the_least(seed, history, why, attempt).await;
            }
        }
    });
}

/// Many clients at once. The answers cannot be known beforehand, but in the end every job has one
/// place, and each was stolen, taken and completed by one client at a time.
async fn crowd<S: Store>(stores: Vec<Arc<S>>) {
    let first = Node::new(Arc::clone(&stores[0]), 1, LONG_LEASE);
    let init = r#""type":"init","workers":["w0","w1","w2","w3","a/b"],"jobs_to_distribute":400"#;
    assert!(tell(&first, 0, init).await.contains("init_ok"));

    let mut clients = wsrt::task::JoinSet::new();
    for (number, store) in stores.iter().cycle().take(8).enumerate() {
        let node = Node::new(Arc::clone(store), number as u64, LONG_LEASE);
        clients.spawn(async move {
            let mut random = Rng::with_seed(number as u64);
            let (mut taken, mut completed) = (Vec::new(), Vec::new());
            for id in 0..400 {
                let me = WORKERS[random.usize(..WORKERS.len())];
                let others: Vec<_> = WORKERS.iter().filter(|other| **other != me).collect();
                let fields = match random.u8(..4) {
                    0 => format!(
                        r#""type":"steal_job","thief_worker":"{me}","busy_workers":{}"#,
                        serde_json::json!(others)
                    ),
                    1 => format!(r#""type":"take_job","worker":"{me}""#),
                    2 => format!(
                        r#""type":"complete_job","worker":"{me}","job_id":"job{}","result":7"#,
                        random.u16(..400)
                    ),
                    _ => format!(r#""type":"submit_job","worker":"{me}""#),
                };
                let answer: Value = serde_json::from_str(&tell(&node, id, &fields).await).expect("JSON");
                let job = answer["body"]["job_id"].as_str().unwrap_or_default().to_owned();
                match answer["body"]["type"].as_str() {
                    Some("job_taken") => taken.push(job),
                    Some("job_completed") => completed.push(job),
                    _ => {}
                }
            }
            (taken, completed)
        });
    }
    let (mut taken, mut completed) = (BTreeSet::new(), BTreeSet::new());
    while let Some(client) = clients.join_next().await {
        let (client_took, client_completed) = client.expect("it does not panic");
        for job in client_took {
            assert!(taken.insert(job.clone()), "{job} was taken twice, and no lease has ended");
        }
        for job in client_completed {
            assert!(completed.insert(job.clone()), "{job} was completed twice");
        }
    }
    let census = stores[0].census().await.expect("the store is there");
    let places = places(&census).unwrap_or_else(|why| panic!("{why}"));
    let done: BTreeSet<_> =
        places.iter().filter(|(_, place)| place.starts_with("done")).map(|(job, _)| job.clone()).collect();
    assert_eq!(done, completed);
    assert!((0..400).all(|number| places.contains_key(&format!("job{number}"))), "a job is lost");
    assert!(!taken.is_empty() && !completed.is_empty());
}

#[test]
fn many_clients_leave_every_job_in_one_place_in_memory() {
    block_on(async { crowd(vec![Arc::new(MemoryStore::new())]).await });
}

#[test]
fn many_nodes_leave_every_job_in_one_place_in_redis() {
    let test = "many_nodes_leave_every_job_in_one_place_in_redis";
    let Some(redis) = Redis::start(test, Durability::None) else { return };
    block_on(async {
        let mut stores = Vec::new();
        for _ in 0..4 {
            stores.push(redis_store(&redis, "crowd").await);
        }
        crowd(stores).await;
    });
}
