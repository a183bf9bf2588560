//! Finds the program under test. `cargo test …` is built once, and the resulting test program is
//! run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cli::{Refusal, Wishes};
use crate::process::{Folder, Program, Seeds};
use crate::shell;

/// The options of `cargo test` that take a value in the next word.
const WITH_VALUE: [&str; 19] = [
    "-p",
    "--package",
    "--exclude",
    "--test",
    "--bin",
    "--example",
    "--bench",
    "-F",
    "--features",
    "--target",
    "--target-dir",
    "--manifest-path",
    "--color",
    "--config",
    "-Z",
    "-j",
    "--jobs",
    "--profile",
    "-C",
];

/// Returns the program that the command line names. If `cargo test` builds several test programs,
/// returns the one that runs a simulation.
pub(crate) fn program<'a>(wishes: &Wishes, folder: &'a Folder) -> Result<Program<'a>, Refusal> {
    let of =
        |file: OsString, arguments: Vec<OsString>, home| Program { folder, file, arguments, home, limit: wishes.limit };
    let Some(test) = CargoTest::parse(&wishes.words) else {
        let program = of(wishes.words[0].clone(), wishes.words[1..].to_vec(), None);
        return match has_simulation(&program, wishes)? {
            true => Ok(program),
            false => Err(nothing_run(wishes)),
        };
    };
    let built = test.build(&wishes.words[0])?;
    let programs = built.into_iter().map(|(file, home)| of(file.into(), test.arguments.clone(), home));
    let mut found = Vec::new();
    for program in programs {
        if has_simulation(&program, wishes)? {
            found.push(program);
        }
    }
    if found.len() > 1 {
        let names: Vec<String> = found.iter().map(|program| shell::quoted(&program.file)).collect();
        return Err(format!(
            "several test programs run a simulation: name one, by --test or --lib: {}",
            names.join(", ")
        )
        .into());
    }
    found.pop().ok_or_else(|| nothing_run(wishes))
}

/// Returns whether the program runs a simulation when it is started with the first of the seeds.
fn has_simulation(program: &Program<'_>, wishes: &Wishes) -> Result<bool, Refusal> {
    Ok(program.run(&Seeds::One(wishes.seeds.start), None)?.report.simulations > 0)
}

fn nothing_run(wishes: &Wishes) -> Refusal {
    let words: Vec<String> = wishes.words.iter().map(|word| shell::quoted(word)).collect();
    let words = words.join(" ");
    Refusal(format!(
        "`{words}` has run no simulation: is the test named as it is, and wsrt built with its feature `sim`?"
    ))
}

/// A command line of `cargo test`.
#[derive(Debug, PartialEq, Eq)]
struct CargoTest {
    /// The arguments for cargo.
    options: Vec<OsString>,
    /// The arguments for the test program: the name of the test, and everything after `--`.
    arguments: Vec<OsString>,
}

impl CargoTest {
    fn parse(words: &[OsString]) -> Option<Self> {
        let name = Path::new(words.first()?).file_stem()?.to_str()?;
        let at = words.iter().position(|word| word == "test" || word == "t")?;
        let is_early = words[1..at].iter().all(|word| word.to_string_lossy().starts_with('+'));
        if name != "cargo" || !is_early {
            return None;
        }
        let (mut options, mut arguments) = (words[1..=at].to_vec(), Vec::new());
        let mut rest = words[at + 1..].iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            match text.starts_with('-') {
                true if text == "--" => break,
                true => options.push(word.clone()),
                false => arguments.push(word.clone()),
            }
            if WITH_VALUE.contains(&&*text) {
                options.extend(rest.next().cloned());
            }
        }
        arguments.extend(rest.cloned());
        Some(Self { options, arguments })
    }

    /// Builds the tests. Returns the test programs, each with the folder of its package.
    fn build(&self, cargo: &OsString) -> Result<Vec<(PathBuf, Option<PathBuf>)>, Refusal> {
        let mut command = Command::new(cargo);
        command.args(&self.options).args(["--no-run", "--message-format", "json-render-diagnostics"]);
        let output = command.stderr(Stdio::inherit()).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("cannot run `{}`: {error}", Path::new(cargo).display()))?;
        if !output.status.success() {
            return Err(format!("cargo has not built the test: {}", output.status).into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(executable).collect())
    }
}

/// Returns the test program that a message from cargo announces, with the folder of the program's
/// package.
fn executable(message: &str) -> Option<(PathBuf, Option<PathBuf>)> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let file = message["executable"].as_str().filter(|_| is_test)?;
    let manifest = message["manifest_path"].as_str().map(Path::new);
    Some((file.into(), manifest.and_then(|manifest| Some(manifest.parent()?.to_owned()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(String, String)> {
        let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
        let joined = |words: Vec<OsString>| words.join(" ".as_ref()).into_string().expect("it was a text");
        CargoTest::parse(&words).map(|test| (joined(test.options), joined(test.arguments)))
    }

    #[test]
    fn the_name_of_the_test_goes_to_its_program() {
        let expected = |options: &str, arguments: &str| Some((options.to_owned(), arguments.to_owned()));
        assert_eq!(parsed("cargo test -p x name"), expected("test -p x", "name"));
        assert_eq!(
            parsed("/bin/cargo +1.85 test --release --test=a name -F sim -- --exact --nocapture"),
            expected("+1.85 test --release --test=a -F sim", "name --exact --nocapture")
        );
        assert_eq!(parsed("target/debug/x test"), None);
        assert_eq!(parsed("cargo run test"), None);
        assert_eq!(parsed("cargo"), None);
    }

    #[test]
    fn only_test_programs_are_run() {
        let message = r#"{"reason":"compiler-artifact","manifest_path":"/a b/Cargo.toml","profile":{"test":true},"executable":"/t/x"}"#;
        assert_eq!(executable(message), Some(("/t/x".into(), Some("/a b".into()))));
        assert_eq!(executable(&message.replace("true", "false")), None);
        assert_eq!(executable(&message.replace("\"/t/x\"", "null")), None);
        assert_eq!(executable("no message"), None);
    }
}
