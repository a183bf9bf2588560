//! The disks of simulated hosts: a crash keeps all that was synced, and of the rest no more than
//! was written.

use std::collections::BTreeSet;
use std::future::Future;
use std::io::{self, ErrorKind, SeekFrom};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use wsrt::fs::{self, File, OpenOptions};
use wsrt::sim::{self, Disk, Sim};
use wsrt::time::sleep;

/// Runs `main` on a host until it is done, crashes the host, and returns what `look` sees on its
/// disk.
fn after_a_crash<F, T>(seed: u64, main: fn() -> F, look: impl Fn(&Disk) -> T + Send) -> T
where
    F: Future<Output = io::Result<()>> + Send + 'static,
    T: Send,
{
    sim::run(seed, |sim| async move {
        on_a_host(&sim, main).await;
        sim.crash("node");
        look(&sim.disk("node"))
    })
}

/// Runs `main` on a host named `node` until it is done.
async fn on_a_host<F>(sim: &Sim, main: fn() -> F)
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let (done, is_done) = wsrt::sync::mpsc::channel(1);
    let mut is_done = is_done;
    sim.host("node", move || {
        let done = done.clone();
        async move { drop(done.send(main().await).await) }
    });
    is_done.recv().await.expect("the host is up").expect("its calls succeed");
}

async fn sync_root() -> io::Result<()> {
    File::open("/").await?.sync_all().await
}

/// A file of three sectors, durable, and its name too.
async fn old_file() -> io::Result<File> {
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).open("/file").await?;
    sync_root().await?;
    file.write_all(&[1; 1_536]).await?;
    file.sync_data().await?;
    Ok(file)
}

#[test]
fn synced_bytes_and_names_survive_each_crash() {
    for seed in 0..50 {
        let main = || async {
            drop(old_file().await?);
            fs::write("/file", [2; 600]).await?;
            File::open("/file").await?.sync_all().await
        };
        assert_eq!(after_a_crash(seed, main, |disk| disk.read("/file").expect("it is there")), [2; 600], "seed {seed}");
    }
}

#[test]
fn an_unsynced_write_is_kept_lost_or_torn_at_sectors() {
    let main = || async {
        let mut file = old_file().await?;
        file.seek(SeekFrom::Start(100)).await?;
        file.write_all(&[2; 1_300]).await?;
        file.flush().await
    };
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let bytes = after_a_crash(seed, main, |disk| disk.read("/file").expect("its name is durable"));
        assert_eq!(bytes.len(), 1_536, "seed {seed}");
        let new = bytes.iter().filter(|&&byte| byte == 2).count();
        assert!(bytes[..100].iter().chain(&bytes[100 + new..]).all(|&byte| byte == 1), "seed {seed}: one piece");
        seen.insert(new);
    }
    // None of it, up to the end of the first sector or the second, or all.
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 412, 924, 1_300]);
}

#[test]
fn names_are_certain_once_their_directory_is_synced() {
    let main = || async {
        fs::create_dir("/kept").await?;
        sync_root().await?;
        fs::create_dir("/first").await?;
        fs::write("/second", "contents").await?;
        File::open("/second").await?.sync_all().await
    };
    let mut seen = BTreeSet::new();
    for seed in 0..100 {
        seen.insert(after_a_crash(seed, main, |disk| {
            disk.write("/kept/is-a-directory", "").expect("it is there");
            let is_first_there = disk.write("/first", "").is_err();
            (is_first_there, disk.read("/second").ok())
        }));
    }
    let contents = Some(b"contents".to_vec());
    assert_eq!(seen, BTreeSet::from([(false, None), (true, None), (true, contents)]), "in their order");
}

