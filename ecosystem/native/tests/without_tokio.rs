//! The other tests run without a tokio runtime in the build.

use std::future::pending;
use std::time::Duration;

use tokio::runtime::Handle;

/// A program on wsrt may use the macros of a tokio that other crates have in the build.
#[test]
fn tokio_s_macros_need_no_runtime() {
    let runtime = wsrt::runtime::Runtime::new().expect("a runtime");
    let first = runtime.run(async {
        tokio::select! {
            _ = wsrt::time::sleep(Duration::from_secs(3600)) => "the long one",
            () = wsrt::time::sleep(Duration::from_millis(1)) => "the short one",
        }
    });
    assert_eq!(first, "the short one");
    let both = runtime.run(async { tokio::join!(wsrt::task::yield_now(), async { 2 }) });
    assert_eq!(both, ((), 2));
    let neither = runtime.run(async { tokio::try_join!(pending::<Result<(), ()>>(), async { Err::<(), ()>(()) }) });
    assert_eq!(neither, Err(()));
}

#[test]
fn there_is_no_tokio_runtime_on_wsrt_s_threads() {
    let runtime = wsrt::runtime::Runtime::new().expect("a runtime");
    let places = [
        runtime.block_on(async { Handle::try_current().is_ok() }),
        runtime.run(async { Handle::try_current().is_ok() }),
        runtime.block_on(runtime.spawn_blocking(|| Handle::try_current().is_ok())).expect("it does not panic"),
    ];
    assert_eq!(
        places, [false; 3],
        "wsrt was built with `tokio-compat`: test one package at a time, see ecosystem/Cargo.toml"
    );
}
