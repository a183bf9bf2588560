//! tokio-postgres on wsrt's streams, against a real PostgreSQL.

use wsrt_ecosystem_testing::{Postgres, WITHOUT_TOKIO, example, output_of};

#[test]
fn a_real_postgresql_answers() {
    let Some(server) = Postgres::start() else { return };
    let mut client = example(WITHOUT_TOKIO, "postgres_client").command();
    client.args([&server.address().to_string(), "user=wsrt dbname=postgres"]);
    let expected = "task: 4\nmachine: 7\nprocessor: 9\nsquares: 385\nsleeping: given up\nrefused: division by zero\n\
                    closed in good order\n";
    assert_eq!(output_of(client), expected);
    server.stop();
}
