//! The rivals in C++: OpenMP and oneTBB, built here where there are a compiler and its libraries,
//! and left out, with the reason in the table, where there are not.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::rhythm::Rhythm;
use crate::Failure;
use crate::harness::{Series, output_of};

pub(super) const STATIC: &str = "openmp_static";
pub(super) const DYNAMIC: &str = "openmp_dynamic_1";
pub(super) const GUIDED: &str = "openmp_guided";
pub(super) const ONETBB: &str = "onetbb";

/// A source of `cpp/` and its subjects.
struct Program {
    name: &'static str,
    subjects: &'static [&'static str],
    options: &'static [&'static str],
    /// The package with its library, on Debian and its kin.
    package: &'static str,
}

const PROGRAMS: [Program; 2] = [
    Program { name: "openmp", subjects: &[STATIC, DYNAMIC, GUIDED], options: &["-fopenmp"], package: "libgomp1" },
    Program { name: "onetbb", subjects: &[ONETBB], options: &["-ltbb"], package: "libtbb-dev" },
];

/// The outcome of building them.
#[derive(Debug, Default)]
pub(super) struct Built {
    /// For the reader: versions, and why a rival is missing.
    pub(super) facts: Vec<String>,
    /// The subjects that cannot be measured.
    pub(super) missing: Vec<&'static str>,
}

/// Builds the rivals into `directory`.
///
/// # Errors
///
/// Returns an error if there can be no such directory; a rival that does not build is no error.
pub(super) fn build_all(directory: &Path) -> Result<Built, Failure> {
    fs::create_dir_all(directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
    let compiler = env::var_os("CXX").unwrap_or_else(|| "g++".into());
    let mut built = Built::default();
    if let Ok(version) = output_of(Command::new(&compiler).arg("--version")) {
        built.facts.push(format!("C++ compiler: {}, -O3", version.lines().next().unwrap_or_default()));
    }
    for program in &PROGRAMS {
        match build(&compiler, program, directory) {
            Ok(version) => built.facts.push(format!("{}: {version}", program.name)),
            Err(why) => {
                let why = why.to_string();
                let (name, why, package) = (program.name, why.lines().next().unwrap_or_default(), program.package);
                built.facts.push(format!("{name}: not measured, {why} (it takes g++ and {package})"));
                built.missing.extend(program.subjects);
            }
        }
    }
    Ok(built)
}

/// Builds one and answers its version.
fn build(compiler: &OsString, program: &Program, directory: &Path) -> Result<String, Failure> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp").join(program.name).with_extension("cpp");
    let output = directory.join(program.name);
    let mut command = Command::new(compiler);
    command.args(["-std=c++17", "-O3", "-Wall", "-Wextra", "-pthread", "-o"]).arg(&output).arg(source);
    output_of(command.args(program.options))?;
    Ok(output_of(Command::new(output).arg("--version"))?.trim().to_owned())
}

/// Becomes the rival `subject`, which measures the loop and prints its series itself. Returns only
/// if that fails.
///
/// # Errors
///
/// Returns an error if there is no such subject, or no such program in `directory`.
pub(super) fn become_rival(
    subject: &str,
    directory: &Path,
    processors: usize,
    costs: &[u32],
    rhythm: Rhythm,
) -> Result<Series, Failure> {
    let program = PROGRAMS.iter().find(|program| program.subjects.contains(&subject));
    let program = directory.join(program.ok_or_else(|| format!("no pool {subject:?} for loops"))?.name);
    let Rhythm { turns, warm_up, runs, rest, settling } = rhythm;
    let millis = |time: Duration| time.as_millis() as usize;
    let numbers = [processors, turns, warm_up, runs, millis(rest), millis(settling)];
    let costs: Vec<_> = costs.iter().map(u32::to_string).collect();
    let error =
        Command::new(&program).arg(subject).args(numbers.map(|number| number.to_string())).arg(costs.join(",")).exec();
    Err(format!("cannot start {}: {error}", program.display()).into())
}
