//! Files are read and written at positions that the calls name, by any number of tasks at once.

use std::future::Future;
use std::sync::Arc;
use std::task::Poll;

use wsrt::fs::{self, File};
use wsrt::runtime::Builder;
use wsrt::task::TaskGroup;
use wsrt_tests::{Directory, two_processors, within_a_minute};

/// Polls a future once.
async fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await
}

#[test]
fn many_readers_share_one_file() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let directory = Directory::new();
            let path = directory.path("file");
            let bytes: Vec<u8> = (0..100_000_u32).map(|index| (index % 251) as u8).collect();
            fs::write(&path, &bytes).await.expect("it is written");
            let file = Arc::new(File::open(&path).await.expect("it is there"));
            let bytes = Arc::new(bytes);
            let mut readers = TaskGroup::<(), std::io::Error>::with_limit(8);
            for reader in 0..50 {
                let (file, bytes) = (Arc::clone(&file), Arc::clone(&bytes));
                readers.spawn(async move {
                    let offset = reader * 1_999;
                    let mut piece = [0; 1_000];
                    let count = file.read_at(&mut piece, offset as u64).await?;
                    assert_eq!(piece[..count], bytes[offset..offset + count]);
                    assert_eq!(count, 1_000);
                    Ok(())
                });
            }
            readers.join_all().await.expect("each is read");
        });
    });
}

#[test]
fn positions_of_calls_leave_that_of_the_file_alone() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let directory = Directory::new();
            let mut options = File::options();
            options.read(true).write(true).create_new(true);
            let mut file = options.open(directory.path("file")).await.expect("it is created");
            assert_eq!(file.write_at(b"world", 6).await.expect("it is written"), 5);
            assert_eq!(file.write_at(b"hello ", 0).await.expect("it is written"), 6);
            let mut bytes = [0; 20];
            assert_eq!(file.read_at(&mut bytes, 3).await.expect("it is read"), 8);
            assert_eq!(&bytes[..8], b"lo world");
            assert_eq!(file.read_at(&mut bytes, 11).await.expect("it is read"), 0, "at the end");
            assert_eq!(file.read_at(&mut [], 0).await.expect("it is read"), 0);
            let mut text = String::new();
            file.read_to_string(&mut text).await.expect("it is read");
            assert_eq!(text, "hello world");
        });
    });
}

#[test]
fn one_call_moves_no_more_than_the_buffer_size() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let directory = Directory::new();
            let path = directory.path("file");
            let mut file = File::create(&path).await.expect("it is created");
            file.set_max_buf_size(3);
            assert_eq!(file.write_at(b"0123456789", 0).await.expect("it is written"), 3);
            let mut file = File::open(&path).await.expect("it is there");
            file.set_max_buf_size(2);
            let mut bytes = [0; 10];
            assert_eq!(file.read_at(&mut bytes, 0).await.expect("it is read"), 2);
        });
    });
}

#[test]
fn errors_of_the_system_are_returned() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let directory = Directory::new();
            let path = directory.path("file");
            let file = File::create(&path).await.expect("it is created");
            let error = file.read_at(&mut [0], 0).await.expect_err("it is open for writing alone");
            assert_eq!(error.raw_os_error(), Some(libc::EBADF));
            let file = File::open(&path).await.expect("it is there");
            let error = file.write_at(b"x", 0).await.expect_err("it is open for reading alone");
            assert_eq!(error.raw_os_error(), Some(libc::EBADF));
        });
    });
}

/// The one thread of the pool is busy, so that the calls that are given up have not been made.
#[test]
fn a_file_is_taken_whole_once_its_calls_are_over() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().max_blocking_threads(1).build().expect("a runtime");
        runtime.block_on(async {
            let directory = Directory::new();
            let file = File::create(directory.path("file")).await.expect("it is created");
            let (release, released) = std::sync::mpsc::channel::<()>();
            let busy = wsrt::task::spawn_blocking(move || released.recv());
            assert!(poll_once(file.write_at(b"x", 0)).await.is_pending());
            let file = file.try_into_std().expect_err("a call may be in progress");
            let mut whole = std::pin::pin!(file.into_std());
            assert!(poll_once(whole.as_mut()).await.is_pending());
            drop(release);
            assert!(busy.await.expect("no panic").is_err());
            let std = whole.await;
            assert!(std.metadata().expect("it is open").len() <= 1);
        });
    });
}