#[test]
fn a_rename_happens_entirely_or_not_at_all() {
    let main = || async {
        drop(old_file().await?);
        let mut file = File::create("/new").await?;
        file.write_all(&[2; 2_000]).await?;
        file.sync_all().await?;
        fs::rename("/new", "/file").await
    };
    let mut seen = BTreeSet::new();
    for seed in 0..100 {
        let (file, new) = after_a_crash(seed, main, |disk| (disk.read("/file"), disk.read("/new")));
        let file = file.expect("one of the two is there");
        assert!(file == [1; 1_536] || file == [2; 2_000], "seed {seed}");
        assert!(new.is_err() || file == [1; 1_536], "seed {seed}: it has one name");
        seen.insert((file.len(), new.is_ok()));
    }
    assert_eq!(seen, BTreeSet::from([(1_536, false), (1_536, true), (2_000, false)]));
}

#[test]
fn a_restarted_host_finds_its_disk_and_nothing_open() {
    sim::run(3, |sim| async move {
        let kept: Arc<Mutex<Option<File>>> = Arc::default();
        let (lives, file) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&kept));
        let seen = Arc::clone(&lives);
        sim.host("node", move || {
            let (file, seen) = (Arc::clone(&file), Arc::clone(&seen));
            async move {
                let found = fs::read("/file").await.ok();
                seen.lock().expect("no panic").push(found);
                if !fs::try_exists("/file").await? {
                    let opened = old_file().await?;
                    *file.lock().expect("no panic") = Some(opened);
                }
                io::Result::Ok(())
            }
        });
        sleep(Duration::from_secs(1)).await;
        sim.restart("node");
        sleep(Duration::from_secs(1)).await;
        assert_eq!(*lives.lock().expect("no panic"), [None, Some(vec![1; 1_536])]);
        let file = kept.lock().expect("no panic").take().expect("the first life has left it");
        assert!(file.sync_all().await.is_err() && file.metadata().await.is_err(), "its life is over");
        sim.disk("node").wipe();
        sim.restart("node");
        sleep(Duration::from_secs(1)).await;
        assert_eq!(lives.lock().expect("no panic")[2], None);
    });
}

#[test]
fn hosts_have_disks_apart_and_the_test_the_systems() {
    sim::run(1, |sim| async move {
        for name in ["one", "two"] {
            sim.host(name, move || fs::write("/name", name));
        }
        sleep(Duration::from_secs(1)).await;
        assert_eq!(sim.disk("one").read("/name").expect("it is there"), b"one");
        assert_eq!(sim.disk("two").read("/name").expect("it is there"), b"two");
        assert!(fs::read_to_string("Cargo.toml").await.expect("it is the package's").contains("[package]"));
    });
}

#[test]
fn a_full_disk_refuses_with_the_systems_error() {
    sim::run(1, |sim| async move {
        sim.host("node", || async {
            sleep(Duration::from_secs(1)).await;
            let mut file = File::create("/file").await?;
            file.write_all(&[1; 1_000]).await?;
            let error = file.sync_all().await.expect_err("it is full");
            assert_eq!(error.kind(), ErrorKind::StorageFull);
            assert_eq!(file.metadata().await?.len(), 600);
            fs::remove_file("/file").await?;
            let error = fs::write("/other", [2; 600]).await.expect_err("the open file keeps its room");
            assert_eq!(error.kind(), ErrorKind::StorageFull);
            drop(file);
            fs::write("/other", [2; 600]).await
        });
        sim.disk("node").set_capacity(600);
        sleep(Duration::from_secs(3)).await;
        assert_eq!(sim.disk("node").read("/other").expect("there was room"), [2; 600]);
    });
}

#[test]
fn a_file_beyond_four_gibibytes_is_refused() {
    sim::run(1, |sim| async move {
        sim.host("node", || async {
            sleep(Duration::from_secs(1)).await;
            let mut file = File::create("/file").await?;
            let error = file.set_len(1 << 62).await.expect_err("it is too long");
            assert_eq!(error.kind(), ErrorKind::FileTooLarge);
            file.seek(SeekFrom::Start(4 << 30)).await?;
            file.write_all(b"beyond").await?;
            let error = file.flush().await.expect_err("it is too long");
            assert_eq!(error.kind(), ErrorKind::FileTooLarge);
            file.set_len(3).await
        });
        sim.disk("node").set_capacity(u64::MAX);
        sleep(Duration::from_secs(2)).await;
        assert_eq!(sim.disk("node").read("/file").expect("it is there"), [0; 3]);
    });
}

