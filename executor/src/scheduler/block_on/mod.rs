//! `block_on`: a future that is polled by the thread that waits for it.
//!
//! On a multi-thread runtime that thread only waits: the processors have their machines. On a
//! current-thread runtime it is the machine, and runs the tasks between polls of its future.

use std::future::Future;
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;

use crate::observe::console;
use crate::scheduler::block_on::cached::CachedRoot;
use crate::scheduler::block_on::external::wait_on_thread;
use crate::scheduler::block_on::root::{Ended, RootFuture, RootRef};
use crate::scheduler::context::{Placing, Role};
use crate::scheduler::hand_over::with_processor_handed_over;
use crate::scheduler::simulation::refuse_beside_simulation;
use crate::scheduler::worker::MachineLoop;
use crate::scheduler::{Context, RuntimeFlavor, Scheduler, shutdown};
use crate::task::Id;
use crate::util::stack::ask_for_room;
use crate::util::sync::thread;

pub(crate) mod root;

pub(in crate::scheduler) mod cached;
pub(in crate::scheduler) mod external;

/// Waits for `future`, polled on this thread, and drives the runtime during the wait if it has no
/// machines.
#[cfg_attr(feature = "console", track_caller)]
pub(crate) fn block_on<F: Future>(scheduler: &Arc<Scheduler>, future: F) -> F::Output {
    block_on_unwatched(scheduler, console::watch_block_on(future, || Id::next().as_u64()))
}

/// Waits as `block_on` does, without its own place in the console: for a future that only
/// waits for a task.
pub(crate) fn block_on_unwatched<F: Future>(scheduler: &Arc<Scheduler>, future: F) -> F::Output {
    assert!(
        !Context::names_a_thread_of(Arc::as_ptr(scheduler)),
        "wsrt: the function given to `thread_name_fn` waits for its own runtime, by `block_on` or the like: the thread that it \
         names may be the one that would end the wait"
    );
    let mut future = pin!(future);
    if let Some(simulation) = &scheduler.simulation {
        return with_processor_handed_over(|| simulation.block_on(scheduler, future.as_mut()));
    }
    refuse_beside_simulation();
    match scheduler.config.flavor {
        RuntimeFlavor::MultiThread => with_processor_handed_over(|| wait_for(scheduler, future)),
        RuntimeFlavor::CurrentThread if !scheduler.config.may_be_driven_by(|| thread::current().id()) => {
            with_processor_handed_over(|| wait_for(scheduler, future))
        }
        // Whatever the thread has entered since: there is one processor, and the poll below
        // has it.
        RuntimeFlavor::CurrentThread => match Context::of_machine_of(Arc::as_ptr(scheduler)) {
            Some(context) => drive_inside_a_poll(&context, future),
            None => with_processor_handed_over(|| drive(scheduler, future)),
        },
    }
}

/// Polls `future` on this thread, which does nothing else.
fn wait_for<F: Future>(scheduler: &Arc<Scheduler>, future: Pin<&mut F>) -> F::Output {
    let _tokio = scheduler.tokio.enter();
    let entered = Context::enter(scheduler, Role::External);
    let _ = entered.replace_async(true);
    wait_on_thread(future)
}

/// Polls `future` on this thread, which is a machine of the runtime until the future is done,
/// or the runtime shuts down: then it only waits.
fn drive<F: Future>(scheduler: &Arc<Scheduler>, mut future: Pin<&mut F>) -> F::Output {
    let ended = drive_to_the_end(scheduler, future.as_mut());
    output_of(scheduler, ended, future)
}

/// The thread has departed when it returns: a shutdown waits for those that run tasks, and for no
/// root future.
fn drive_to_the_end<F: Future>(scheduler: &Arc<Scheduler>, future: Pin<&mut F>) -> Ended<F::Output> {
    let Some(_present) = Present::arrive(scheduler) else { return Ended::Early };
    let _tokio = scheduler.tokio.enter();
    let mut processor = scheduler.idle.acquire();
    let post = CachedRoot::take(scheduler, processor.as_deref_mut());
    let entered = Context::enter(scheduler, Role::Machine(Arc::clone(post.machine())));
    if let Some(processor) = processor {
        entered.take_up(processor);
    }
    let mut machine_loop = MachineLoop::new(&entered);
    let root = RootFuture::new(future, post, &entered);
    RootRef::enter(&entered, &root, || machine_loop.run(&root));
    let (ended, post) = root.end();
    entered.with_processor(|processor| processor.map(|processor| post.leave_with(processor)));
    machine_loop.leave();
    ended
}

/// Drives `future` on a thread that is a machine of this runtime already, in `context`, with a task
/// or a root future in the middle of its poll. The state of that poll is set aside during the wait:
/// the contexts that it has entered above that one, its budget, and its task-local values.
fn drive_inside_a_poll<F: Future>(context: &Rc<Context>, mut future: Pin<&mut F>) -> F::Output {
    // The machine loop is in the middle of its rounds, and holds the processor itself.
    assert!(
        context.placing() != Placing::InBatch,
        "wsrt: `block_on` was called inside a waker that this current-thread runtime wakes, on the thread that runs its \
         tasks: spawn a task instead, or wake one"
    );
    // Likewise, and the machine stands on the list of the idle.
    assert!(
        !context.machine().is_some_and(|machine| machine.is_in_hook()),
        "wsrt: `block_on` of a current-thread runtime was called inside its own `on_thread_park` or `on_thread_unpark`: \
         spawn a task instead, or wake one"
    );
    ask_for_room();
    let aside = context.set_others_aside();
    let was_async = context.replace_async(true);
    let mut machine_loop = MachineLoop::new(context);
    let root = RootFuture::nested(future.as_mut(), context);
    context.with_root(false, || {
        RootRef::enter(context, &root, || {
            machine_loop.run(&root);
            root.wait_without_loop(context);
        });
    });
    machine_loop.leave_to_task();
    let (ended, _) = root.end();
    let _ = context.replace_async(was_async);
    if let Some(aside) = aside {
        Context::put_back(&aside);
    }
    output_of(context.scheduler(), ended, future)
}

/// The output of a root future; without the loop, if the runtime was shut down before that was
/// done. Then the thread is an external one: no shutdown drops the future that it waits in.
fn output_of<F: Future>(scheduler: &Arc<Scheduler>, ended: Ended<F::Output>, future: Pin<&mut F>) -> F::Output {
    match ended {
        Ended::Done(Ok(output)) => output,
        Ended::Done(Err(panic)) => resume_unwind(panic),
        Ended::Stuck(report) => panic!("{report}"),
        Ended::Early => wait_for(scheduler, future),
    }
}

/// The thread is present in the runtime, and is waited for when that shuts down.
struct Present<'a>(&'a Scheduler);

impl<'a> Present<'a> {
    /// `None` if the runtime has shut down.
    fn arrive(scheduler: &'a Scheduler) -> Option<Self> {
        // Not `then_some`: a guard that is made has to depart.
        scheduler.shutdown.arrive().then(|| Self(scheduler))
    }
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        shutdown::depart(self.0);
    }
}
