//! Programs: they are waited for without a thread each, talked with through pipes, killed when they
//! should be, and reaped always.

use std::future::{Future, poll_fn};
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::pin::pin;
use std::process::Stdio;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use tokio_test::assert_pending;
use wsrt::io::AsyncWrite;
use wsrt::process::{Child, ChildStdin, ChildStdout, Command};
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinSet, coop};
use wsrt_tests::{
    Directory, LIMIT, eventually, in_a_process_of_its_own, in_a_process_with_files, panic_message, text_of,
    within_a_minute,
};

/// Runs a test's body on runtimes of both kinds.
fn on_both<F: Future<Output = ()>>(body: impl Fn() -> F + Send + 'static) {
    within_a_minute(move || {
        Builder::new_current_thread().build().expect("a runtime").block_on(body());
        Runtime::new().expect("a runtime").block_on(body());
    });
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// A program that ends when its standard input does.
fn patient() -> Child {
    shell("read line").stdin(Stdio::piped()).spawn().expect("there is a shell")
}

/// Whether there is a process with this number, a zombie included.
fn exists(id: u32) -> bool {
    std::path::Path::new(&format!("/proc/{id}")).exists()
}

/// Waits, for a while, until there is no process with this number, not even a zombie.
fn assert_reaped(id: u32) {
    eventually(&format!("process {id} is there still"), || !exists(id));
}

fn count_all_threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("Linux lists them").count()
}

fn count_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("Linux lists them").count()
}

#[test]
fn status_and_output_are_returned() {
    on_both(|| async {
        assert_eq!(shell("exit 7").status().await.expect("it ends").code(), Some(7));
        let output = shell("echo out; echo err >&2; exit 3").output().await.expect("it ends");
        assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
        assert_eq!(output.status.code(), Some(3));
        let status = shell("kill -TERM $$").status().await.expect("it ends");
        assert_eq!((status.code(), status.signal()), (None, Some(15)));
    });
}

#[test]
fn output_keeps_the_configured_streams_and_the_command() {
    on_both(|| async {
        let mut command = shell("cat; echo out; echo err >&2");
        command.stderr(Stdio::null());
        let output = command.output().await.expect("standard input is empty, so it ends");
        assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b""[..]));
        let child = shell("true").spawn().expect("there is a shell");
        assert!(child.stdin.is_none() && child.stdout.is_none() && child.stderr.is_none());
    });
}

#[test]
fn more_than_a_pipe_holds_goes_through_every_pipe() {
    on_both(|| async {
        const LENGTH: usize = 3_000_000;
        let mut command = shell("tee /dev/stderr");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("there is a shell");
        let mut stdin = child.stdin.take().expect("it is piped");
        let sent: Vec<u8> = (0..LENGTH).map(|index| (index * 31 % 251) as u8).collect();
        let sent = Arc::new(sent);
        let bytes = Arc::clone(&sent);
        let writer = wsrt::spawn(async move {
            stdin.write_all(&bytes).await?;
            stdin.shutdown().await?;
            // The pipe is closed, and a write fails.
            let error = stdin.write(b"more").await.expect_err("it was shut down");
            assert_eq!(error.kind(), ErrorKind::BrokenPipe);
            assert!(stdin.into_owned_fd().is_err());
            std::io::Result::Ok(())
        });
        let output = child.wait_with_output().await.expect("it ends");
        writer.await.expect("no panic").expect("it reads");
        assert!(output.status.success());
        assert!(output.stdout == *sent, "{} bytes came back", output.stdout.len());
        assert!(output.stderr == *sent, "{} bytes came back", output.stderr.len());
    });
}

#[test]
fn one_program_reads_what_another_writes() {
    on_both(|| async {
        let mut first = shell("echo hello").stdout(Stdio::piped()).spawn().expect("there is a shell");
        let pipe: Stdio = first.stdout.take().expect("it is piped").try_into().expect("it can block");
        let output = shell("tr a-z A-Z").stdin(pipe).output().await.expect("it ends");
        assert_eq!(output.stdout, b"HELLO\n");
        assert!(first.wait().await.expect("it ends").success());
    });
}

