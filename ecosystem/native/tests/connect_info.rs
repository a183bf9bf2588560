//! axum's own `ConnectInfo`, which handlers and middleware of others ask for, on wsrt's `serve`.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::get;
use wsrt::net::TcpListener;
use wsrt_ecosystem_testing::{output_of, peer};

async fn tell(ConnectInfo(peer): ConnectInfo<SocketAddr>) -> String {
    format!("{peer}, on a task of wsrt's: {}", wsrt::task::try_id().is_some())
}

#[test]
fn handlers_find_the_address_as_on_tokio() {
    let Some(mut curl) = peer("curl") else { return };
    let runtime = wsrt::runtime::Runtime::new().expect("a runtime");
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let make = Router::new().route("/", get(tell)).into_make_service_with_connect_info::<SocketAddr>();
    runtime.spawn(wsrt_hyper::serve_make_service(listener, make).into_future());
    curl.args(["--silent", "--show-error", "--fail", "--max-time", "20"]);
    curl.args(["--write-out", "=%{local_ip}:%{local_port}", &format!("http://{address}/")]);
    let report = output_of(curl);
    let (told, own) = report.split_once('=').expect("as asked for");
    assert_eq!(told, format!("{own}, on a task of wsrt's: true"));
}