#[test]
fn after_a_failed_sync_another_one_may_keep_nothing() {
    let kept = |seed| {
        sim::run(seed, |sim| async move {
            let file = Arc::new(Mutex::new(None));
            let open = Arc::clone(&file);
            sim.host("node", move || {
                let open = Arc::clone(&open);
                async move {
                    let file = old_file().await?;
                    file.write_at(&[2; 512], 0).await?;
                    *open.lock().expect("no panic") = Some(file);
                    io::Result::Ok(())
                }
            });
            sleep(Duration::from_secs(1)).await;
            let disk = sim.disk("node");
            let file = file.lock().expect("no panic").take().expect("the host has left it");
            disk.set_failing(1.0);
            assert!(file.sync_all().await.is_err());
            disk.set_failing(0.0);
            file.sync_all().await.expect("it does not fail any more");
            assert_eq!(disk.read("/file").expect("it is there")[0], 2, "it is in memory");
            disk.read_durable("/file").expect("it is there")[0]
        })
    };
    assert_eq!((0..30).map(kept).collect::<BTreeSet<_>>(), BTreeSet::from([1, 2]));
}

#[test]
fn calls_take_virtual_time_and_a_seed_is_one_run() {
    let run = |seed| {
        sim::run(seed, |sim| async move {
            let files = |count: u8| async move {
                for number in 0..count {
                    let mut file = File::create(format!("/{number}")).await?;
                    file.write_all(&vec![number; 2_000]).await?;
                    file.sync_data().await?;
                }
                io::Result::Ok(())
            };
            let ready: Arc<Mutex<Vec<_>>> = Arc::default();
            for name in ["one", "two"] {
                let ready = Arc::clone(&ready);
                sim.host(name, move || {
                    let ready = Arc::clone(&ready);
                    async move {
                        let begun = wsrt::time::Instant::now();
                        files(20).await?;
                        ready.lock().expect("no panic").push((name, begun.elapsed()));
                        io::Result::Ok(())
                    }
                });
            }
            sleep(Duration::from_millis(20)).await;
            sim.restart("one");
            sleep(Duration::from_secs(10)).await;
            let ready = ready.lock().expect("no panic").clone();
            (ready, sim.record().hash())
        })
    };
    let mut hashes = BTreeSet::new();
    for seed in 0..20 {
        let (ready, hash) = run(seed);
        assert_eq!(run(seed), (ready.clone(), hash), "seed {seed}");
        assert!(ready.iter().all(|(_, time)| *time > Duration::from_millis(4)), "{ready:?}");
        hashes.insert(hash);
    }
    assert_eq!(hashes.len(), 20);
}

#[test]
fn every_call_answers_as_the_system_does() {
    sim::run(1, |sim| async move { on_a_host(&sim, names_and_metadata).await });
    sim::run(2, |sim| async move { on_a_host(&sim, positions).await });
}

