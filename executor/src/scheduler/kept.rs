//! `Kept`: values of the public modules that last as long as their runtime.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

/// Values that are dropped with the scheduler. None of them may own a reference to it.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Vec<Arc<dyn Any + Send + Sync>>>);

impl Kept {
    pub(crate) fn keep<T: Send + Sync + 'static>(&self, value: &Arc<T>) {
        let value = Arc::clone(value) as Arc<dyn Any + Send + Sync>;
        self.0.lock().push(value);
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("values", &self.0.lock().len()).finish()
    }
}
