//! `scope`: its last job, which may end as the frame finishes.

use std::panic::resume_unwind;

use super::{Piece, explore};
use crate::fork_join::{AfterPanic, Region, ScopeBase, TreeRegion, TreeSlot, Unattended};
use crate::util::sync::{Arc, thread};
use crate::util::unwind::Payload;

/// Runs a scope whose jobs `spawn` spawns, with a helper that comes at any time, and takes the
/// scope apart as soon as it has finished: an access to it after that is a fault.
fn in_scope(spawn: impl FnOnce(&ScopeBase, &TreeSlot<'_>)) -> Result<(), Payload> {
    let region = Arc::new(TreeRegion::new(2));
    // SAFETY: the helper has a reference when it has begun.
    let slot = unsafe { region.begin(&Unattended) };
    let helper = {
        let region = Arc::clone(&region);
        thread::spawn(move || region.help(&Unattended))
    };
    // SAFETY: the region is dropped after it.
    let scope = unsafe { ScopeBase::new(slot.region(), AfterPanic::Drop) };
    let mut scope = Box::new(scope);
    spawn(&scope, &slot);
    let outcome = scope.finish(&slot);
    scope.pending.with_mut(|pending| assert_eq!(*pending, 0));
    scope.done.state.with_mut(|state| *state = 0xdead);
    region.end();
    helper.join().expect("a helper does not panic");
    outcome
}

/// Spawns one job for each of `pieces` that works on it.
fn spawn_each<'a>(scope: &ScopeBase, slot: Option<&TreeSlot<'_>>, pieces: impl IntoIterator<Item = &'a Piece>) {
    for piece in pieces {
        // SAFETY: the pieces lie in the frame that finishes the scope.
        let _ = unsafe { scope.spawn(slot, || piece.work()) };
    }
}

#[test]
fn the_frame_outlives_the_last_job_of_the_scope() {
    explore(3, || {
        let piece = Piece::new();
        assert!(in_scope(|scope, slot| spawn_each(scope, Some(slot), [&piece])).is_ok());
        assert_eq!(piece.times(), 1);
    });
}

#[test]
fn of_two_jobs_whichever_is_the_last_ends_the_wait() {
    explore(2, || {
        let pieces = Piece::pieces(2);
        assert!(in_scope(|scope, slot| spawn_each(scope, Some(slot), &pieces)).is_ok());
        assert!(pieces.iter().all(|piece| piece.times() == 1));
    });
}

/// From a thread that has no slot. A nap lasts until another thread ends it here, so the job is
/// shared before the frame waits.
#[test]
fn a_job_that_is_shared_is_run_once() {
    explore(2, || {
        let pieces = Piece::pieces(2);
        let outcome = in_scope(|scope, slot| {
            spawn_each(scope, None, &pieces[..1]);
            spawn_each(scope, Some(slot), &pieces[1..]);
        });
        assert!(outcome.is_ok());
        assert!(pieces.iter().all(|piece| piece.times() == 1));
    });
}

#[test]
fn the_first_panic_is_kept_and_no_job_runs_twice() {
    explore(2, || {
        let piece = Piece::new();
        let outcome = in_scope(|scope, slot| {
            // SAFETY: it borrows nothing.
            let _ = unsafe { scope.spawn(Some(slot), || resume_unwind(Box::new("first"))) };
            spawn_each(scope, Some(slot), [&piece]);
        });
        let panic = outcome.expect_err("a job panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"first"));
        assert!(piece.times() <= 1);
    });
}
