//! Files: written bytes are read again, and no accepted write is lost.

use std::future::{Future, poll_fn};
use std::io::{IoSlice, SeekFrom};
use std::path::Path;
use std::pin::Pin;
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use wsrt::fs::{self, File};
use wsrt::io::{AsyncSeekExt, AsyncWrite, AsyncWriteExt};
use wsrt::runtime::Builder;
use wsrt_tests::{Directory, LIMIT, foreign_block_on, panic_message, within_a_minute};

/// Runs a test's body on runtimes of both kinds, each with a directory of its own and one thread
/// for blocking calls.
fn on_both<F: Future<Output = ()>>(body: impl Fn(Directory) -> F) {
    for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
        builder.max_blocking_threads(1).build().expect("a runtime").block_on(body(Directory::new()));
    }
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index * 7 % 251) as u8).collect()
}

#[test]
fn what_is_written_in_pieces_is_read_again() {
    on_both(|directory| async move {
        let bytes = pattern(5_000_000);
        let mut file = File::create(directory.path("file")).await.expect("it is created");
        let mut rest = &bytes[..];
        for size in [0, 1, 2, 3, 4_096, 2 * 1024 * 1024, 2 * 1024 * 1024 + 1, usize::MAX].into_iter().cycle() {
            let (piece, left) = rest.split_at(rest.len().min(size));
            file.write_all(piece).await.expect("it is written");
            rest = left;
            if rest.is_empty() {
                break;
            }
        }
        file.flush().await.expect("it is written");
        assert_eq!(fs::read(directory.path("file")).await.expect("it is read"), bytes);

        let mut read = Vec::new();
        let mut file = File::open(directory.path("file")).await.expect("it is opened");
        file.read_to_end(&mut read).await.expect("it is read");
        assert_eq!(read, bytes);
        assert_eq!(file.read(&mut [0; 8]).await.expect("the end is no error"), 0);
    });
}

#[test]
fn a_seek_or_write_begins_where_returned_bytes_ended() {
    on_both(|directory| async move {
        std::fs::write(directory.path("file"), b"0123456789").expect("it is written");
        let mut file = File::options().read(true).write(true).open(directory.path("file")).await.expect("it is opened");
        // A read of eight bytes is given up when it has begun, and its bytes are left in the
        // buffer.
        give_up_a_read(&mut file, 8).await;
        let mut two = [0; 2];
        file.read_exact(&mut two).await.expect("it is read");
        assert_eq!(&two, b"01");
        file.write_all(b"ab").await.expect("it is written");
        file.flush().await.expect("it is written");
        assert_eq!(std::fs::read(directory.path("file")).expect("it is read"), b"01ab456789");

        give_up_a_read(&mut file, 4).await;
        file.read_exact(&mut two).await.expect("it is read");
        assert_eq!(&two, b"45");
        assert_eq!(file.seek(SeekFrom::Current(1)).await.expect("it can be sought"), 7);
        file.read_exact(&mut two).await.expect("it is read");
        assert_eq!(&two, b"78");

        give_up_a_read(&mut file, 1).await;
        assert_eq!(file.stream_position().await.expect("it can be sought"), 9);
        file.set_len(5).await.expect("it is cut");
        assert_eq!(file.metadata().await.expect("it is looked at").len(), 5);
        file.rewind().await.expect("it can be sought");
        let mut text = String::new();
        file.read_to_string(&mut text).await.expect("it is read");
        assert_eq!(text, "01ab4");
    });
}

/// Begins a read of `count` bytes, and drops it before the pool's only thread comes to it.
async fn give_up_a_read(file: &mut File, count: usize) {
    let (release, released) = channel::<()>();
    drop(wsrt::task::spawn_blocking(move || released.recv().is_err()));
    let mut bytes = vec![0; count];
    let mut read = Box::pin(file.read(&mut bytes));
    poll_fn(|cx| {
        assert!(read.as_mut().poll(cx).is_pending(), "the thread is occupied");
        Poll::Ready(())
    })
    .await;
    drop(release);
}

#[test]
fn a_standard_file_comes_back_where_reading_ended() {
    on_both(|directory| async move {
        use std::io::Read;
        std::fs::write(directory.path("file"), b"0123456789").expect("it is written");
        let mut file = File::open(directory.path("file")).await.expect("it is opened");
        give_up_a_read(&mut file, 8).await;
        let mut file = file.try_into_std().expect_err("bytes were read, or are about to be");
        file.read_exact(&mut [0; 3]).await.expect("it is read");
        let mut file = file.into_std().await;
        let mut rest = String::new();
        file.read_to_string(&mut rest).expect("it is read");
        assert_eq!(rest, "3456789");
        assert!(File::from_std(file).try_into_std().is_ok(), "nothing is under way");
    });
}

