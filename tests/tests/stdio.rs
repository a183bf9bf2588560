//! The standard streams: nothing accepted is lost, and a read of standard input holds up no task.

use std::io::{BufRead, BufReader, Read, Write};
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use tokio_test::assert_pending;
use wsrt::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt};
use wsrt::runtime::{Builder, Runtime};
use wsrt_tests::within_a_minute;

/// Set in the process that runs a test's other half.
const HALF: &str = "WSRT_TESTS_STDIO";

/// Starts the test `name` a second time, as a process whose standard streams are ours; there,
/// `body` is run instead.
fn other_half(name: &str, body: impl FnOnce()) -> Child {
    if std::env::var_os(HALF).is_some_and(|half| half == name) {
        body();
        std::process::exit(0);
    }
    let mut command = Command::new(std::env::current_exe().expect("tests are in a file"));
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]).env(HALF, name);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the test's file can be run")
}

/// All that a process writes to its standard output behind the test harness's own lines.
fn output_behind(child: &mut Child, mark: &str) -> Vec<u8> {
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    while !line.ends_with(&format!("{mark}\n")) {
        line.clear();
        assert_ne!(output.read_line(&mut line).expect("it is text"), 0, "the process has ended without {mark:?}");
    }
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).expect("it can be read");
    rest
}

