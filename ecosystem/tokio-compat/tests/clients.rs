//! reqwest and sqlx unchanged, under feature `tokio-compat`.

use std::net::TcpListener;

use wsrt_ecosystem_testing::{Running, Scratch, example, free_address, output_of, peer, python};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn reqwest_fetches_from_python_and_times_out_on_silence() {
    let Some(mut python) = python(&["http.server"]) else { return };
    let folder = Scratch::new();
    std::fs::write(folder.file("page"), [b'x'; 100_000]).expect("the folder is ours");
    python.args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]).current_dir(folder.path());
    let mut server = Running::start(python);
    let port = server.line_after("port ").split(' ').next().expect("a word").to_owned();
    // Takes connections, as the system does for it, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let silent_address = silent.local_addr().expect("it is bound");
    let absent = free_address();

    let mut client = example(HERE, "reqwest_client").command();
    let page = format!("http://127.0.0.1:{port}/page");
    let lost = format!("http://127.0.0.1:{port}/lost");
    client.args([&page, &lost, &format!("http://{silent_address}/"), &format!("http://{absent}/")]);
    let said = output_of(client);
    assert!(said.contains(&format!("{page}: 200 OK, 100000 bytes")), "{said}");
    assert!(said.contains(&format!("{lost}: 404 ")), "{said}");
    assert!(said.contains(&format!("http://{silent_address}/: took too long")), "{said}");
    assert!(said.contains(&format!("http://{absent}/: cannot be reached")), "{said}");
}

#[test]
fn what_sqlx_has_written_sqlite_reads() {
    let folder = Scratch::new();
    let file = folder.file("squares.sqlite");
    let mut program = example(HERE, "sqlx_sqlite").command();
    program.arg(&file);
    assert_eq!(output_of(program), "100 squares, 338350 in all\n");

    let Some(mut sqlite) = peer("sqlite3") else { return };
    sqlite.args([&file, "SELECT COUNT(*), SUM(square) FROM squares"]);
    assert_eq!(output_of(sqlite), "100|338350\n");
}
