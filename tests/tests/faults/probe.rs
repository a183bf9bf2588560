//! The probe under a plan: each command is answered by `ok` or by an error, and by `ok` once the
//! plan has ended.

use std::process::Command;

use crate::plan::Plan;
use crate::program::Program;
use crate::strace::Injection;

/// In an order that leaves no file, socket or thread behind for the next one.
const COMMANDS: [&str; 9] =
    ["tasks", "timers", "blocking", "parallel", "build", "connect", "files", "process", "signal"];

/// Returns the number of refused calls, and the errors that the probe has returned meanwhile.
pub(crate) fn run(plan: Plan) -> Result<(usize, Vec<String>), String> {
    let (mut probe, first) = Program::start(Command::new(env!("CARGO_BIN_EXE_fault_probe")))?;
    if first != "ready" {
        return Err(first);
    }
    let outcome = survive(&mut probe, plan);
    match outcome {
        Err(fault) if plan.ends_in_the_standard_library() => {
            let complaints = probe.complaints();
            if complaints.contains("failed to allocate an alternative stack") {
                return Ok((1, vec!["the standard library ends the process".to_owned()]));
            }
            Err(format!("{fault}\n{complaints}"))
        }
        Err(fault) => Err(format!("{fault}\n{}", probe.complaints())),
        Ok((refused, errors)) => {
            let (status, complaints) = probe.end(None)?;
            check(status.success() && !complaints.contains("panicked"), || format!("{status}\n{complaints}"))?;
            let is_named = !errors.iter().any(|error| error.starts_with("build")) || complaints.contains("could not");
            check(is_named, || format!("no line says what a runtime was refused\n{complaints}"))?;
            Ok((refused, errors))
        }
    }
}

fn survive(probe: &mut Program, plan: Plan) -> Result<(usize, Vec<String>), String> {
    expect_ok(probe)?;
    let before = probe.ask("descriptors")?;
    let injection = Injection::begin(probe.id(), plan)?;
    let mut errors = Vec::new();
    for command in COMMANDS.repeat(plan.when.rounds()) {
        let answer = probe.ask(command)?;
        let is_error = answer.starts_with("error: ");
        check(answer == "ok" || is_error, || format!("under the plan, {command}: {answer}"))?;
        let error = format!("{command}: {}", answer.trim_start_matches("error: "));
        if is_error && !errors.contains(&error) {
            errors.push(error);
        }
    }
    if !plan.asks_for_repetition() {
        probe.check_idle().map_err(|fault| format!("under the plan: {fault}"))?;
    }
    let refused = injection.end();
    // strace counts by thread, and no thread of several need have made a third call.
    check(refused > 0 || plan.when.rounds() > 1, || "no call was refused".to_owned())?;
    expect_ok(probe)?;
    probe.check_idle()?;
    let after = probe.ask("descriptors")?;
    check(before == after, || format!("{before} before, {after} after"))?;
    Ok((refused, errors))
}

/// Errors of a wait on a futex, with their numbers, and which waits they meet: the first, the last,
/// and one of how many.
const FUTEX_PLANS: [(&str, i32, [u64; 3]); 6] = [
    ("EAGAIN at the first", libc::EAGAIN, [1, 1, 1]),
    ("EAGAIN at the third", libc::EAGAIN, [3, 3, 1]),
    ("EAGAIN at each tenth", libc::EAGAIN, [10, u64::MAX, 10]),
    ("EINTR at the first", libc::EINTR, [1, 1, 1]),
    ("EINTR at each tenth", libc::EINTR, [10, u64::MAX, 10]),
    ("EINTR at the first thousand", libc::EINTR, [1, 1000, 1]),
];

/// Runs the probe under each plan for futexes, and returns a row for each.
pub(crate) fn run_futex_plans() -> Result<Vec<String>, String> {
    let (mut probe, first) = Program::start(Command::new(env!("CARGO_BIN_EXE_fault_probe")))?;
    check(first == "ready", || first.clone())?;
    let mut rows = Vec::new();
    for (name, error, [first, last, period]) in FUTEX_PLANS {
        probe.ask(&format!("futex {error} {first} {last} {period}"))?;
        for command in COMMANDS {
            let answer = probe.ask(command)?;
            check(answer == "ok", || format!("futex, {name}, {command}: {answer}"))?;
        }
        probe.check_idle().map_err(|fault| format!("futex, {name}: {fault}"))?;
        let refused = probe.ask("futex 0 0 0 1")?;
        check(refused != "0", || format!("futex, {name}: no wait was refused"))?;
        expect_ok(&mut probe)?;
        rows.push(format!("probe | futex: {name} | {refused} refused |"));
    }
    let (status, complaints) = probe.end(None)?;
    check(status.success() && !complaints.contains("panicked"), || format!("{status}\n{complaints}"))?;
    Ok(rows)
}

fn expect_ok(probe: &mut Program) -> Result<(), String> {
    for command in COMMANDS {
        let answer = probe.ask(command)?;
        check(answer == "ok", || format!("without a plan, {command}: {answer}"))?;
    }
    Ok(())
}

fn check(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}
