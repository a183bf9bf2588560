//! A replicated log in a simulation: `cargo run --release -p wsrt-examples --features sim --example
//! replicated_log`.
//!
//! Three hosts keep a log of numbers. The client gives its entries to the primary, which copies
//! them to two backups and acknowledges an entry once two of the three have it on disk. Meanwhile
//! hosts crash, links are cut and streams are reset, as the seed decides. After each step an
//! invariant is checked: what the client has seen acknowledged is on two disks.
//!
//! The program runs a thousand seeds. Then it runs them with a planted fault, a backup that answers
//! before its disk has the entry, until one seed finds it; and that seed again, to show that it
//! always does.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream};
use wsrt::sim::{self, Faults, Record};
use wsrt::sync::watch;
use wsrt::time::{sleep, timeout};

const SEEDS: u64 = 1_000;
const ENTRIES: u64 = 40;
const BACKUPS: [&str; 2] = ["one", "two"];
/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(20);
/// Asks a backup how many entries it has.
const LENGTH: u64 = u64::MAX;

fn main() {
    let began = Instant::now();
    sim::seeds(0..SEEDS, |seed| {
        let _ = run(seed, false);
    });
    println!("{SEEDS} seeds without a fault: {:.1?}", began.elapsed());

    let began = Instant::now();
    std::panic::set_hook(Box::new(|_| {}));
    let found = (0..SEEDS).find(|&seed| fails(seed, true));
    let seed = found.expect("a thousand seeds find the planted fault");
    println!("the planted fault is found by seed {seed}, after {:.1?}", began.elapsed());
    assert!((0..10).all(|_| fails(seed, true)), "a seed is one run");
    println!("ten more runs of seed {seed} find it too");
}

/// Whether the run of this seed breaks the invariant.
fn fails(seed: u64, is_planted: bool) -> bool {
    catch_unwind(AssertUnwindSafe(|| run(seed, is_planted))).is_err()
}

/// Runs the log with this seed. Panics if an acknowledged entry is lost.
pub(crate) fn run(seed: u64, is_planted: bool) -> Record {
    sim::run(seed, |sim| async move {
        let disks: [Disk; 3] = Default::default();
        let acknowledged = Arc::new(AtomicU64::new(0));
        let (seen, all) = (Arc::clone(&acknowledged), disks.clone());
        sim.invariant("acknowledged entries are on two disks", move || {
            let count = seen.load(Relaxed);
            all.iter().filter(|disk| disk.length() >= count).count() >= 2
        });
        sim.deadline(Duration::from_secs(3_600));

        let [own, one, two] = disks;
        for (name, disk) in BACKUPS.into_iter().zip([one, two]) {
            sim.host(name, move || backup(disk.reopened(), is_planted));
        }
        sim.host("primary", move || primary(own.reopened()));
        let faults = Faults::new(Duration::from_secs(4)).every(PAUSE..PATIENCE).lasting(PATIENCE..3 * PATIENCE);
        sim.random_faults(faults.crashes(2).partitions().resets());
        for index in 0..ENTRIES {
            while append(index).await.is_err() {
                sleep(PAUSE).await;
            }
            acknowledged.store(index + 1, Relaxed);
            sleep(PAUSE).await;
        }
        sim.record()
    })
}

/// The disk of a host: entries that a crash leaves, and behind them those that it takes.
#[derive(Clone, Default)]
struct Disk(Arc<Mutex<Contents>>);

#[derive(Default)]
struct Contents {
    entries: Vec<u64>,
    synced: usize,
}

impl Disk {
    /// The disk after a start of its host.
    fn reopened(&self) -> Self {
        let mut contents = self.0.lock().expect("no panic while it is locked");
        let synced = contents.synced;
        contents.entries.truncate(synced);
        self.clone()
    }

    fn length(&self) -> u64 {
        self.0.lock().expect("no panic while it is locked").entries.len() as u64
    }

    fn entry(&self, index: u64) -> u64 {
        self.0.lock().expect("no panic while it is locked").entries[index as usize]
    }

    /// Adds an entry, which a crash takes until the disk is synced. `false` if it is not the next.
    fn write(&self, index: u64, value: u64) -> bool {
        let mut contents = self.0.lock().expect("no panic while it is locked");
        if contents.entries.len() as u64 == index {
            contents.entries.push(value);
        }
        contents.entries.len() as u64 > index
    }

