//! The auto traits of the types that rayon-core hands on.

use rayon_core::{
    BroadcastContext, FnContext, Scope, ScopeFifo, ThreadBuilder, ThreadPool, ThreadPoolBuildError, Yield,
};

const fn sends<T: Send>() {}
const fn is_shared<T: Sync>() {}

const _: () = {
    sends::<ThreadPool>();
    is_shared::<ThreadPool>();
    sends::<ThreadBuilder>();
    sends::<ThreadPoolBuildError>();
    is_shared::<ThreadPoolBuildError>();
    sends::<Scope<'static>>();
    is_shared::<Scope<'static>>();
    sends::<ScopeFifo<'static>>();
    is_shared::<ScopeFifo<'static>>();
    sends::<Yield>();
    is_shared::<Yield>();
};

/// Is implemented once for types that are not `Send`, and twice, so that no one is meant, for
/// those that are.
trait StaysHere<Mark> {
    fn stays_here() {}
}

struct OfAll;
struct OfSend;

impl<T> StaysHere<OfAll> for T {}
impl<T: Send> StaysHere<OfSend> for T {}

#[test]
fn contexts_stay_on_their_threads() {
    <FnContext as StaysHere<_>>::stays_here();
    <BroadcastContext<'static> as StaysHere<_>>::stays_here();
}
