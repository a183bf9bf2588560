//! Runs the program under test once, in its own process.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::cli::Refusal;
use crate::reports::Report;

/// The variables with which a run is configured. They are removed from the program's own
/// environment.
const VARIABLES: [&str; 4] = ["WSRT_SIM_SEED", "WSRT_SIM_SEEDS", "WSRT_SIM_PLAN", "WSRT_SIM_REPORT"];

/// A folder for the files of runs, which is deleted when this value is dropped.
pub(crate) struct Folder {
    path: PathBuf,
    files: AtomicU64,
}

impl Folder {
    pub(crate) fn make() -> Result<Self, Refusal> {
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        // A folder of a process that had this number before may be there still.
        for _ in 0..1_000 {
            let number = FOLDERS.fetch_add(1, Relaxed);
            let path = env::temp_dir().join(format!("wsrt-sim-{}-{number}", process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path, files: AtomicU64::new(0) }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("cannot make the folder `{}`: {error}", path.display()).into()),
            }
        }
        Err(format!("cannot make a folder in `{}`: its names are taken", env::temp_dir().display()).into())
    }

    fn file(&self) -> PathBuf {
        self.path.join(self.files.fetch_add(1, Relaxed).to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The program under test.
pub(crate) struct Program<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) file: OsString,
    pub(crate) arguments: Vec<OsString>,
    /// The folder in which the program runs, which is the folder of its package.
    pub(crate) home: Option<PathBuf>,
    pub(crate) limit: Duration,
}

/// The seeds of a run.
#[derive(Debug, Clone)]
pub(crate) enum Seeds {
    /// Every simulation of the run uses this seed.
    One(u64),
    /// `wsrt::sim::seeds` runs this range of seeds.
    Range(u64, u64),
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) is_well: bool,
    /// True if the process exited by itself, with or without success.
    pub(crate) has_exited: bool,
    /// The process's exit status in words, for a run that failed without a report.
    pub(crate) status: String,
    pub(crate) report: Report,
}

impl Outcome {
    /// Returns the failure in one line: the reported one if the run reported a failure.
    pub(crate) fn why(&self, seed: u64) -> String {
        let told = self.report.failure_of(seed).map(|failure| failure.why.clone());
        told.unwrap_or_else(|| self.status.clone())
    }
}

impl Program<'_> {
    /// Runs the program. If `plan` is given, its faults are used instead of the faults that the
    /// seed determines.
    pub(crate) fn run(&self, seeds: &Seeds, plan: Option<&str>) -> Result<Outcome, Refusal> {
        let report = self.folder.file();
        let plan_file = plan.map(|_| self.folder.file());
        let mut command = Command::new(&self.file);
        VARIABLES.iter().for_each(|variable| _ = command.env_remove(variable));
        command.args(&self.arguments).env("WSRT_SIM_REPORT", &report).stdin(Stdio::null());
        match seeds {
            Seeds::One(seed) => command.env("WSRT_SIM_SEED", seed.to_string()),
            Seeds::Range(start, end) => command.env("WSRT_SIM_SEEDS", format!("{start}..{end}")),
        };
        if let (Some(file), Some(plan)) = (&plan_file, plan) {
            write(file, plan)?;
            let mut value = OsString::from("@");
            value.push(file);
            command.env("WSRT_SIM_PLAN", value);
        }
        if let Some(home) = &self.home {
            command.current_dir(home).env("CARGO_MANIFEST_DIR", home);
        }
        let output = self.folder.file();
        let told = File::create(&output).and_then(|file| Ok((file.try_clone()?, file)));
        let (out, err) = told.map_err(|error| cannot_write(&output, &error))?;
        let child = command.stdout(out).stderr(err).spawn();
        let child = child.map_err(|error| format!("cannot run `{}`: {error}", Path::new(&self.file).display()))?;
        let status = wait(child, self.limit).map_err(|error| format!("cannot wait for the test: {error}"))?;
        let text = fs::read(&report).unwrap_or_default();
        let outcome = Outcome {
            is_well: status.is_some_and(|status| status.success()),
            has_exited: status.is_some_and(|status| status.code().is_some()),
            status: match status {
                Some(status) => format!("it has ended with {status}"),
                None => format!("it was not done after {} s", self.limit.as_secs()),
            },
            report: Report::parse(&String::from_utf8_lossy(&text)),
        };
        [Some(report), plan_file, Some(output)].into_iter().flatten().for_each(|file| _ = fs::remove_file(file));
        Ok(outcome)
    }
}

fn write(file: &Path, text: &str) -> Result<(), Refusal> {
    fs::write(file, text).map_err(|error| cannot_write(file, &error).into())
}

fn cannot_write(file: &Path, error: &io::Error) -> String {
    format!("cannot write `{}`: {error}", file.display())
}

/// Waits until the process exits. Returns `None` if it takes too long and was killed. The limit is
/// measured by counting pauses, not by the clock, because this process may have been stopped
/// together with the child.
fn wait(mut child: Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let (mut waited, mut pause) = (Duration::ZERO, Duration::from_micros(200));
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if waited > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        waited += pause;
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}