#[test]
fn standard_pipes_are_taken_over_and_given_back() {
    on_both(|| async {
        let mut std = std::process::Command::new("cat");
        let mut child = std.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("there is cat");
        let mut stdin = ChildStdin::from_std(child.stdin.take().expect("it is piped")).expect("it can be polled");
        let mut stdout = ChildStdout::from_std(child.stdout.take().expect("it is piped")).expect("it can be polled");
        assert!(stdin.is_write_vectored());
        stdin.write_all(b"question").await.expect("it reads");
        let mut answer = [0; 8];
        stdout.read_exact(&mut answer).await.expect("it writes");
        assert_eq!(&answer, b"question");
        assert!(stdin.as_fd().try_clone_to_owned().is_ok());
        drop(stdin.into_owned_fd().expect("it is open"));
        // It blocks again: the end of the stream comes instead of `WouldBlock`.
        let mut stdout = std::fs::File::from(stdout.into_owned_fd().expect("it is open"));
        assert_eq!(std::io::Read::read(&mut stdout, &mut answer).expect("it has ended"), 0);
        assert!(child.wait().expect("it ends").success());
    });
}

#[test]
fn waiting_closes_standard_input_and_may_be_repeated() {
    on_both(|| async {
        let mut child = patient();
        let id = child.id();
        assert!(id.is_some_and(exists));
        assert_eq!(child.try_wait().expect("it can be asked"), None);
        let mut stdin = child.stdin.take();
        assert_pending!(tokio_test::task::spawn(child.wait()).poll(), "its input is open");
        child.stdin = stdin.take();
        let status = child.wait().await.expect("its input is closed");
        assert_eq!(child.wait().await.expect("it is known"), status);
        assert_eq!(child.try_wait().expect("it is known"), Some(status));
        assert_eq!(child.id(), None);
        child.start_kill().expect("it has ended, which is what was wanted");
        child.kill().await.expect("it has ended, which is what was wanted");
        assert_eq!(child.wait().await.expect("it is known"), status, "its own end, not by the signal");
        assert_eq!(child.try_wait().expect("it is known"), Some(status));
        assert_eq!(child.id(), None);
    });
}

#[test]
fn a_program_that_has_ended_unnoticed_may_be_killed() {
    on_both(|| async {
        let mut child = patient();
        let id = child.id().expect("it runs");
        drop(child.stdin.take());
        let status = format!("/proc/{id}/stat");
        let is_zombie = || std::fs::read_to_string(&status).expect("nobody has waited for it").contains(") Z ");
        eventually("it does not end", is_zombie);
        child.start_kill().expect("it has ended, which is what was wanted");
        child.kill().await.expect("it has ended, which is what was wanted");
        assert_eq!(child.wait().await.expect("it is known").code(), Some(1), "its own end, not by the signal");
    });
}

#[test]
fn a_killed_program_is_waited_for() {
    on_both(|| async {
        let mut child = patient();
        let id = child.id().expect("it runs");
        child.kill().await.expect("it can be killed");
        assert_eq!(child.wait().await.expect("it is known").signal(), Some(9));
        assert!(!exists(id));
    });
}

#[test]
fn a_hundred_programs_leave_no_thread_or_descriptor() {
    let test = "a_hundred_programs_leave_no_thread_or_descriptor";
    let output = in_a_process_of_its_own(test, &[], || {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        runtime.block_on(async {
            shell("true").status().await.expect("it ends");
            let (threads, descriptors) = (count_all_threads(), count_descriptors());
            let mut children: Vec<_> = (0..100).map(|_| patient()).collect();
            let inputs: Vec<_> = children.iter_mut().map(|child| child.stdin.take()).collect();
            let mut waits = JoinSet::new();
            for mut child in children {
                waits.spawn(async move { child.wait().await });
            }
            wsrt::task::yield_now().await;
            // A spare machine or two may have come meanwhile, not a hundred.
            assert!(count_all_threads() < threads + 20, "{} threads, {threads} before", count_all_threads());
            drop(inputs);
            while let Some(status) = waits.join_next().await {
                assert_eq!(status.expect("no panic").expect("it ends").code(), Some(1), "`read` met the end");
            }
            assert_eq!(count_descriptors(), descriptors);
        });
    });
    text_of(&output);
}

