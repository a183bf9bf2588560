//! hickory-resolver on wsrt's sockets, against a real name server: dnsmasq.

use wsrt_ecosystem_testing::{NameServer, WITHOUT_TOKIO, example, output_of};

#[test]
fn a_real_name_server_answers() {
    let Some(server) = NameServer::start() else { return };
    let mut lookup = example(WITHOUT_TOKIO, "dns_lookup").command();
    lookup.args([&server.address().to_string(), "one.test", "two.test", "long.test", "missing.test"]);
    let expected = "long.test: 10.1.2.5, a text of 2000 bytes\nmissing.test: does not exist\n\
                    one.test: 10.1.2.3, fd00::1\ntwo.test: 10.1.2.4\n";
    assert_eq!(output_of(lookup), expected);
}
