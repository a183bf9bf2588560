//! The list of programs.

use crate::{
    background, behind, channels, computing, ending, hooks, locks, long_polls, panics, places, quiet, roots, scopes,
    sizes, sockets, spawning, teams, timers,
};

/// A program, and its name.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) main: fn(),
}

/// Names each program by its function.
macro_rules! programs {
    ($($room:ident: $($main:ident)*;)*) => {
        /// Every program.
        pub(crate) const PROGRAMS: &[Program] =
            &[$($(Program { name: stringify!($main), main: $room::$main }),*),*];
    };
}

programs! {
    spawning: spawn_and_join rendezvous tree_of_tasks spawns_from_outside aborts wakes_from_outside;
    background: background_rendezvous background_behind_a_blocked_poll background_spawns_from_outside classes_talk background_beside_loops background_loops background_at_the_end;
    channels: requests_and_replies blocking_ends locks_and_notices closed_channels watched_values broadcasts;
    locks: mutexes readers_and_writers permits_in_parts closed_while_waited_for notices_passed_on values_made_once barriers;
    timers: sleeps sleeps_on_one_thread time_limits sleeps_are_moved timers_outlive_their_thread sleeps_of_visitors timers_on_spares;
    roots: drivers_come_and_leave blocks_in_place blocks_unannounced block_on_in_tasks blocking_jobs machines_come_and_go machines_stay_for_ever hooks_that_wait threads_are_limited threads_are_refused refused_beside_an_idle_thread roots_woken_on_the_list;
    scopes: scopes_beside_each_other scopes_cancelled_by_a_panic scopes_around_the_end lent_to_tasks lent_and_dropped lent_around_the_end;
    sizes: shrinks_beside_tasks resizes_in_tasks shrinks_beside_timers shrinks_beside_blocked_polls ends_while_resized drains_while_resized resizes_without_room waits_end_while_resized names_that_resize;
    long_polls: timers_behind_long_polls ready_behind_a_stuck_poll;
    behind: runnext_behind_a_held_spare tasks_behind_a_busy_spare timers_behind_a_busy_spare timers_left_where_the_runtime_shrinks;
    quiet: nobody_wakes_at_rest;
    hooks: hooks_that_spawn hooks_of_tasks a_panic_ends_the_runtime;
    ending: drop_everywhere drop_beside_spawners drop_beside_a_nested_wait waits_unannounced_at_the_end ends_in_its_own_task dropped_in_a_nested_wait dropped_inside_another drains drains_at_once refused_at_the_end ends_within_a_time jobs_end_with_results;
    places: destructors_do_anything wakers_do_anything hooks_do_anything a_hook_waits_for_a_timer refused_beside_the_end ended_by_a_panic kept_in_a_thread_local;
    panics: panics_in_tasks panics_in_wakers drops_that_spawn;
    sockets: echo sockets_and_timers dropped_with_sockets dropped_beside_a_conversation;
    computing: loops_beside_tasks joins loops_at_the_end sockets_beside_loops;
    teams: installs teams_wait_for_each_other scopes_and_spawns team_broadcasts jobs_beside_sleepers guests calls_are_helped_later closures_beside_each_other;
}
