//! What the other tests show, they show without a tokio runtime.

use tokio::runtime::Handle;

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