async fn names_and_metadata() -> io::Result<()> {
    let kind = |error: io::Error| (error.kind(), error.raw_os_error().is_some());
    fs::create_dir_all("/a/b/../b/c").await?;
    fs::write("a/b/file", "12345").await?;
    let metadata = fs::metadata("/a/b/file").await?;
    assert!(metadata.is_file() && metadata.len() == 5 && fs::metadata("/a").await?.is_dir());
    let age = SystemTime::now().duration_since(metadata.modified()?);
    assert!(age.is_ok_and(|age| age < Duration::from_secs(1)), "its time is virtual");
    let mut entries = fs::read_dir("/a/b").await?;
    let mut names = Vec::new();
    while let Some(entry) = entries.next_entry().await? {
        names.push((entry.path(), entry.file_type().await?.is_dir(), entry.metadata().await?.len() == 5));
    }
    assert_eq!(names, [("/a/b/c".into(), true, false), ("/a/b/file".into(), false, true)]);
    assert_eq!(fs::remove_dir("/a/b").await.map_err(kind), Err((ErrorKind::DirectoryNotEmpty, true)));
    assert_eq!(fs::create_dir("/a/b").await.map_err(kind), Err((ErrorKind::AlreadyExists, true)));
    assert_eq!(fs::read("/a").await.map_err(kind), Err((ErrorKind::IsADirectory, true)));
    assert_eq!(fs::read("/a/b/file/x").await.map_err(kind), Err((ErrorKind::NotADirectory, true)));
    assert_eq!(fs::read("/a/x/y").await.map_err(kind), Err((ErrorKind::NotFound, true)));
    assert_eq!(fs::symlink("/a", "/l").await.map_err(kind), Err((ErrorKind::Unsupported, false)));
    let unknown = OpenOptions::from(std::fs::OpenOptions::new().read(true).clone()).open("/a/b/file").await;
    assert_eq!(unknown.map(drop).map_err(kind), Err((ErrorKind::Unsupported, false)));
    fs::hard_link("/a/b/file", "/link").await?;
    fs::rename("/a/b", "/moved").await?;
    assert_eq!(fs::canonicalize("/moved/./c/../file").await?.to_str(), Some("/moved/file"));
    fs::remove_dir_all("/moved").await?;
    assert!(!fs::try_exists("/moved/file").await? && !fs::try_exists("/a/b").await?);
    assert_eq!(fs::copy("/link", "/copy").await?, 5);
    let mut permissions = fs::metadata("/copy").await?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions("/copy", permissions).await?;
    assert!(fs::metadata("/copy").await?.permissions().readonly());
    assert_eq!(fs::read_to_string("/copy").await?, "12345");
    Ok(())
}

async fn positions() -> io::Result<()> {
    let mut file = File::create_new("/file").await?;
    file.write_all(b"0123456789").await?;
    file.seek(SeekFrom::End(-6)).await?;
    let mut two = [0; 2];
    file.read_exact(&mut two).await?;
    let mut clone = file.try_clone().await?;
    let mut rest = String::new();
    clone.read_to_string(&mut rest).await?;
    assert_eq!((&two, rest.as_str()), (b"45", "6789"), "clones share a position");
    file.write_at(b"xy", 12).await?;
    assert_eq!(file.read_at(&mut two, 12).await?, 2);
    file.set_len(14).await?;
    assert_eq!(fs::read("/file").await?, b"0123456789\0\0xy");
    let mut log = OpenOptions::new().append(true).open("/file").await?;
    log.write_all(b"!").await?;
    log.flush().await?;
    assert_eq!(fs::metadata("/file").await?.len(), 15);
    let moment = SystemTime::now() - Duration::from_secs(3_600);
    log.set_modified(moment).await?;
    assert_eq!(log.metadata().await?.modified()?, moment);
    assert!(log.read(&mut two).await.is_err() && file.try_into_std().is_err());
    fs::remove_file("/file").await?;
    assert_eq!(log.metadata().await?.len(), 15, "it stays while it is open");
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_lock_by_descriptor_meets_no_other_host() {
    use std::os::fd::AsRawFd;

    // SAFETY: a call on a descriptor.
    let lock = |file: i32| unsafe { libc::flock(file, libc::LOCK_EX | libc::LOCK_NB) };
    let null = std::fs::File::open("/dev/null").expect("it is there");
    assert_eq!(lock(null.as_raw_fd()), 0, "as another run might");
    sim::run(1, move |sim| async move {
        for host in ["one", "other"] {
            sim.host(host, move || async move {
                let file = File::create("/LOCK").await?;
                assert_eq!(lock(file.as_raw_fd()), 0, "{}", io::Error::last_os_error());
                std::future::pending::<io::Result<()>>().await
            });
        }
        sleep(Duration::from_secs(1)).await;
    });
}