#[test]
fn a_cancelled_call_does_not_keep_the_standard_file() {
    on_both(|directory| async move {
        let file = File::create(directory.path("file")).await.expect("it is created");
        let mut sync = Box::pin(file.sync_all());
        poll_fn(|cx| {
            let _ = sync.as_mut().poll(cx);
            Poll::Ready(())
        })
        .await;
        drop(sync);
        drop(file.into_std().await);
    });
}

#[test]
fn a_write_error_is_returned_by_the_next_call() {
    on_both(|directory| async move {
        std::fs::write(directory.path("file"), b"old").expect("it is written");
        for way in 0..3 {
            let mut file = File::open(directory.path("file")).await.expect("it is opened");
            assert_eq!(file.write(b"new").await.expect("it is accepted, though it cannot be written"), 3);
            let told = match way {
                0 => file.flush().await,
                1 => file.write(b"more").await.map(drop),
                _ => file.sync_all().await,
            };
            assert_eq!(told.expect_err("the file is open for reading").raw_os_error(), Some(9), "EBADF, way {way}");
            file.flush().await.expect("it is told once");
        }
        assert_eq!(std::fs::read(directory.path("file")).expect("it is read"), b"old");
    });
}

#[test]
fn slices_are_written_together() {
    on_both(|directory| async move {
        let mut file = File::create(directory.path("file")).await.expect("it is created");
        assert!(file.is_write_vectored());
        let slices = [IoSlice::new(b"one "), IoSlice::new(b""), IoSlice::new(b"two")];
        assert_eq!(file.write_vectored(&slices).await.expect("it is written"), 7);
        file.set_max_buf_size(3);
        assert_eq!(file.write_vectored(&slices).await.expect("it is written"), 3);
        assert_eq!(file.write(b"").await.expect("nothing is written"), 0);
        file.flush().await.expect("it is written");
        assert_eq!(fs::read(directory.path("file")).await.expect("it is read"), b"one twoone");
    });
}

#[test]
fn accepted_bytes_are_written_though_the_runtime_has_ended() {
    within_a_minute(|| {
        let directory = Directory::new();
        let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().expect("a runtime");
        let mut file = runtime.block_on(File::create(directory.path("file"))).expect("it is created");
        // The only thread of the pool is occupied, so the write waits for its turn when the runtime
        // begins to shut down.
        let (release, released) = channel::<()>();
        let (began, has_begun) = channel();
        let _occupant = runtime.spawn_blocking(move || {
            began.send(()).expect("the test waits");
            let _ = released.recv();
        });
        has_begun.recv_timeout(LIMIT).expect("the pool has a thread");
        runtime.block_on(file.write_all(b"accepted")).expect("it is accepted");
        let given_up = runtime.spawn_blocking(|| unreachable!("nobody was promised this"));
        let handle = runtime.handle().clone();
        let shutdown = thread::spawn(move || drop(runtime));
        // Calls without a promise are cancelled as soon as the pool is closed.
        assert!(foreign_block_on(given_up).expect_err("the runtime shuts down").is_cancelled());
        drop(release);
        shutdown.join().expect("the runtime shuts down");
        assert_eq!(std::fs::read(directory.path("file")).expect("it is read"), b"accepted");

        let entered = handle.enter();
        foreign_block_on(file.flush()).expect("it was written");
        let error = foreign_block_on(file.write(b"too late")).expect_err("there is no pool any more");
        assert_eq!(error.to_string(), "the wsrt runtime that was to make this call was shut down");
        let error = foreign_block_on(fs::read(directory.path("file"))).expect_err("there is no pool any more");
        assert_eq!(error.to_string(), "the wsrt runtime that was to make this call was shut down");
        drop(entered);
    });
}

