//! The scheduler: no wake is lost, nothing starves, work is shared.

mod background;
mod busy_networks_starve_nothing;
mod lost_wakes;
mod no_progress_unproven;
mod nobody_waits_for_a_searcher;
mod nothing_starves;
mod park_hooks;
mod resizes;
mod root_runs_on_a_processor;
mod stalls_under_stress;
mod timeline_waits;
mod timers_under_stress;
mod work_is_shared;
mod yields_see_the_network;
