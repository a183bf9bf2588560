//! The program from outside: its files, its output, and the arguments that it refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

mod support;

use wsrt_trace::EventName;
use wsrt_trace::fields::{trace, trace_packet, track_event};

use support::encoder::{END, INSTANT, Message, PROCESSOR, Trace};
use support::program::Program;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wsrt-report")).args(arguments).output().expect("the program starts")
}

/// An empty place for each test.
fn directory(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory can be made");
    directory
}

fn file(directory: &Path, name: &str, bytes: &[u8]) -> String {
    let path = directory.join(name);
    fs::write(&path, bytes).expect("a file can be written");
    path.to_str().expect("the path is UTF-8").to_owned()
}

fn error_of(output: &Output) -> String {
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr.clone()).expect("errors are UTF-8").trim_end().to_owned()
}

#[test]
fn the_page_is_written_beside_the_trace() {
    let directory = directory("beside");
    let trace = file(&directory, "run.perfetto-trace", &Program::usual(500).bytes());
    let output = run(&[&trace]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{trace}.html\n"));
    let page = fs::read_to_string(format!("{trace}.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("run.perfetto-trace"), "{page}");
}

#[test]
fn the_page_goes_to_the_given_path() {
    let directory = directory("told");
    let trace = file(&directory, "a", &Program::usual(50).bytes());
    let place = directory.join("other.html");
    assert!(run(&["-o", place.to_str().unwrap(), &trace]).status.success());
    let output = run(&[&trace, "--output", "-"]);
    assert!(output.status.success());
    assert_eq!(fs::read(place).unwrap(), output.stdout);
    assert!(!directory.join("a.html").exists());
}

#[test]
fn help_and_version_are_printed() {
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    assert!(help.contains("usage: wsrt-report TRACE [-o FILE]"), "{help}");
    assert_eq!(run(&["-V"]).stdout, format!("wsrt-report {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
}

#[test]
fn a_wrong_command_line_is_said_with_exit_code_2() {
    for arguments in [&[][..], &["a", "b"], &["--what", "a"], &["a", "-o"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(error_of(&output).starts_with("wsrt-report: "), "{output:?}");
    }
}

#[test]
fn a_file_that_is_no_trace_is_named() {
    let directory = directory("no_trace");
    let event = Message::new().varint(track_event::TYPE, INSTANT).varint(track_event::TRACK_UUID, 123_456);
    let chrome = Message::new().varint(trace_packet::TIMESTAMP, 5).message(trace_packet::TRACK_EVENT, &event);
    for (name, bytes, expected) in [
        ("empty", Vec::new(), "is empty"),
        ("text", b"hello".to_vec(), "is no trace: it does not begin with a packet of Perfetto's"),
        ("cut", vec![0x0a, 200], "is no trace: it does not begin with a packet of Perfetto's"),
        (
            "foreign",
            Message::new().message(trace::PACKET, &chrome).0,
            "is no trace of wsrt: it has packets, but no event of a processor in them",
        ),
        ("silent", Trace::new("demo", 2).bytes, "is a trace without events: nothing was recorded"),
    ] {
        let path = file(&directory, name, &bytes);
        let output = run(&[&path]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(error_of(&output), format!("wsrt-report: `{path}` {expected}"));
        assert!(!directory.join(format!("{name}.html")).exists(), "{name}");
    }
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let directory = directory("unreachable");
    let missing = directory.join("missing").to_str().unwrap().to_owned();
    let output = run(&[&missing]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error_of(&output).starts_with(&format!("wsrt-report: cannot read `{missing}`: ")), "{output:?}");

    let output = run(&[directory.to_str().unwrap()]);
    assert!(error_of(&output).starts_with("wsrt-report: cannot read `"), "{output:?}");

    let trace = file(&directory, "trace", &Program::usual(5).bytes());
    let place = directory.join("no/such/place.html");
    let output = run(&[&trace, "-o", place.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error_of(&output).starts_with(&format!("wsrt-report: cannot write `{}`: ", place.display())), "{output:?}");
}

#[test]
fn a_trace_is_never_written_over() {
    let directory = directory("same");
    let bytes = Program::usual(5).bytes();
    let trace = file(&directory, "trace", &bytes);
    let output = run(&[&trace, "-o", directory.join("../same/trace").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error_of(&output).ends_with("is the trace: the page needs a file of its own"), "{output:?}");
    assert_eq!(fs::read(trace).unwrap(), bytes);
}

#[test]
fn a_damaged_file_gives_a_report_that_says_so() {
    let directory = directory("cut_off");
    let whole = Program::usual(200).bytes();
    let page_of = |name: &str, bytes: &[u8]| {
        let output = run(&[&file(&directory, name, bytes), "-o", "-"]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!page_of("whole", &whole).contains("class=\"notices\" aria-label=\"About this trace\">\n<li>The file"));
    assert!(page_of("cut", &whole[..whole.len() / 2]).contains("The file ends in the middle of a packet, at byte "));
    let damaged = [&whole[..], b"no packet"].concat();
    let expected = format!("The file is damaged at byte {}:", support::with_commas(whole.len()));
    assert!(page_of("damaged", &damaged).contains(&expected), "{expected}");
    let mut unclosed = Trace::new("demo", 1);
    unclosed.poll(1_000, 2_000, 0, "serve", &[]);
    unclosed.event(3_000, INSTANT, PROCESSOR, EventName::Wake.name(), &[]);
    assert!(page_of("unclosed", &unclosed.bytes).contains("The file has no closing mark"));
    unclosed.close(3_000, 0);
    unclosed.event(3_000, END, PROCESSOR, "", &[]);
    let page = page_of("closed", &unclosed.bytes);
    assert!(!page.contains("The file has no closing mark") && page.contains("1\u{a0}end without a begin"), "{page}");
}