#[test]
fn when_descriptors_run_out_in_the_middle_nothing_stays_behind() {
    let test = "when_descriptors_run_out_in_the_middle_nothing_stays_behind";
    let output = in_a_process_with_files(test, "256", || {
        within_a_minute(|| {
            let runtime = Builder::new_current_thread().build().expect("a runtime");
            runtime.block_on(async {
                let mut command = Command::new("cat");
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                // The descriptors that are opened once are open by now.
                drop(command.spawn().expect("there is cat").wait_with_output().await);
                let before = count_descriptors();
                let mut filler: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
                let (mut refused, mut started) = (0, Vec::new());
                while started.len() < 2 {
                    match command.spawn() {
                        Ok(child) => started.push(child),
                        Err(error) => {
                            assert_eq!(error.to_string(), "Too many open files (os error 24)");
                            refused += 1;
                        }
                    }
                    drop(filler.pop());
                }
                assert!(refused > 6, "two ends of three pipes have to fit, at least: {refused}");
                drop(filler);
                for child in started {
                    assert!(child.wait_with_output().await.expect("it ends").status.success());
                }
                assert_eq!(count_descriptors(), before);
            });
            eventually("a child is there still", || !has_children());
        });
    });
    text_of(&output);
}

/// Whether this process has children, zombies included.
fn has_children() -> bool {
    let ours = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").expect("Linux lists them");
    let stats = processes.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    // The name may have spaces in it; behind it come the state and the parent.
    stats.filter_map(|stat| Some(stat.rsplit_once(") ")?.1.split(' ').nth(1)?.to_owned())).any(|parent| parent == ours)
}

#[test]
fn a_dropped_child_goes_on_and_is_reaped() {
    on_both(|| async {
        let mut child = patient();
        let (id, stdin) = (child.id().expect("it runs"), child.stdin.take());
        drop(child);
        assert!(exists(id));
        let status = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("it is there");
        assert!(!status.contains(") Z "), "it runs: {status}");
        drop(stdin);
        // The runtime is driven meanwhile, the one on this thread too.
        wsrt::task::spawn_blocking(move || assert_reaped(id)).await.expect("it is reaped");
    });
}

#[test]
fn a_kill_on_drop_child_is_killed_and_reaped() {
    on_both(|| async {
        let mut command = shell("read line");
        assert!(!command.get_kill_on_drop());
        let child = command.stdin(Stdio::piped()).kill_on_drop(true).spawn().expect("there is a shell");
        let id = child.id().expect("it runs");
        // Were it not killed it would run on: its input is kept open.
        let stdin = child.stdin.as_ref().map(|stdin| stdin.as_fd().try_clone_to_owned().expect("a descriptor"));
        drop(child);
        wsrt::task::spawn_blocking(move || assert_reaped(id)).await.expect("it is reaped");
        drop(stdin);
    });
}

#[test]
fn a_child_dropped_with_a_spent_budget_is_reaped() {
    on_both(|| async {
        let dropping = wsrt::spawn(async {
            let mut child = patient();
            let (id, stdin) = (child.id().expect("it runs"), child.stdin.take());
            let mut child = Some(child);
            poll_fn(|cx| {
                while let Poll::Ready(permission) = coop::poll_proceed(cx) {
                    permission.made_progress();
                    if !coop::has_budget_remaining() {
                        break;
                    }
                }
                drop(child.take());
                Poll::Ready(())
            })
            .await;
            drop(stdin);
            id
        });
        let id = dropping.await.expect("it does not panic");
        wsrt::task::spawn_blocking(move || assert_reaped(id)).await.expect("it is reaped");
    });
}

#[test]
fn a_task_that_is_aborted_takes_its_program_with_it() {
    on_both(|| async {
        let mut child = shell("read line").stdin(Stdio::piped()).kill_on_drop(true).spawn().expect("there is a shell");
        let (id, stdin) = (child.id().expect("it runs"), child.stdin.take());
        let waiter = wsrt::spawn(async move { child.wait().await });
        wsrt::task::yield_now().await;
        waiter.abort();
        assert!(waiter.await.expect_err("it was aborted").is_cancelled());
        wsrt::task::spawn_blocking(move || assert_reaped(id)).await.expect("it is reaped");
        drop(stdin);
    });
}

