//! A replicated log in a simulation: `cargo run --release -p wsrt-examples --features sim --example
//! replicated_log`.
//!
//! Three hosts keep a log of numbers. The client gives its entries to the primary, which copies
//! them to two backups and acknowledges an entry once two of the three have it on disk. Meanwhile
//! hosts crash, links are cut and streams are reset, as the seed decides. After each step an
//! invariant is checked: what the client has seen acknowledged is on two disks.
//!
//! The program runs a thousand seeds. Then it runs them with a planted fault, a backup that answers
//! before it has synced its disk, until one seed finds it; and that seed again, to show that it
//! always does.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use wsrt::fs::{self, File, OpenOptions};
use wsrt::net::{TcpListener, TcpStream};
use wsrt::sim::{self, Disk, Faults, Record};
use wsrt::sync::{Mutex, watch};
use wsrt::time::{sleep, timeout};

const SEEDS: u64 = 1_000;
const ENTRIES: u64 = 40;
const BACKUPS: [&str; 2] = ["one", "two"];
/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(20);
/// The log on each disk, and the bytes of an entry in it.
const PATH: &str = "/log";
const ENTRY: usize = 8;
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
        for name in BACKUPS {
            sim.host(name, move || backup(is_planted));
        }
        sim.host("primary", primary);
        let disks = [sim.disk("primary"), sim.disk(BACKUPS[0]), sim.disk(BACKUPS[1])];
        let acknowledged = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&acknowledged);
        sim.invariant("acknowledged entries are on two disks", move || {
            let count = seen.load(Relaxed);
            disks.iter().filter(|disk| length_on(disk) >= count).count() >= 2
        });
        sim.deadline(Duration::from_secs(3_600));
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

/// The log of a host: in memory, and in a file on its disk.
struct Log {
    entries: Vec<u64>,
    file: File,
}

/// The log, which its tasks share.
type Shared = Arc<Mutex<Log>>;

impl Log {
    /// Opens the log as the host's last life has left it.
    async fn open() -> io::Result<Shared> {
        let file = OpenOptions::new().write(true).create(true).open(PATH).await?;
        // The file's name is to survive a crash, too.
        File::open("/").await?.sync_all().await?;
        let bytes = fs::read(PATH).await?;
        let entries = bytes.chunks_exact(ENTRY).map(|entry| u64::from_le_bytes(entry.try_into().expect("eight bytes")));
        Ok(Arc::new(Mutex::new(Self { entries: entries.collect(), file })))
    }

    fn length(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Writes an entry, which a crash may take until the log is synced. Does nothing if it is not
    /// the next.
    async fn write(&mut self, index: u64, value: u64) -> io::Result<()> {
        if self.length() == index {
            self.file.write_at(&value.to_le_bytes(), index * ENTRY as u64).await?;
            self.entries.push(value);
        }
        Ok(())
    }

    async fn sync(&self) -> io::Result<()> {
        self.file.sync_data().await
    }
}

/// How many entries are on a disk. A crash may take those that were not synced.
fn length_on(disk: &Disk) -> u64 {
    (disk.read(PATH).unwrap_or_default().len() / ENTRY) as u64
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

async fn backup(is_planted: bool) -> io::Result<()> {
    let log = Log::open().await?;
    let listener = TcpListener::bind("0.0.0.0:70").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        let log = Arc::clone(&log);
        wsrt::spawn(async move {
            loop {
                let (index, value) = hear(&mut stream).await?;
                let mut log = log.lock().await;
                if index != LENGTH {
                    log.write(index, value).await?;
                }
                if !is_planted {
                    log.sync().await?;
                }
                stream.write_all(&log.length().to_le_bytes()).await?;
                if is_planted {
                    log.sync().await?;
                }
            }
            #[expect(unreachable_code, reason = "it says what errors there are")]
            io::Result::Ok(())
        });
    }
}

async fn primary() -> io::Result<()> {
    let log = Log::open().await?;
    // How many entries each backup has, for the tasks that wait until one has enough.
    let (copied, copies) = watch::channel([0; BACKUPS.len()]);
    let (copied, (written, to_copy)) = (Arc::new(copied), watch::channel(log.lock().await.length()));
    for (number, name) in BACKUPS.into_iter().enumerate() {
        let (log, copied, mut to_copy) = (Arc::clone(&log), Arc::clone(&copied), to_copy.clone());
        wsrt::spawn(async move {
            loop {
                let _ = copy(name, &log, &mut to_copy, |length| copied.send_modify(|all| all[number] = length)).await;
                sleep(PAUSE).await;
            }
        });
    }
    let listener = TcpListener::bind("0.0.0.0:70").await?;
    let written = Arc::new(written);
    loop {
        let (mut stream, _) = listener.accept().await?;
        let (log, written, mut copies) = (Arc::clone(&log), Arc::clone(&written), copies.clone());
        wsrt::spawn(async move {
            let (index, value) = hear(&mut stream).await?;
            let length = {
                let mut log = log.lock().await;
                log.write(index, value).await?;
                log.sync().await?;
                log.length()
            };
            if length <= index {
                return Err(io::ErrorKind::InvalidData.into());
            }
            written.send_replace(length);
            let has_one = |all: &[u64; BACKUPS.len()]| all.iter().any(|&length| length > index);
            copies.wait_for(has_one).await.map_err(io::Error::other)?;
            stream.write_all(&length.to_le_bytes()).await
        });
    }
}

/// Copies entries to one backup, as they are written, until its stream fails.
async fn copy(name: &str, log: &Shared, to_copy: &mut watch::Receiver<u64>, note: impl Fn(u64)) -> io::Result<()> {
    let mut stream = connect(name).await?;
    let mut length = ask(&mut stream, LENGTH, 0).await?;
    loop {
        note(length);
        let next = length;
        to_copy.wait_for(|&written| written > next).await.map_err(io::Error::other)?;
        let value = log.lock().await.entries[next as usize];
        length = ask(&mut stream, next, value).await?;
    }
}
