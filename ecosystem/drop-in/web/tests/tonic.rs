//! tonic with its own transport at both ends, with TLS and without, against Google's gRPC for
//! Python and itself.

use std::net::SocketAddr;
use std::process::Command;

use futures_util::stream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::Code;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{self, Channel, ClientTlsConfig, Endpoint, Identity, ServerTlsConfig};
use wsrt_drop_in_here::{assert_no_thread_is_tokio_s, assert_wsrt_runs_a_task_of};
use wsrt_drop_in_web::greeter::greeter_client::GreeterClient;
use wsrt_drop_in_web::greeter::greeter_server::GreeterServer;
use wsrt_drop_in_web::greeter::{Name, Often};
use wsrt_drop_in_web::{Certificate, Polite};
use wsrt_ecosystem_testing::{LIMIT, Running, output_of, python};

const PEER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../native/tests/peers/greeter.py");

/// Python's client prints this after calls to our server.
const PYTHON_IS_GREETED: &str =
    "Hello, Python!\n100 Hello, Python, 100!\nHello, one! Hello, two!\nINVALID_ARGUMENT whom?\n";

struct Server {
    address: SocketAddr,
    end: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), transport::Error>>,
}

impl Server {
    fn start(certificate: Option<&Certificate>) -> Self {
        let incoming = TcpIncoming::bind(([127, 0, 0, 1], 0).into()).expect("there is a free port");
        let address = incoming.local_addr().expect("it is bound");
        let mut server = transport::Server::builder().timeout(LIMIT);
        if let Some(Certificate { certificate, key, .. }) = certificate {
            let tls = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
            server = server.tls_config(tls).expect("they belong together");
        }
        let (end, asked) = oneshot::channel::<()>();
        let served = server.add_service(GreeterServer::new(Polite));
        let ended = tokio::spawn(served.serve_with_incoming_shutdown(incoming, async { drop(asked.await) }));
        Self { address, end, ended }
    }

    async fn end(self) {
        drop(self.end);
        self.ended.await.expect("it does not panic").expect("it does not fail");
    }
}

async fn output_beside(command: Command) -> String {
    tokio::task::spawn_blocking(|| output_of(command)).await.expect("it succeeds")
}

async fn connect(server: String) -> Channel {
    let endpoint = Endpoint::from_shared(server).expect("an address").connect_timeout(LIMIT).timeout(LIMIT);
    endpoint.connect().await.expect("it listens")
}

/// Makes each kind of call, and expects greetings that begin with `hello`.
async fn is_greeted(channel: Channel, hello: &str) {
    let mut client = GreeterClient::new(channel);
    let greeting = client.greet(Name { name: "Rust".into() }).await.expect("it greets");
    assert_eq!(greeting.into_inner().text, format!("{hello}, Rust!"));
    // tonic spawns the connection, and the buffer before it, by hyper-util's executor.
    assert_wsrt_runs_a_task_of("hyper-util");
    assert_no_thread_is_tokio_s();

    let mut often =
        client.greet_often(Often { name: "Rust".into(), times: 3 }).await.expect("it greets often").into_inner();
    for count in 1..=3 {
        let greeting = often.message().await.expect("it goes on").expect("there are three");
        assert_eq!(greeting.text, format!("{hello}, Rust, {count}!"));
    }
    assert!(often.message().await.expect("it ends well").is_none());

    let names = stream::iter(["one", "two"].map(|name| Name { name: name.into() }));
    let mut all = client.greet_all(names).await.expect("it greets all").into_inner();
    for name in ["one", "two"] {
        let greeting = all.message().await.expect("it goes on").expect("there are two");
        assert_eq!(greeting.text, format!("{hello}, {name}!"));
    }

    let refusal = client.greet(Name { name: String::new() }).await.expect_err("it greets no empty name");
    assert_eq!((refusal.code(), refusal.message()), (Code::InvalidArgument, "whom?"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python_calls_the_server() {
    let server = Server::start(None);
    let Some(mut python) = python(&["grpc"]) else { return };
    python.args([PEER, "client", &server.address.to_string()]);
    assert_eq!(output_beside(python).await, PYTHON_IS_GREETED);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python_calls_the_server_over_tls() {
    let certificate = Certificate::new();
    let server = Server::start(Some(&certificate));
    let Some(mut python) = python(&["grpc"]) else { return };
    let address = format!("localhost:{}", server.address.port());
    python.args([PEER, "client", &address, &certificate.certificate_file()]);
    assert_eq!(output_beside(python).await, PYTHON_IS_GREETED);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_client_calls_python() {
    let Some(mut python) = python(&["grpc"]) else { return };
    python.args([PEER, "server"]);
    let (_server, address) = tokio::task::spawn_blocking(|| {
        let mut server = Running::start(python);
        let address = server.line_after("listening on ");
        (server, address)
    })
    .await
    .expect("it starts");
    is_greeted(connect(format!("http://{address}")).await, "Hullo").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_client_calls_the_server_over_tls() {
    let certificate = Certificate::new();
    let server = Server::start(Some(&certificate));
    let trusted = tonic::transport::Certificate::from_pem(&certificate.certificate);
    let endpoint = Endpoint::from_shared(format!("https://localhost:{}", server.address.port())).expect("an address");
    let tls = ClientTlsConfig::new().ca_certificate(trusted);
    let channel = endpoint.tls_config(tls).expect("a certificate").connect().await.expect("it is trusted");
    is_greeted(channel, "Hello").await;
    server.end().await;
}

#[tokio::test]
async fn both_ends_run_on_one_thread() {
    let server = Server::start(None);
    is_greeted(connect(format!("http://{}", server.address)).await, "Hello").await;
    server.end().await;
}
