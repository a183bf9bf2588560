//! The user's hooks on tasks: when a task is spawned, before and after each poll, when a task ends,
//! and when a task panics.
//!
//! The hooks on spawns, polls and ends lie behind the doors of observation, with a switch of their
//! own, so a runtime without hooks pays nothing for them. Panics take a separate cold path.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::latency::WokenAt;
use super::observer::{Observer, Switch};
use crate::task::{Identity, KeptMeta, NewTask, Runnable, TaskMeta, TaskRef, panic_message};
use crate::util::unwind::call_hook;

/// A hook that is called with an existing task.
pub(crate) type MetaHook = Arc<dyn Fn(&TaskMeta<'_>) + Send + Sync>;
/// A hook that is called with a task that is about to be created.
pub(crate) type SpawnHook = Arc<dyn Fn(&mut NewTask<'_>) + Send + Sync>;
/// A hook that is called when a task has panicked.
pub(crate) type PanicHook = Arc<dyn Fn(&TaskPanic<'_>) -> PanicAction + Send + Sync>;

/// The hooks that were passed to the runtime builder.
#[derive(Clone, Default)]
pub(crate) struct TaskHooks {
    pub(crate) on_spawn: Option<SpawnHook>,
    pub(crate) before_poll: Option<MetaHook>,
    pub(crate) after_poll: Option<MetaHook>,
    pub(crate) on_terminate: Option<MetaHook>,
    pub(crate) on_panic: Option<PanicHook>,
}

impl TaskHooks {
    fn any_behind_the_doors(&self) -> bool {
        self.on_spawn.is_some()
            || self.before_poll.is_some()
            || self.after_poll.is_some()
            || self.on_terminate.is_some()
    }
}

impl fmt::Debug for TaskHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskHooks").finish_non_exhaustive()
    }
}

/// The runtime's reaction to a task's panic, returned by the hook that is set with
/// [`Builder::on_task_panic`](crate::runtime::Builder::on_task_panic).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum PanicAction {
    /// The runtime continues, as without a hook. The task's join handle returns the panic.
    #[default]
    GoOn,
    /// The runtime shuts down in the background, like
    /// [`Runtime::shutdown_background`](crate::runtime::Runtime::shutdown_background).
    ShutDown,
    /// The process aborts immediately.
    Abort,
}

/// The panic of a task, passed to the hook that is set with
/// [`Builder::on_task_panic`](crate::runtime::Builder::on_task_panic).
pub struct TaskPanic<'a> {
    task: TaskMeta<'a>,
    payload: &'a (dyn Any + Send),
}

impl<'a> TaskPanic<'a> {
    /// Returns the metadata of the task that panicked.
    #[must_use]
    pub fn task(&self) -> &TaskMeta<'a> {
        &self.task
    }

    /// Returns the panic message, or `None` if the payload is not a string.
    #[must_use]
    pub fn message(&self) -> Option<&'a str> {
        panic_message(self.payload)
    }

    /// Returns the panic payload, which `Any::downcast_ref` converts back into a concrete type.
    #[must_use]
    pub fn payload(&self) -> &'a (dyn Any + Send) {
        self.payload
    }
}

impl fmt::Debug for TaskPanic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskPanic").field("task", &self.task).field("message", &self.message()).finish_non_exhaustive()
    }
}

/// Formats the panic as `task 7 (spawned at src/main.rs:10:5) panicked: boom`.
impl fmt::Display for TaskPanic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {}", self.task.id())?;
        if let Some(name) = self.task.name() {
            write!(f, " \"{name}\"")?;
        }
        write!(f, " (spawned at {}) panicked", self.task.spawned_at())?;
        match self.message() {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

/// The hooks of one runtime, and the panic that has ended it, if one has.
#[derive(Debug, Default)]
pub(crate) struct Hooked {
    hooks: TaskHooks,
    fatal: OnceLock<String>,
}

impl Hooked {
    pub(super) fn new(hooks: TaskHooks) -> Self {
        Self { hooks, fatal: OnceLock::new() }
    }

    /// Returns the message of the panic that shut the runtime down, if a panic did.
    pub(crate) fn fatal_panic(&self) -> Option<&str> {
        self.fatal.get().map(String::as_str)
    }
}

impl Observer {
    /// Turns the hooks' switch on, if any hook is set.
    pub(super) fn hook_on(&self) {
        if self.hooked.hooks.any_behind_the_doors() {
            self.switches.turn_on(Switch::Hooks);
        }
    }

    /// Calls the spawn hook with a task that is about to be created.
    pub(super) fn call_spawn_hook(&self, identity: &mut Identity) {
        if let Some(hook) = &self.hooked.hooks.on_spawn {
            call_hook("on_task_spawn", || hook(&mut NewTask::new(identity)));
        }
    }

    /// Calls the hook before a poll of `task`, and returns a guard that calls the hook after the
    /// poll when dropped.
    pub(super) fn call_poll_hooks(&self, task: &Runnable, readied: Option<WokenAt>) -> Option<HookedPoll<'_>> {
        let hooks = &self.hooked.hooks;
        if hooks.before_poll.is_none() && hooks.after_poll.is_none() {
            return None;
        }
        let task = task.keep_meta();
        if let Some(hook) = &hooks.before_poll {
            let waited = readied.map(|readied| self.latency.wait_since(readied));
            call_hook("on_before_task_poll", || hook(&task.meta().after_wait(waited)));
        }
        Some(HookedPoll { task, after: hooks.after_poll.as_ref() })
    }

    /// Calls the terminate hook with a task whose future has been dropped.
    pub(super) fn call_terminate_hook(&self, task: &TaskRef) {
        if let Some(hook) = &self.hooked.hooks.on_terminate {
            call_hook("on_task_terminate", || hook(&task.meta()));
        }
    }

    /// Calls the panic hook for a task's panic. Returns whether the runtime has to shut down.
    #[must_use]
    pub(crate) fn asks_to_shut_down(&self, task: &TaskRef, payload: &(dyn Any + Send)) -> bool {
        let Some(hook) = &self.hooked.hooks.on_panic else { return false };
        let panic = TaskPanic { task: task.meta(), payload };
        let mut action = PanicAction::GoOn;
        call_hook("on_task_panic", || action = hook(&panic));
        match action {
            PanicAction::GoOn => false,
            PanicAction::ShutDown => {
                _ = self.hooked.fatal.set(panic.to_string());
                true
            }
            PanicAction::Abort => std::process::abort(),
        }
    }
}

/// A poll whose end a hook is told.
pub(super) struct HookedPoll<'a> {
    task: KeptMeta,
    after: Option<&'a MetaHook>,
}

impl Drop for HookedPoll<'_> {
    fn drop(&mut self) {
        if let Some(hook) = self.after {
            call_hook("on_after_task_poll", || hook(&self.task.meta()));
        }
    }
}
