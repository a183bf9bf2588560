//! A replicated log in a simulation: `cargo run --release -p wsrt-examples --features sim --example
//! replicated_log`.
//!
//! Three hosts keep a log of numbers. The client gives its entries to the primary, which copies
//! them to two backups and acknowledges an entry once two of the three have it on disk. Meanwhile
//! hosts crash, links are cut, streams are reset, buffers are full, disks fail, fill up or are
//! slow, and clocks are wrong, as the seed decides. After each step an invariant is checked: what
//! the client has seen acknowledged is on two disks.
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

// Random numbers and clocks that a crate asks of the system are the simulation's, too.
sim::interpose!();

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
            disks.iter().filter(|disk| holds(disk, count)).count() >= 2
        });
        sim.deadline(Duration::from_secs(3_600));
        sim.random_faults(faults());
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

fn faults() -> Faults {
    Faults::new(Duration::from_secs(4))
        .every(PAUSE..PATIENCE)
        .lasting(PATIENCE..3 * PATIENCE)
        .crashes(2)
        .partitions()
        .resets()
        .full_buffers()
        .full_disks()
        .failing_disks(0.05..0.5)
        .slow_disks(2..50)
        .clock_jumps(Duration::from_secs(60))
        .clock_drifts(100_000)
}

/// The log of a host: in memory, and in a file on its disk.
struct Log {
    entries: Vec<u64>,
    /// How many of them the file has, and how many a crash leaves there.
    written: usize,
    synced: usize,
    file: File,
}

/// The log, which its tasks share.
type Shared = Arc<Mutex<Log>>;

impl Log {
    /// Opens the log as the host's last life has left it, as soon as the disk allows it.
    async fn open() -> Shared {
        loop {
            match Self::try_open().await {
                Ok(log) => return Arc::new(Mutex::new(log)),
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    async fn try_open() -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create(true).open(PATH).await?;
        // The file's name is to survive a crash, too.
        File::open("/").await?.sync_all().await?;
        let entries = entries_of(&fs::read(PATH).await?);
        Ok(Self { written: entries.len(), synced: 0, entries, file })
    }

    /// Writes an entry if it is the next, and those that the disk has refused. A crash may take
    /// them until the log is synced.
    async fn write(&mut self, index: u64, value: u64) -> io::Result<()> {
        if self.entries.len() as u64 == index {
            self.entries.push(value);
        }
        while self.written < self.entries.len() {
            let bytes: Vec<u8> = self.entries[self.written..].iter().flat_map(|entry| entry.to_le_bytes()).collect();
            let count = self.file.write_at(&bytes, (self.written * ENTRY) as u64).await?;
            if count < ENTRY {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.written += count / ENTRY;
        }
        Ok(())
    }

    /// Returns how many entries are on the disk for certain.
    async fn sync(&mut self) -> io::Result<u64> {
        // After a sync that has failed the next may succeed without the writes before, so that
        // they are made anew.
        let written = std::mem::replace(&mut self.written, self.synced);
        self.file.sync_data().await?;
        (self.written, self.synced) = (written, written);
        Ok(written as u64)
    }
}

fn entries_of(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(ENTRY).map(|entry| u64::from_le_bytes(entry.try_into().expect("eight bytes"))).collect()
}

/// Whether so many entries are on a disk. A crash may take those that were not synced.
fn holds(disk: &Disk, count: u64) -> bool {
    let entries = entries_of(&disk.read(PATH).unwrap_or_default());
    entries.len() as u64 >= count && (0..count).zip(entries).all(|(index, entry)| entry == index * 7)
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
    let log = Log::open().await;
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
                let length = if is_planted { log.written as u64 } else { log.sync().await? };
                stream.write_all(&length.to_le_bytes()).await?;
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
    let log = Log::open().await;
    // How many entries each backup has, for the tasks that wait until one has enough.
    let (copied, copies) = watch::channel([0; BACKUPS.len()]);
    let (copied, (written, to_copy)) = (Arc::new(copied), watch::channel(log.lock().await.entries.len() as u64));
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
                log.sync().await?
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
