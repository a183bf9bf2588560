//! The program `wsrt-sim`, which runs a simulation test with many seeds: `wsrt-sim --seeds 10000 --
//! cargo test -p app name`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match wsrt_sim::cli::run(std::env::args_os().skip(1), &mut std::io::stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(wrong) => {
            eprintln!("wsrt-sim: {wrong}");
            ExitCode::from(2)
        }
    }
}
