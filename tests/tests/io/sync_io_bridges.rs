//! A bridge gives asynchronous streams to code that blocks, on any thread.

use std::io::{BufRead, Read, Seek, SeekFrom, Write};

use wsrt::io::{AsyncReadExt, AsyncWriteExt, BufReader, SyncIoBridge, duplex};
use wsrt::runtime::{Builder, Runtime};
use wsrt_tests::{Directory, within_a_minute};

fn runtimes() -> [Runtime; 2] {
    [Builder::new_multi_thread(), Builder::new_current_thread()].map(|mut builder| builder.build().expect("a runtime"))
}

/// Sends the lines back, in capitals, and ends the stream.
fn shout(stream: SyncIoBridge<wsrt::io::DuplexStream>) -> std::io::Result<()> {
    let (read, write) = wsrt::io::split(stream.into_inner());
    let mut lines = SyncIoBridge::new(BufReader::new(read));
    let mut write = SyncIoBridge::new(write);
    let mut line = String::new();
    while lines.read_line(&mut line)? > 0 {
        write.write_all(line.to_uppercase().as_bytes())?;
        line.clear();
    }
    write.flush()?;
    write.shutdown()
}

#[test]
fn blocking_jobs_and_tasks_read_and_write_streams() {
    within_a_minute(|| {
        for runtime in runtimes() {
            runtime.block_on(async {
                // Smaller than the text, so that both sides wait.
                for in_a_task in [false, true] {
                    let (mut ours, theirs) = duplex(4);
                    let theirs = SyncIoBridge::new(theirs);
                    let shouts = if in_a_task {
                        wsrt::spawn(async { shout(theirs) })
                    } else {
                        wsrt::task::spawn_blocking(|| shout(theirs))
                    };
                    let mut heard = [0; 8];
                    ours.write_all(b"one\n").await.expect("it reads");
                    ours.read_exact(&mut heard[..4]).await.expect("it writes");
                    ours.write_all(b"two\n").await.expect("it reads");
                    ours.shutdown().await.expect("it is open");
                    ours.read_exact(&mut heard[4..]).await.expect("it writes");
                    assert_eq!(&heard, b"ONE\nTWO\n");
                    assert_eq!(ours.read(&mut heard).await.expect("it ends"), 0);
                    shouts.await.expect("it does not panic").expect("no errors");
                }
            });
        }
    });
}

#[test]
fn files_are_read_and_sought_outside_of_runtimes() {
    within_a_minute(|| {
        let directory = Directory::new();
        let path = directory.path("text");
        let runtime = Runtime::new().expect("a runtime");
        let file = runtime.block_on(wsrt::fs::OpenOptions::new().read(true).write(true).create(true).open(path));
        let mut file = SyncIoBridge::new_with_handle(file.expect("it is created"), runtime.handle().clone());
        file.write_all(b"hello").expect("it is written");
        assert_eq!(file.seek(SeekFrom::Start(1)).expect("it has positions"), 1);
        let mut rest = String::new();
        assert_eq!(file.read_to_string(&mut rest).expect("it is read"), 4);
        assert_eq!(rest, "ello");
    });
}