    async fn sync(&self) {
        let length = self.length() as usize;
        sleep(Duration::from_millis(10)).await;
        let mut contents = self.0.lock().expect("no panic while it is locked");
        contents.synced = contents.synced.max(length);
    }
}

/// A message: an index and a value. The answer is one number.
async fn ask(stream: &mut TcpStream, index: u64, value: u64) -> io::Result<u64> {
    let exchange = async {
        let mut message = [0; 16];
        message[..8].copy_from_slice(&index.to_le_bytes());
        message[8..].copy_from_slice(&value.to_le_bytes());
        stream.write_all(&message).await?;
        let mut answer = [0; 8];
        stream.read_exact(&mut answer).await?;
        Ok(u64::from_le_bytes(answer))
    };
    timeout(PATIENCE, exchange).await.unwrap_or(Err(io::ErrorKind::TimedOut.into()))
}

async fn hear(stream: &mut TcpStream) -> io::Result<(u64, u64)> {
    let mut message = [0; 16];
    stream.read_exact(&mut message).await?;
    let number = |at: usize| u64::from_le_bytes(message[at..at + 8].try_into().expect("eight bytes"));
    Ok((number(0), number(8)))
}

async fn connect(to: &str) -> io::Result<TcpStream> {
    timeout(PATIENCE, TcpStream::connect((to, 70))).await.unwrap_or(Err(io::ErrorKind::TimedOut.into()))
}

/// The client: gives one entry to the primary.
async fn append(index: u64) -> io::Result<u64> {
    ask(&mut connect("primary").await?, index, index * 7).await
}

async fn backup(disk: Disk, is_planted: bool) -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:70").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        let disk = disk.clone();
        wsrt::spawn(async move {
            loop {
                let (index, value) = hear(&mut stream).await?;
                if index != LENGTH {
                    let _ = disk.write(index, value);
                }
                if !is_planted {
                    disk.sync().await;
                }
                stream.write_all(&disk.length().to_le_bytes()).await?;
                if is_planted {
                    disk.sync().await;
                }
            }
            #[expect(unreachable_code, reason = "it says what errors there are")]
            io::Result::Ok(())
        });
    }
}

async fn primary(disk: Disk) -> io::Result<()> {
    // How many entries each backup has, for the tasks that wait until one has enough.
    let (copied, copies) = watch::channel([0; BACKUPS.len()]);
    let (copied, (written, to_copy)) = (Arc::new(copied), watch::channel(disk.length()));
    for (number, name) in BACKUPS.into_iter().enumerate() {
        let (disk, copied, mut to_copy) = (disk.clone(), Arc::clone(&copied), to_copy.clone());
        wsrt::spawn(async move {
            loop {
                let _ = copy(name, &disk, &mut to_copy, |length| copied.send_modify(|all| all[number] = length)).await;
                sleep(PAUSE).await;
            }
        });
    }
    let listener = TcpListener::bind("0.0.0.0:70").await?;
    let written = Arc::new(written);
    loop {
        let (mut stream, _) = listener.accept().await?;
        let (disk, written, mut copies) = (disk.clone(), Arc::clone(&written), copies.clone());
        wsrt::spawn(async move {
            let (index, value) = hear(&mut stream).await?;
            if !disk.write(index, value) {
                return Err(io::ErrorKind::InvalidData.into());
            }
            disk.sync().await;
            written.send_replace(disk.length());
            let has_one = |all: &[u64; BACKUPS.len()]| all.iter().any(|&length| length > index);
            copies.wait_for(has_one).await.map_err(io::Error::other)?;
            stream.write_all(&disk.length().to_le_bytes()).await
        });
    }
}

/// Copies entries to one backup, as they are written, until its stream fails.
async fn copy(name: &str, disk: &Disk, to_copy: &mut watch::Receiver<u64>, note: impl Fn(u64)) -> io::Result<()> {
    let mut stream = connect(name).await?;
    let mut length = ask(&mut stream, LENGTH, 0).await?;
    loop {
        note(length);
        let next = length;
        to_copy.wait_for(|&written| written > next).await.map_err(io::Error::other)?;
        length = ask(&mut stream, next, disk.entry(next)).await?;
    }
}