#[test]
fn names_are_made_moved_and_removed() {
    on_both(|directory| async move {
        let path = |name: &str| directory.path(name);
        fs::create_dir_all(path("a/b")).await.expect("they are made");
        fs::write(path("a/b/file"), "contents").await.expect("it is written");
        fs::rename(path("a/b/file"), path("a/moved")).await.expect("it is moved");
        fs::hard_link(path("a/moved"), path("a/second")).await.expect("it is linked");
        fs::symlink("second", path("a/link")).await.expect("it is linked");
        assert_eq!(fs::read_link(path("a/link")).await.expect("it is a link"), Path::new("second"));
        assert!(fs::symlink_metadata(path("a/link")).await.expect("it is there").is_symlink());
        assert!(fs::metadata(path("a/link")).await.expect("it leads somewhere").is_file());
        assert_eq!(fs::copy(path("a/link"), path("a/copy")).await.expect("it is copied"), 8);
        let real = fs::canonicalize(path("a/b/../link")).await.expect("it leads somewhere");
        assert!(real.ends_with("a/second"), "{real:?}");
        fs::remove_file(path("a/second")).await.expect("it is removed");
        assert!(!fs::try_exists(path("a/link")).await.expect("it leads nowhere"));
        fs::remove_dir(path("a/b")).await.expect("it is empty");
        fs::remove_dir_all(path("a")).await.expect("it is removed");
        assert!(!fs::try_exists(path("a")).await.expect("it can be looked for"));
    });
}

#[test]
fn a_directory_lists_each_of_its_entries_once_across_batches() {
    on_both(|directory| async move {
        let mut wanted: Vec<String> = (0..100).map(|number| format!("entry {number}")).collect();
        for (number, name) in wanted.iter().enumerate() {
            match number % 2 {
                0 => std::fs::write(directory.path(name), name).expect("it is written"),
                _ => std::fs::create_dir(directory.path(name)).expect("it is made"),
            }
        }
        let mut entries = fs::read_dir(&directory.path("")).await.expect("it is a directory");
        let mut names = Vec::new();
        while let Some(entry) = entries.next_entry().await.expect("it is listed") {
            let metadata = entry.metadata().await.expect("it is there");
            assert_eq!(entry.file_type().await.expect("it has a type"), metadata.file_type());
            assert_eq!(entry.path(), directory.path("").join(entry.file_name()));
            names.push(entry.file_name().into_string().expect("it is text"));
        }
        assert!(entries.next_entry().await.expect("the end stays the end").is_none());
        names.sort();
        wanted.sort();
        assert_eq!(names, wanted);
    });
}

#[test]
fn a_clone_shares_position_and_limit_and_awaits_the_write() {
    on_both(|directory| async move {
        let mut file = File::create(directory.path("file")).await.expect("it is created");
        file.write_all(b"first ").await.expect("it is accepted");
        file.set_max_buf_size(5);
        let mut second = file.try_clone().await.expect("it is cloned");
        assert_eq!(second.max_buf_size(), 5, "it goes with the clone");
        assert_eq!(second.write(b"second").await.expect("it is accepted"), 5);
        second.set_max_buf_size(1_000);
        assert_eq!(file.max_buf_size(), 5, "each has its own from then on");
        second.write_all(b"d").await.expect("it is accepted");
        second.flush().await.expect("it is written");
        assert_eq!(fs::read(directory.path("file")).await.expect("it is read"), b"first second");
    });
}

#[test]
fn outside_a_runtime_the_first_poll_panics_naming_the_call() {
    let message = panic_message(|| {
        let _ = tokio_test::task::spawn(fs::read("/dev/null")).poll();
    });
    assert!(message.starts_with("wsrt: `fs::read` was called outside a wsrt runtime"), "{message}");
    let message = panic_message(|| {
        let mut file = File::from_std(std::fs::File::open("/dev/null").expect("it is there"));
        let _ = Pin::new(&mut file).poll_write(&mut Context::from_waker(Waker::noop()), b"bytes");
    });
    assert!(message.starts_with("wsrt: `File::poll_write` was called outside a wsrt runtime"), "{message}");
}

#[test]
fn times_are_set_after_the_write_in_progress() {
    on_both(|directory| async move {
        let mut file = File::create(directory.path("file")).await.expect("it is created");
        let day = Duration::from_secs(24 * 60 * 60);
        file.write_all(&pattern(1_000_000)).await.expect("it is written");
        file.set_modified(UNIX_EPOCH + day).await.expect("they are set");
        file.flush().await.expect("it is written");
        let modified = file.metadata().await.expect("it is there").modified().expect("files have times");
        assert_eq!(modified, UNIX_EPOCH + day);
    });
}

#[test]
#[should_panic = "must be greater than 0"]
fn a_buffer_without_room_is_refused() {
    on_both(|directory| async move {
        File::create(directory.path("file")).await.expect("it is created").set_max_buf_size(0);
    });
}
