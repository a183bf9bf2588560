//! Tasks: how they are spawned, joined, ordered, grouped and dropped.

mod blocking_calls_reach_local_sets;
mod cooperation;
mod current_thread;
mod handles_end_their_tasks;
mod inherited;
mod join_handles;
mod join_maps;
mod join_sets;
mod lent_resources;
mod local_runtimes;
mod local_set;
mod panics_stay_inside;
mod scopes;
mod shields;
mod spawn_trait;
mod task_groups;
mod task_hooks;
mod task_local;
mod tasks_run_in_order;
mod test_clock;
mod tokio_util_tasks;