#[test]
fn lines_that_are_typed_are_read_until_the_end() {
    let mut child = other_half("lines_that_are_typed_are_read_until_the_end", || {
        Builder::new_current_thread().build().expect("a runtime").block_on(async {
            let mut lines = wsrt::io::BufReader::new(wsrt::io::stdin()).lines();
            let mut stdout = wsrt::io::stdout();
            stdout.write_all(b"MARK\n").await.expect("it is written");
            while let Some(line) = lines.next_line().await.expect("it can be read") {
                stdout.write_all(line.to_uppercase().as_bytes()).await.expect("it is written");
                stdout.write_all(b"\n").await.expect("it is written");
            }
            stdout.flush().await.expect("it is written");
        });
    });
    let mut typing = child.stdin.take().expect("it is piped");
    typing.write_all(b"one\ntwo\nthree").expect("it listens");
    drop(typing);
    assert_eq!(output_behind(&mut child, "MARK"), b"ONE\nTWO\nTHREE\n");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn the_next_runtime_reads_on_after_one_ends() {
    let name = "the_next_runtime_reads_on_after_one_ends";
    let mut child = other_half(name, || {
        within_a_minute(|| {
            let runtime = Runtime::new().expect("a runtime");
            runtime.block_on(async {
                let reader = wsrt::spawn(async { wsrt::io::stdin().read_u8().await });
                // The thread reads by now, or will: either way no input comes, and the runtime
                // ends.
                let waited = wsrt::time::timeout(Duration::from_millis(20), reader).await;
                assert!(waited.is_err(), "nobody has typed");
            });
            drop(runtime);
            println!("MARK");
            let typed = Runtime::new().expect("a runtime").block_on(async {
                let mut text = String::new();
                wsrt::io::stdin().read_to_string(&mut text).await.map(|_| text)
            });
            print!("{}", typed.expect("it can be read"));
        });
    });
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    while !line.ends_with("MARK\n") {
        line.clear();
        assert_ne!(output.read_line(&mut line).expect("it is text"), 0, "the process has ended early");
    }
    // Only now is there something to read: the first runtime had ended without it.
    child.stdin.take().expect("it is piped").write_all(b"typed late").expect("it listens");
    line.clear();
    output.read_to_string(&mut line).expect("it is text");
    assert_eq!(line, "typed late");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_dropped_read_of_standard_input_loses_no_byte() {
    let name = "a_dropped_read_of_standard_input_loses_no_byte";
    let mut child = other_half(name, || {
        within_a_minute(|| {
            println!("MARK");
            Builder::new_current_thread().build().expect("a runtime").block_on(async {
                let (mut stdin, mut read) = (wsrt::io::stdin(), Vec::new());
                loop {
                    let mut buffer = [0; 2];
                    // Dropped at its first wait, and made again.
                    let made = wsrt::select! {
                        biased;
                        count = stdin.read(&mut buffer) => Some(count.expect("it can be read")),
                        () = std::future::ready(()) => None,
                    };
                    match made {
                        Some(0) => break,
                        Some(count) => read.extend(&buffer[..count]),
                        None => wsrt::time::sleep(Duration::from_millis(1)).await,
                    }
                }
                print!("{}", String::from_utf8(read).expect("a text"));
            });
        });
    });
    let mut typing = child.stdin.take().expect("it is piped");
    for piece in ["typed ", "in ", "pieces"] {
        std::thread::sleep(Duration::from_millis(5));
        typing.write_all(piece.as_bytes()).expect("it listens");
    }
    drop(typing);
    assert_eq!(output_behind(&mut child, "MARK"), b"typed in pieces");
    assert!(child.wait().expect("it ends").success());
}

/// Panics when it is woken.
struct Rude;

impl Wake for Rude {
    fn wake(self: Arc<Self>) {
        panic!("not now");
    }
}

#[test]
fn a_waker_that_panics_does_not_end_standard_input() {
    let mut child = other_half("a_waker_that_panics_does_not_end_standard_input", || {
        within_a_minute(|| {
            Runtime::new().expect("a runtime").block_on(async {
                let mut stdin = wsrt::io::stdin();
                for round in 0..3 {
                    let rude = Waker::from(Arc::new(Rude));
                    let mut byte = [0; 1];
                    let mut target = wsrt::io::ReadBuf::new(&mut byte);
                    let mut cx = Context::from_waker(&rude);
                    assert_pending!(Pin::new(&mut stdin).poll_read(&mut cx, &mut target));
                    println!("MARK {round}");
                    assert_eq!(stdin.read_u8().await.expect("it can be read"), round);
                }
            });
        });
    });
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut typing = child.stdin.take().expect("it is piped");
    for round in 0..3 {
        let mut line = String::new();
        while !line.ends_with(&format!("MARK {round}\n")) {
            line.clear();
            assert_ne!(output.read_line(&mut line).expect("it is text"), 0, "the process has ended early");
        }
        typing.write_all(&[round]).expect("it listens");
    }
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn unflushed_writes_survive_the_end_of_the_runtime() {
    let name = "unflushed_writes_survive_the_end_of_the_runtime";
    let mut child = other_half(name, || {
        println!("MARK");
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        runtime.block_on(async {
            let mut stdout = wsrt::io::stdout();
            for number in 0..1_000 {
                stdout.write_all(format!("line {number}\n").as_bytes()).await.expect("it is accepted");
            }
        });
        drop(runtime);
    });
    let wanted: String = (0..1_000).map(|number| format!("line {number}\n")).collect();
    assert_eq!(String::from_utf8(output_behind(&mut child, "MARK")).expect("it is text"), wanted);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_write_error_is_returned_by_the_flush() {
    let name = "a_write_error_is_returned_by_the_flush";
    let mut child = other_half(name, || {
        Builder::new_current_thread().build().expect("a runtime").block_on(async {
            // The reader of our standard error goes when we say so, and has gone when it closes our
            // standard input.
            println!("MARK");
            assert_eq!(wsrt::io::stdin().read(&mut [0]).await.expect("the end is no error"), 0);
            let mut stderr = wsrt::io::stderr();
            stderr.write_all(b"to nobody\n").await.expect("it is accepted");
            let error = stderr.flush().await.expect_err("nobody reads");
            assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
            stderr.flush().await.expect("it is told once");
            let mut stdout = wsrt::io::stdout();
            stdout.write_all(b"told").await.expect("it is accepted");
            stdout.flush().await.expect("it is written");
        });
    });
    drop(child.stderr.take());
    drop(child.stdin.take());
    assert_eq!(output_behind(&mut child, "MARK"), b"told");
    assert!(child.wait().expect("it ends").success());
}
