//! TLS handshakes that stall, at whichever step, lie, or are given up.

use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use wsrt_ecosystem_testing::{LIMIT, Scratch, WITHOUT_TOKIO, example};

use crate::scene::{Victim, connect, withstand};

/// The servers' certificate, and the settings of clients that trust it.
struct Identity {
    folder: Scratch,
    trust: Arc<ClientConfig>,
}

impl Identity {
    fn new() -> Self {
        let folder = Scratch::new();
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is to be had");
        fs::write(folder.file("certificate.pem"), made.cert.pem()).expect("the folder is ours");
        fs::write(folder.file("key.pem"), made.signing_key.serialize_pem()).expect("the folder is ours");
        let certificate = CertificateDer::from_pem_slice(made.cert.pem().as_bytes()).expect("it is one");
        let mut roots = RootCertStore::empty();
        roots.add(certificate).expect("it is one");
        let mut trust = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        // Each handshake is a whole one.
        trust.resumption = rustls::client::Resumption::disabled();
        Self { folder, trust: Arc::new(trust) }
    }

    fn serve(&self) -> Victim {
        let mut command = example(WITHOUT_TOKIO, "tls").command();
        command.args(["127.0.0.1:0", &self.folder.file("certificate.pem"), &self.folder.file("key.pem")]);
        Victim::start(command)
    }
}

fn client(trust: &Arc<ClientConfig>) -> ClientConnection {
    let name = ServerName::try_from("localhost").expect("it is a name");
    ClientConnection::new(Arc::clone(trust), name).expect("good settings")
}

type Secure = BufReader<StreamOwned<ClientConnection, TcpStream>>;

fn connect_securely(trust: &Arc<ClientConfig>, address: SocketAddr) -> Secure {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("sockets have options");
    stream.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    BufReader::new(StreamOwned::new(client(trust), stream))
}

/// Sends a request, and reads its answer.
fn ask(stream: &mut Secure) -> io::Result<()> {
    stream.get_mut().write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    let mut body = [0; "HTTP/1.1 over TLS\n".len()];
    stream.read_exact(&mut body)?;
    assert_eq!(&body, b"HTTP/1.1 over TLS\n");
    Ok(())
}

/// Attacks while a client asks on the connection that it keeps, and another shakes hands each time.
fn survive(what: &str, attack: impl Fn(&[u8], SocketAddr) -> Vec<TcpStream> + Sync) {
    let identity = Identity::new();
    let mut hello = Vec::new();
    client(&identity.trust).write_tls(&mut hello).expect("memory takes it");
    let (kept, each) = (Arc::clone(&identity.trust), Arc::clone(&identity.trust));
    withstand(
        what,
        || identity.serve(),
        &[
            &move |address| {
                let trust = Arc::clone(&kept);
                let mut stream = connect_securely(&trust, address);
                Box::new(move || ask(&mut stream).inspect_err(|_| stream = connect_securely(&trust, address)))
            },
            &move |address| {
                let trust = Arc::clone(&each);
                Box::new(move || ask(&mut connect_securely(&trust, address)))
            },
        ],
        |address| attack(&hello, address),
    );
}

/// Says so much, and no more.
fn say(said: &[u8], address: SocketAddr) -> TcpStream {
    let mut stream = connect(address);
    let _ = stream.write_all(said);
    stream
}

#[test]
fn handshakes_that_stall_delay_no_others() {
    survive("handshakes that stall", |hello, address| {
        // A record of a handshake, of 16 kB as it says.
        let long = [0x16, 3, 1, 0x40, 0];
        let steps = [&[], &hello[..1], &hello[..hello.len() / 2], hello, &long[..]];
        std::thread::sleep(std::time::Duration::from_millis(10));
        steps.map(|said| say(said, address)).into()
    });
}

#[test]
fn handshakes_that_lie_delay_no_others() {
    survive("handshakes that lie about lengths", |hello, address| {
        let lying = [3, 4, 6, 7, 8].map(|at| {
            let mut lying = hello.to_vec();
            lying[at] ^= 0xff;
            say(&lying, address)
        });
        std::thread::sleep(std::time::Duration::from_millis(10));
        lying.into()
    });
}

#[test]
fn handshakes_that_are_given_up_delay_no_others() {
    survive("handshakes given up after the first words", |hello, address| {
        // The server has computed its answer by then.
        let _ = say(hello, address).read(&mut [0]);
        Vec::new()
    });
}
