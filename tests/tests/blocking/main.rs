//! Calls that block: in tasks, in place, in groups, to any depth.

mod block_in_place_hands_over;
mod block_on_again;
mod block_on_nests;
mod blocking_calls_in_tasks;
mod blocking_calls_reach_roots;
mod blocking_groups;
