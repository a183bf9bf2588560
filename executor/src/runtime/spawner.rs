//! A handle as a spawner by futures-task's trait, for libraries that ask for one.

use futures_task::{FutureObj, Spawn, SpawnError};

use super::handle::Handle;
use crate::scheduler::drain;

impl Spawn for Handle {
    #[track_caller]
    fn spawn_obj(&self, future: FutureObj<'static, ()>) -> Result<(), SpawnError> {
        self.status()?;
        drop(self.spawn(future));
        Ok(())
    }

    fn status(&self) -> Result<(), SpawnError> {
        if drain::takes_work(&self.0) { Ok(()) } else { Err(SpawnError::shutdown()) }
    }
}
