//! A move from tokio is a rename: each program here is compiled and run twice, with nothing changed
//! but the crate's name.

/// The programs, by the name of the runtime's crate.
macro_rules! programs {
    ($runtime:ident) => {
        mod $runtime {
            use std::future::pending;
            use std::io;
            use std::time::Duration;

            #[allow(unused_imports, reason = "wsrt's sockets have these methods themselves")]
            use $runtime::io::{AsyncReadExt, AsyncWriteExt};
            use $runtime::net::{TcpListener, TcpStream};
            use $runtime::sync::mpsc;
            use $runtime::task::JoinSet;
            use $runtime::time;

            #[$runtime::test]
            async fn an_echo_server_answers() -> io::Result<()> {
                let listener = TcpListener::bind("127.0.0.1:0").await?;
                let mut client = TcpStream::connect(listener.local_addr()?).await?;
                $runtime::spawn(async move {
                    let (mut stream, _) = listener.accept().await?;
                    let mut buffer = [0; 1024];
                    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                        stream.write_all(&buffer[..read]).await?;
                    }
                    io::Result::Ok(())
                });
                client.write_all(b"hello").await?;
                let mut answer = [0; 5];
                client.read_exact(&mut answer).await?;
                assert_eq!(&answer, b"hello");
                Ok(())
            }

            #[$runtime::test(flavor = "multi_thread", worker_threads = 2)]
            async fn tasks_send_what_a_select_receives() {
                let (sender, mut receiver) = mpsc::channel(16);
                let mut tasks = JoinSet::new();
                for number in 0..4 {
                    let sender = sender.clone();
                    tasks.spawn(async move {
                        time::sleep(Duration::from_millis(number)).await;
                        sender.send(number).await.expect("the receiver is alive");
                    });
                }
                drop(sender);
                let mut sum = 0;
                loop {
                    $runtime::select! {
                        number = receiver.recv() => match number {
                            Some(number) => sum += number,
                            None => break,
                        },
                        _ = time::sleep(Duration::from_secs(60)) => panic!("too slow"),
                    }
                }
                tasks.join_all().await;
                assert_eq!(sum, 6);
            }

            #[$runtime::test(start_paused = true)]
            async fn an_hour_passes_at_once() {
                let began = time::Instant::now();
                let hour = Duration::from_secs(3600);
                assert!(time::timeout(hour, pending::<()>()).await.is_err());
                assert_eq!(began.elapsed(), hour);
            }
        }
    };
}

programs!(tokio);
programs!(wsrt);
