//! The system refuses calls, from outside, of programs as users build them: each refusal is an
//! error or a retry, nothing is lost, hangs or spins, and all is as before once the refusals end.
//!
//! strace refuses the calls. A representative set of plans runs always; with `WSRT_FAULTS=all` each
//! call fails with each error at each time, and with `WSRT_FAULTS=accept4` those of one call do.
//! `--nocapture` prints the rows from which the table in `docs/PROOF.md` was made.

#![cfg(target_os = "linux")]

mod plan;
mod probe;
mod program;
mod server;
mod strace;

use std::env;
use std::sync::Mutex;
use std::thread;

use self::plan::Plan;
use wsrt_tests::example;

/// Plans that run at a time. Most of a plan is waiting.
const AT_A_TIME: usize = 4;

/// The plans to run, of those that concern a program.
fn plans(concern: impl Fn(&Plan) -> bool) -> Vec<Plan> {
    let chosen = match env::var("WSRT_FAULTS").ok() {
        None => plan::representative(),
        Some(chosen) if chosen == "all" => plan::all(),
        Some(chosen) => plan::all().into_iter().filter(|plan| plan.to_string().contains(&chosen)).collect(),
    };
    chosen.into_iter().filter(concern).collect()
}

type Survived = Result<(usize, Vec<String>), String>;

/// Runs each plan, prints a row for each, and fails with those that were not survived.
fn run_all(program: &str, plans: Vec<Plan>, run: impl Fn(Plan) -> Survived + Sync) {
    let (plans, faults) = (Mutex::new(plans.into_iter()), Mutex::new(Vec::new()));
    let next = || plans.lock().expect("no run panics").next();
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(plan) = next() {
                    match run(plan) {
                        Ok((refused, errors)) => {
                            println!("{program} | {plan} | {refused} refused | {}", errors.join("; "));
                        }
                        Err(fault) => {
                            println!("{program} | {plan} | FAULT: {fault}");
                            faults.lock().expect("no run panics").push(format!("{program}, {plan}: {fault}"));
                        }
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().expect("no run panics");
    assert!(faults.is_empty(), "{} plans were not survived:\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn a_probe_of_everything_survives_refused_calls() {
    if strace::is_usable() {
        run_all("probe", plans(|_| true), probe::run);
    }
}

#[test]
fn a_probe_of_everything_survives_refused_waits() {
    match probe::run_futex_plans() {
        Ok(rows) => rows.iter().for_each(|row| println!("{row}")),
        Err(fault) => panic!("{fault}"),
    }
}

#[test]
fn a_server_survives_refused_calls() {
    // It makes the others before it serves, or not at all.
    let concerns = |plan: &Plan| ["clone3", "epoll_ctl", "accept4", "epoll_wait"].contains(&plan.call);
    if strace::is_usable() {
        let server = example("http_server");
        run_all("http_server", plans(concerns), |plan| server::run(&server, plan));
    }
}
