//! hickory-resolver on wsrt's sockets, against a real name server: dnsmasq.

use std::net::TcpStream;

use wsrt_ecosystem_testing::{Running, example, free_address, output_of, peer};

#[test]
fn a_real_name_server_answers() {
    let Some(mut dnsmasq) = peer("dnsmasq") else { return };
    let address = free_address();
    dnsmasq.args(["--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--user=", "--group="]);
    dnsmasq.args(["--no-resolv", "--no-hosts", "--bind-interfaces", "--listen-address=127.0.0.1"]);
    dnsmasq.arg(format!("--port={}", address.port()));
    dnsmasq.args(["--address=/one.test/10.1.2.3", "--address=/one.test/fd00::1", "--address=/two.test/10.1.2.4"]);
    // Eight times 250 bytes: too long for UDP, which hickory learns, and asks again over TCP.
    let text = vec!["x".repeat(250); 8].join(",");
    dnsmasq.arg(format!("--txt-record=long.test,{text}")).arg("--address=/long.test/10.1.2.5").arg("--local=/test/");
    let mut dnsmasq = Running::start(dnsmasq);
    dnsmasq.wait_until(|| TcpStream::connect(address).is_ok());

    let mut lookup = example(env!("CARGO_MANIFEST_DIR"), "dns_lookup").command();
    lookup.args([&address.to_string(), "one.test", "two.test", "long.test", "missing.test"]);
    let expected = "long.test: 10.1.2.5, a text of 2000 bytes\nmissing.test: does not exist\n\
                    one.test: 10.1.2.3, fd00::1\ntwo.test: 10.1.2.4\n";
    assert_eq!(output_of(lookup), expected);
}
