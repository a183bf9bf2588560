//! The `overload` program from outside: its server refuses only if it is asked to, and a
//! measurement has its table.
#![cfg(feature = "wsrt")]

use std::process::{Command, Output};

fn overload(line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overload"));
    command.args(line.split_whitespace()).output().expect("the program starts")
}

#[test]
fn each_load_has_a_row_with_shedding_and_one_without() {
    let output = overload("--repeats 1 --seconds 1 --connections 50 --work-us 200 --loads 50,200");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}\n{}", String::from_utf8_lossy(&output.stderr));
    let rows: Vec<_> =
        printed.lines().filter(|line| line.starts_with("| 50 %") || line.starts_with("| 200 %")).collect();
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let named: Vec<_> = rows.iter().map(|row| cells(row)[1..3].join(" ")).collect();
    assert_eq!(named, ["50 % no", "200 % no", "50 % yes", "200 % yes"], "{printed}");
    for row in &rows[..2] {
        assert_eq!(cells(row)[5], "0.0 %", "nothing is shed: {printed}");
    }
}

#[test]
fn a_bad_argument_is_named_and_nothing_is_measured() {
    for (line, culprit) in [("--processors 100000", "100000"), ("--serve 100 --cores 100000", "[100000]")] {
        let output = overload(line);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && complaint.contains(culprit), "{complaint}");
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
