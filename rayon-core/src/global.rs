//! The process-wide pool.

use std::sync::{Mutex, OnceLock, PoisonError};

use wsrt::team::{Global, Handle};

use crate::spawning::ThreadSpawn;
use crate::{ThreadPoolBuildError, ThreadPoolBuilder};

static POOL: OnceLock<Pool> = OnceLock::new();

/// Held while the pool is built, so that one thread builds it.
static BUILDING: Mutex<()> = Mutex::new(());

pub(crate) struct Pool {
    team: Handle,
    takes_guests: bool,
}

/// The way from wsrt to the pool.
pub(crate) static GLOBAL: Global = Global {
    team: || &pool().team,
    takes_guests: || POOL.get().is_some_and(|pool| pool.takes_guests),
    panic: |payload| match POOL.get() {
        Some(pool) => pool.team.take_panic(payload),
        None => wsrt::team::abort_for_lost_panic(),
    },
};

/// Returns the pool, and builds it at the first call.
///
/// # Panics
///
/// Panics if no threads can be started.
fn pool() -> &'static Pool {
    POOL.get().unwrap_or_else(|| match build(ThreadPoolBuilder::new()) {
        Ok(pool) => pool,
        // Another thread was first.
        Err(error) => POOL.get().unwrap_or_else(|| panic!("the global thread pool cannot be started: {error}")),
    })
}

/// # Errors
///
/// Returns an error if there is a pool already, or a thread cannot be started.
pub(crate) fn build<S: ThreadSpawn>(builder: ThreadPoolBuilder<S>) -> Result<&'static Pool, ThreadPoolBuildError> {
    let building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    if POOL.get().is_some() {
        return Err(ThreadPoolBuildError::already_global());
    }
    let takes_guests = builder.wants_own_threads();
    let pool = Pool { team: builder.start()?, takes_guests };
    let pool = POOL.get_or_init(|| pool);
    drop(building);
    Ok(pool)
}

impl Pool {
    pub(crate) fn wait_until_begun(&self) {
        self.team.wait_until_begun();
    }
}
