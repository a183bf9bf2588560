//! The command line: what the user types, and what the program says to itself when it starts a server.

use std::path::PathBuf;
use std::time::Duration;

use super::Version;
use super::server::Request;
use crate::Failure;
use crate::cli::Arguments;

const DEFAULT_PROCESSORS: usize = 2;
const DEFAULT_REPEATS: u32 = 7;
const DEFAULT_SECONDS: u32 = 3;
const DEFAULT_CONNECTIONS: usize = 64;
const DEFAULT_STREAMS: usize = 10;

/// What the program was asked to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Compare(Options),
    Serve(Request),
    Help,
}

/// What to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) versions: Vec<Version>,
    /// Of each server.
    pub(super) processors: usize,
    pub(super) repeats: u32,
    /// Of each measured run.
    pub(super) seconds: u32,
    pub(super) connections: usize,
    /// Requests outstanding on each connection; HTTP/2 only.
    pub(super) streams: usize,
    /// How long each measurement may wait until nobody else computes.
    pub(super) quiet: Duration,
    /// Where the files go; beside the build's own output where `None`.
    pub(super) directory: Option<PathBuf>,
}

/// Reads the command line, without the program's name.
///
/// # Errors
///
/// Returns an error that names the argument that is unknown, incomplete or out of range.
pub(super) fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, Failure> {
    let mut arguments = Arguments::new(arguments.collect());
    if arguments.flag("--help") || arguments.flag("-h") {
        return Ok(Command::Help);
    }
    let command = match arguments.value("--serve")? {
        Some(runtime) => Command::Serve(request(runtime, &mut arguments)?),
        None => Command::Compare(options(&mut arguments)?),
    };
    arguments.finish()?;
    Ok(command)
}

fn options(arguments: &mut Arguments) -> Result<Options, Failure> {
    let versions = match arguments.list("--only")? {
        Some(names) => names.iter().map(|name| Version::find(name)).collect::<Result<_, _>>()?,
        None => Version::ALL.to_vec(),
    };
    Ok(Options {
        versions,
        processors: arguments.positive("--processors")?.unwrap_or(DEFAULT_PROCESSORS),
        repeats: arguments.positive("--repeats")?.unwrap_or(DEFAULT_REPEATS),
        seconds: arguments.positive("--seconds")?.unwrap_or(DEFAULT_SECONDS),
        connections: arguments.positive("--connections")?.unwrap_or(DEFAULT_CONNECTIONS),
        streams: arguments.positive("--streams")?.unwrap_or(DEFAULT_STREAMS),
        quiet: Duration::from_secs(arguments.number("--quiet")?.unwrap_or(0)),
        directory: arguments.value("--output")?.map(Into::into),
    })
}

fn request(runtime: String, arguments: &mut Arguments) -> Result<Request, Failure> {
    let cores = arguments.numbers("--cores")?.ok_or("--serve RUNTIME needs --cores")?;
    let version = arguments.free().ok_or("--serve RUNTIME needs http1 or http2 after it")?;
    Ok(Request { runtime, version: Version::find(&version)?, cores })
}

/// Writes the command line of a server for `request`.
pub(super) fn serve_arguments(request: &Request) -> Vec<String> {
    let cores: Vec<_> = request.cores.iter().map(usize::to_string).collect();
    let words = ["--serve", &request.runtime, request.version.name(), "--cores", &cores.join(",")];
    words.map(str::to_owned).to_vec()
}

/// Answers the text that `--help` prints.
pub(super) fn help() -> String {
    format!(
        "\
Compares hyper on wsrt with hyper on tokio: the same short answer to every request, under wrk and h2load.

  cargo run --release -p wsrt-benches --bin http -- [OPTIONS]

  --only NAME,…        http1 or http2, not both
  --processors N       worker threads of each server, each on a core of its own; the generators get the others
                       ({DEFAULT_PROCESSORS})
  --repeats N          measurements of each version on each runtime ({DEFAULT_REPEATS})
  --seconds N          length of a measured run ({DEFAULT_SECONDS}); one of a second goes before it
  --connections N      ({DEFAULT_CONNECTIONS})
  --streams N          requests outstanding on each connection of HTTP/2 ({DEFAULT_STREAMS})
  --quiet S            seconds that each measurement may wait until nobody else computes (0)
  --output DIR         where the table and the samples go (target/http)

One server in this process, for perf and strace; it ends with its input:

  http --serve wsrt|tokio http1|http2 --cores 0,1
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = String> {
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn without_a_choice_both_versions_are_compared() {
        let Command::Compare(options) = parse(words("--processors 1 --seconds 2")).unwrap() else {
            panic!("a comparison was asked for")
        };
        assert_eq!(options.versions, Version::ALL);
        assert_eq!((options.processors, options.seconds, options.repeats), (1, 2, DEFAULT_REPEATS));
    }

    #[test]
    fn a_bad_argument_is_named() {
        for (line, culprit) in [
            ("--only http3", "http3"),
            ("--processors 0", "--processors"),
            ("--seconds soon", "--seconds"),
            ("--repeats", "--repeats"),
            ("--serve wsrt http1", "--cores"),
            ("--serve wsrt --cores 0", "http1 or http2"),
            ("--serve wsrt gopher --cores 0", "gopher"),
            ("--fast", "--fast"),
        ] {
            let refusal = parse(words(line)).unwrap_err().to_string();
            assert!(refusal.contains(culprit), "{line:?} is refused with {refusal:?}");
        }
    }

    #[test]
    fn a_server_understands_what_the_parent_writes() {
        for version in Version::ALL {
            let request = Request { runtime: "tokio".to_owned(), version, cores: vec![0, 3] };
            let parsed = parse(serve_arguments(&request).into_iter()).unwrap();
            assert_eq!(parsed, Command::Serve(request));
        }
    }
}
