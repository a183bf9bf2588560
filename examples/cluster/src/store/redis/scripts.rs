//! The steps as Redis runs them: one Lua script each, `lua/` has them. A script is sent once and
//! called by its hash after.

use redis::Script;

use crate::store::{Limits, STARTING_JOBS};

/// All scripts.
#[derive(Debug)]
pub(super) struct Scripts {
    pub(super) init: Script,
    pub(super) assume_starting_state: Script,
    pub(super) join: Script,
    pub(super) submit: Script,
    pub(super) take: Script,
    pub(super) steal: Script,
    pub(super) next_job: Script,
    pub(super) renew: Script,
    pub(super) complete: Script,
    pub(super) expire: Script,
    pub(super) workers: Script,
    pub(super) find: Script,
    pub(super) census: Script,
    pub(super) clear: Script,
}

impl Scripts {
    pub(super) fn new(limits: Limits) -> Self {
        let Limits { assumed_workers, jobs, results } = limits;
        let most = format!("MOST_ASSUMED, MOST_JOBS, MOST_RESULTS = {assumed_workers}, {jobs}, {results}");
        let script = |body: &str| {
            let prelude = include_str!("lua/prelude.lua");
            Script::new(&format!("{prelude}local STARTING_JOBS = {STARTING_JOBS}\nlocal {most}\n\n{body}"))
        };
        Self {
            init: script(include_str!("lua/init.lua")),
            assume_starting_state: script(include_str!("lua/assume_starting_state.lua")),
            join: script(include_str!("lua/join.lua")),
            submit: script(include_str!("lua/submit.lua")),
            take: script(include_str!("lua/take.lua")),
            steal: script(include_str!("lua/steal.lua")),
            next_job: script(include_str!("lua/next_job.lua")),
            renew: script(include_str!("lua/renew.lua")),
            complete: script(include_str!("lua/complete.lua")),
            expire: script(include_str!("lua/expire.lua")),
            workers: script(include_str!("lua/workers.lua")),
            find: script(include_str!("lua/find.lua")),
            census: script(include_str!("lua/census.lua")),
            clear: script(include_str!("lua/clear.lua")),
        }
    }
}
