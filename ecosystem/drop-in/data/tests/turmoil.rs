//! turmoil unchanged: hosts of a simulated network, each on a runtime with a stopped clock.

use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};
use turmoil::net::{TcpListener, TcpStream};
use turmoil::{Builder, Sim};
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s};

/// A network with one host, `server`, that sends back all that it gets.
fn network_with_an_echo() -> Sim<'static> {
    let mut network = Builder::new().simulation_duration(Duration::from_secs(3600)).rng_seed(7).build();
    let test = thread::current().id();
    network.host("server", move || async move {
        let listener = TcpListener::bind("0.0.0.0:80").await?;
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::spawn(async move {
                assert_is_a_task_of_wsrt();
                assert_eq!(thread::current().id(), test);
                let (mut reader, mut writer) = stream.into_split();
                let _ = tokio::io::copy(&mut reader, &mut writer).await;
            });
        }
    });
    network
}

async fn echo(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect("server:80").await?;
    stream.write_all(text).await?;
    stream.shutdown().await?;
    let mut back = Vec::new();
    stream.read_to_end(&mut back).await?;
    Ok(back)
}

#[test]
fn simulated_clocks_go_as_far_as_they_are_told() {
    let mut network = network_with_an_echo();
    let test = thread::current().id();
    network.client("client", async move {
        assert_is_a_task_of_wsrt();
        assert_eq!(thread::current().id(), test);
        let began = Instant::now();
        for _ in 0..3 {
            sleep(Duration::from_secs(2)).await;
            assert_eq!(echo(b"hello").await?, b"hello");
        }
        assert!(began.elapsed() >= Duration::from_secs(6));
        assert_no_thread_is_tokio_s();
        Ok(())
    });
    network.run().expect("the client ends");
    assert!(network.elapsed() >= Duration::from_secs(6));
}

#[test]
fn a_partition_holds_until_it_is_repaired() {
    let mut network = network_with_an_echo();
    network.client("client", async {
        turmoil::partition("client", "server");
        let lost = timeout(Duration::from_secs(5), echo(b"lost")).await;
        assert!(!matches!(lost, Ok(Ok(_))), "{lost:?}");
        turmoil::repair("client", "server");
        assert_eq!(echo(b"found").await?, b"found");
        Ok(())
    });
    network.run().expect("the client ends");
}

#[test]
fn a_crashed_host_s_tasks_are_dropped_with_its_runtime() {
    let mut network = network_with_an_echo();
    network.client("client", async {
        let mut stream = TcpStream::connect("server:80").await?;
        stream.write_all(b"hello").await?;
        let mut buffer = [0; 5];
        stream.read_exact(&mut buffer).await?;
        let end = stream.read(&mut buffer).await;
        assert!(!matches!(end, Ok(1..)), "{end:?}");
        while echo(b"again").await.ok() != Some(b"again".to_vec()) {
            sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    });
    for _ in 0..1_000 {
        assert!(!network.step().expect("it goes on"), "the client waits for the crash");
    }
    network.crash("server");
    assert!(!network.is_host_running("server"));
    for _ in 0..100 {
        assert!(!network.step().expect("it goes on"), "the client waits for the server");
    }
    network.bounce("server");
    network.run().expect("the client ends");
}
