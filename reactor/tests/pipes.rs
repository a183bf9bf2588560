//! Pipes: they end when the sender goes, break when the receiver goes, and refuse other files.
#![cfg(unix)]

use std::fs::File;
use std::future::Future;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::pin::pin;
use std::process::Command;
use std::task::{Context, Waker};
use wsrt_reactor::Interest;
use wsrt_reactor::net::unix::pipe;
use wsrt_reactor_testing::{Directory, Runtime, block_on, run};

/// Makes a named pipe.
fn fifo_in(directory: &Directory) -> PathBuf {
    let path = directory.path("fifo");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[test]
fn a_full_pipe_delivers_everything_in_order() {
    const LENGTH: usize = 1 << 20;
    let runtime = Runtime::new().unwrap();
    let (mut sender, mut receiver) = runtime.block_on(async { pipe::pipe().unwrap() });
    let sent: Vec<u8> = (0..LENGTH).map(|at| (at ^ (at >> 8)) as u8).collect();
    std::thread::scope(|scope| {
        let sent = &sent;
        scope.spawn(move || block_on(sender.write_all(sent)).unwrap());
        let mut received = Vec::new();
        block_on(receiver.read_to_end(&mut received)).unwrap();
        assert!(received == *sent, "the bytes differ");
    });
}

#[test]
fn an_operation_of_the_callers_own_runs_on_a_pipe() {
    run(async {
        let (sender, receiver) = pipe::pipe().unwrap();
        sender.writable().await.unwrap();
        let write = || std::fs::File::from(sender.as_fd().try_clone_to_owned()?).write(b"by hand");
        assert_eq!(sender.async_io(write).await.unwrap(), 7);
        let read = || std::fs::File::from(receiver.as_fd().try_clone_to_owned()?).read(&mut [0; 16]);
        receiver.readable().await.unwrap();
        assert_eq!(receiver.try_io(read).unwrap(), 7);
        let blocked = || Err::<(), _>(ErrorKind::WouldBlock.into());
        assert_eq!(receiver.try_io(blocked).unwrap_err().kind(), ErrorKind::WouldBlock);
        let not_run = || -> std::io::Result<()> { panic!("run while nothing is ready") };
        assert_eq!(receiver.try_io(not_run).unwrap_err().kind(), ErrorKind::WouldBlock);
    });
}

#[test]
fn the_end_is_seen_and_so_is_a_break() {
    run(async {
        let (mut sender, mut receiver) = pipe::pipe().unwrap();
        sender.write_all(b"last words").await.unwrap();
        drop(sender);
        let mut heard = String::new();
        receiver.read_to_string(&mut heard).await.unwrap();
        assert_eq!(heard, "last words");

        let (mut sender, receiver) = pipe::pipe().unwrap();
        drop(receiver);
        assert_eq!(sender.write_all(b"anybody?").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
    });
}

#[test]
fn trying_does_not_wait_and_waiting_can_be_done_apart() {
    run(async {
        let (sender, receiver) = pipe::pipe().unwrap();
        sender.writable().await.unwrap();
        assert!(sender.ready(Interest::WRITABLE).await.unwrap().is_writable());
        assert_eq!(receiver.try_read(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(sender.try_write(b"x").unwrap(), 1);
        receiver.readable().await.unwrap();
        assert_eq!(receiver.try_read(&mut [0; 8]).unwrap(), 1);
        assert_eq!(receiver.try_read(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    });
}

#[test]
fn a_receiver_that_comes_first_waits_for_a_sender() {
    let directory = Directory::new();
    let fifo = fifo_in(&directory);
    run(async {
        let options = pipe::OpenOptions::new();
        let error = options.open_sender(&fifo).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENXIO));
        let mut receiver = options.open_receiver(&fifo).unwrap();
        let mut buf = [0; 8];
        {
            let mut reading = pin!(receiver.read(&mut buf));
            let mut cx = Context::from_waker(Waker::noop());
            assert!(reading.as_mut().poll(&mut cx).is_pending(), "nobody has come: that is not the end");
            let mut sender = options.open_sender(&fifo).unwrap();
            sender.write_all(b"hello").await.unwrap();
            assert_eq!(reading.await.unwrap(), 5);
        }
        assert_eq!(receiver.read(&mut buf).await.unwrap(), 0, "the sender has gone");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn opened_both_ways_either_end_may_come_first() {
    let directory = Directory::new();
    let fifo = fifo_in(&directory);
    run(async {
        let mut sender = pipe::OpenOptions::new().read_write(true).open_sender(&fifo).unwrap();
        sender.write_all(b"early").await.unwrap();
        let mut receiver = pipe::OpenOptions::new().open_receiver(&fifo).unwrap();
        let mut heard = [0; 5];
        receiver.read_exact(&mut heard).await.unwrap();
        assert_eq!(&heard, b"early");
    });
}

#[test]
fn only_the_right_end_of_a_pipe_is_taken() {
    run(async {
        let (reader, writer) = std_pipe();
        let error = pipe::Sender::from_owned_fd(reader.try_clone().unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("not open for writing"), "{error}");
        let error = pipe::Receiver::from_file(File::from(writer.try_clone().unwrap())).unwrap_err();
        assert!(error.to_string().contains("not open for reading"), "{error}");
        let error = pipe::Receiver::from_file(File::open("/dev/null").unwrap()).unwrap_err();
        assert!(error.to_string().contains("not a pipe"), "{error}");
        let error = pipe::OpenOptions::new().open_receiver("/dev/null").unwrap_err();
        assert!(error.to_string().contains("/dev/null"), "{error}");

        let mut receiver = pipe::Receiver::from_owned_fd(reader).unwrap();
        let mut sender = pipe::Sender::from_file(File::from(writer)).unwrap();
        sender.write_all(b"hello").await.unwrap();
        drop(sender);
        let mut heard = Vec::new();
        receiver.read_to_end(&mut heard).await.unwrap();
        assert_eq!(heard, b"hello");
    });
}

fn std_pipe() -> (OwnedFd, OwnedFd) {
    let (mut descriptors, flags) = ([0; 2], libc::O_CLOEXEC);
    // SAFETY: `descriptors` has room for the two.
    assert_eq!(unsafe { libc::pipe2(descriptors.as_mut_ptr(), flags) }, 0);
    let own = |descriptor| {
        // SAFETY: the call made it, and no other code knows it.
        unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) }
    };
    (own(descriptors[0]), own(descriptors[1]))
}

/// In packet mode each read ends where a write ended, however much is behind it.
#[cfg(target_os = "linux")]
#[test]
fn packets_behind_a_short_read_are_not_forgotten() {
    run(async {
        let mut descriptors = [0; 2];
        // SAFETY: `descriptors` has room for the two.
        assert_eq!(unsafe { libc::pipe2(descriptors.as_mut_ptr(), libc::O_DIRECT | libc::O_CLOEXEC) }, 0);
        let own = |descriptor| -> OwnedFd {
            // SAFETY: the call made it, and no other code knows it.
            unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) }
        };
        let mut receiver = pipe::Receiver::from_owned_fd(own(descriptors[0])).unwrap();
        let mut writer = File::from(own(descriptors[1]));
        writer.write_all(b"one").unwrap();
        writer.write_all(b"two").unwrap();
        let mut buf = [0; 64];
        for _ in 0..2 {
            assert_eq!(receiver.read(&mut buf).await.unwrap(), 3);
        }
    });
}

#[test]
fn a_child_gets_a_descriptor_that_blocks() {
    run(async {
        let (sender, mut receiver) = pipe::pipe().unwrap();
        let mut child = Command::new("echo").arg("hello").stdout(sender.into_blocking_fd().unwrap()).spawn().unwrap();
        let mut heard = String::new();
        receiver.read_to_string(&mut heard).await.unwrap();
        assert_eq!(heard, "hello\n");
        assert!(child.wait().unwrap().success());

        let (mut sender, receiver) = pipe::pipe().unwrap();
        let mut reader = File::from(receiver.into_blocking_fd().unwrap());
        let reading = std::thread::spawn(move || {
            let mut heard = [0; 5];
            reader.read_exact(&mut heard).map(|()| heard)
        });
        sender.write_all(b"hello").await.unwrap();
        assert_eq!(&reading.join().unwrap().unwrap(), b"hello");

        let (_sender, receiver) = pipe::pipe().unwrap();
        let mut reader = File::from(receiver.into_nonblocking_fd().unwrap());
        assert_eq!(reader.read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
    });
}
