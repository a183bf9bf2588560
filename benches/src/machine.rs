//! The machine and the versions behind the figures: a table without them says nothing.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// Describes the machine, the compiler and the versions of `crates`, one fact a line. An unknown
/// fact is left out.
pub(crate) fn describe(crates: &[&str]) -> Vec<String> {
    let cores = thread::available_parallelism().map(|cores| format!("cores available: {cores}"));
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease");
    let facts = [
        processor_model().map(|model| format!("processor: {model}")),
        cores.ok(),
        kernel.ok().map(|release| format!("kernel: {}", release.trim())),
        compiler_version().map(|version| format!("compiler: {version}")),
        Some(format!("build: {}", build())),
        versions(crates).map(|versions| format!("versions: {versions}")),
    ];
    facts.into_iter().flatten().collect()
}

fn build() -> &'static str {
    if cfg!(debug_assertions) { "without optimisation; the figures mean nothing" } else { "optimised" }
}

fn processor_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, model)| model.trim().to_owned())
}

/// The compiler that is found now; normally it is the one that built this.
pub(crate) fn compiler_version() -> Option<String> {
    let output = Command::new("rustc").arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}

fn versions(crates: &[&str]) -> Option<String> {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    let lock = fs::read_to_string(lock).ok()?;
    let known: Vec<_> = crates
        .iter()
        .filter_map(|name| locked_version(&lock, name).map(|version| format!("{name} {version}")))
        .collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// Finds the version of the package `name` in the text of a Cargo.lock.
fn locked_version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let header = format!("name = \"{name}\"");
    let mut lines = lock.lines().skip_while(|line| **line != *header);
    let version = lines.nth(1)?;
    version.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "\
[[package]]
name = \"tokio-test\"
version = \"0.4.6\"

[[package]]
name = \"tokio\"
version = \"1.54.1\"
source = \"registry\"
";

    #[test]
    fn a_locked_version_is_found_by_the_whole_name() {
        assert_eq!(locked_version(LOCK, "tokio"), Some("1.54.1"));
        assert_eq!(locked_version(LOCK, "tok"), None);
    }

    #[test]
    fn the_description_says_whether_the_build_was_optimised() {
        assert!(describe(&[]).iter().any(|fact| fact.starts_with("build: ")));
    }
}