#[test]
fn children_that_outlive_the_runtime_are_reaped_too() {
    within_a_minute(|| {
        for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
            let runtime = builder.worker_threads(1).build().expect("a runtime");
            let (killed, dropped, kept) = runtime.block_on(async {
                let killed = shell("read line").stdin(Stdio::piped()).kill_on_drop(true).spawn();
                (killed.expect("there is a shell"), patient(), patient())
            });
            let (of_killed, of_dropped) = (killed.id().expect("it runs"), dropped.id().expect("it runs"));
            let mut dropped = dropped;
            let stdin = dropped.stdin.take();
            // One is dropped with its task by the end of the runtime, one before, one after.
            drop(dropped);
            drop(runtime.spawn(async move {
                let _kept = killed;
                std::future::pending::<()>().await;
            }));
            drop(runtime);
            assert_reaped(of_killed);
            drop(stdin);
            let of_kept = kept.id().expect("it runs");
            drop(kept);
            // The next program that is started reaps those that were not killed.
            let again = Builder::new_current_thread().build().expect("a runtime");
            let begun = Instant::now();
            while exists(of_dropped) || exists(of_kept) {
                assert!(begun.elapsed() < LIMIT, "{of_dropped} or {of_kept} is there still");
                again.block_on(async { shell("true").status().await }).expect("it ends");
            }
        }
    });
}

#[test]
fn a_wait_goes_on_in_another_runtime() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let mut child = runtime.block_on(async { patient() });
        let stdin = child.stdin.take();
        drop(runtime);
        let outside = pin!(child.wait()).poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(Err(error)) = outside else { panic!("no runtime reports its end") };
        assert!(error.to_string().contains("was shut down"), "{error}");

        let other = Builder::new_current_thread().build().expect("a runtime");
        let status = other.block_on(async move {
            let waiting = wsrt::spawn(async move { child.wait().await });
            wsrt::task::yield_now().await;
            drop(stdin);
            waiting.await.expect("no panic")
        });
        status.expect("the other runtime reports its end");
    });
}

#[test]
fn programs_that_cannot_be_started_are_the_systems_errors() {
    on_both(|| async {
        let error = Command::new("no-such-program").spawn().expect_err("there is none");
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.to_string(), "No such file or directory (os error 2)");
        let error = Command::new("/").output().await.expect_err("it is a directory");
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        let error = shell("true").current_dir("/no/such").status().await.expect_err("there is none");
        assert_eq!(error.kind(), ErrorKind::NotFound);
    });
}

#[test]
fn what_is_set_arrives() {
    on_both(|| async {
        let mut command = Command::new("sh");
        command.arg("-c").arg("pwd; echo $ONE $TWO $HOME; ps -o pgid= -p $$ >/dev/null; echo $0").arg0("shell");
        command.env_clear().env("ONE", "1").envs([("TWO", "2"), ("THREE", "3")]).env_remove("THREE").current_dir("/");
        command.process_group(0).env("PATH", "/usr/bin:/bin");
        // SAFETY: the closure does nothing but return.
        unsafe { command.pre_exec(|| Ok(())) };
        let output = command.output().await.expect("it ends");
        assert_eq!(String::from_utf8(output.stdout).expect("it is text"), "/\n1 2\nshell\n");
        assert_eq!(command.as_std().get_program(), "sh");
        assert_eq!(command.as_std_mut().get_current_dir(), Some(std::path::Path::new("/")));
        assert_eq!(Command::from(command.into_std()).output().await.expect("it ends").stdout, b"/\n1 2\nshell\n");
    });
}

#[test]
fn outside_a_runtime_starting_panics_and_starts_nothing() {
    let directory = Directory::new();
    let marker = directory.path("marker");
    let message = panic_message(|| drop(Command::new("touch").arg(&marker).spawn()));
    assert!(message.starts_with("wsrt: `Command::spawn` was called outside a wsrt runtime"), "{message}");
    assert!(!marker.exists());
}
