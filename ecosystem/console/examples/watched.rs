//! A program to look at with tokio-console: tasks that wait, compute and end, one that is too
//! impatient, and one that is lost.
//!
//! ```text
//! cargo install --locked tokio-console
//! cd ecosystem/console && cargo run --release --example watched
//! tokio-console            # in another terminal
//! ```
//!
//! It needs feature `console` of wsrt, a subscriber that is set up before the runtime is made, and
//! the compiler flag in `.cargo/config.toml`. Task names help, and are given by `task::Builder`.

use std::future::pending;
use std::io;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use console_subscriber::ConsoleLayer;
use wsrt::net::TcpListener;
use wsrt::runtime::Runtime;
use wsrt::signal::ctrl_c;
use wsrt::sync::Mutex;
use wsrt::task::{self, LocalSet};
use wsrt::time::{interval, sleep};

fn main() -> io::Result<()> {
    // Each time it publishes, the subscriber takes in 128 items: new tasks, new timers, polls of
    // timers. At its default of once a second it would show this program with a growing delay. The
    // environment (TOKIO_CONSOLE_PUBLISH_INTERVAL) takes precedence.
    ConsoleLayer::builder().publish_interval(Duration::from_millis(50)).with_default_env().init();
    let runtime = Runtime::new()?;
    thread::scope(|scope| {
        let on_a_thread = scope.spawn(|| LocalSet::new().block_on(&runtime, keep_at_home()));
        runtime.run(root())?;
        on_a_thread.join().expect("it does not panic")
    })
}

async fn root() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (_until_the_end, end) = mpsc::channel::<()>();

    // Waits most of the time, as a task should.
    named("metronome").spawn(tick());
    // Waits all the time.
    named("listener").spawn(async move { listener.accept().await.map(drop) });
    // Computes for two milliseconds at a stretch.
    named("busy").spawn(compute());
    // They share a book, which only one of them has at a time.
    let book = Arc::new(Mutex::new("once upon a time"));
    named("one reader").spawn(read(Arc::clone(&book)));
    named("another reader").spawn(read(book));
    // The console warns of it: it wakes itself most of the time.
    named("impatient").spawn(yield_often());
    // The console warns of it: its waker is dropped.
    named("forgotten").spawn(pending::<()>());
    // Keeps spawning tasks that end.
    named("foreman").spawn(employ());
    named("archivist").spawn_blocking(move || end.recv());
    ctrl_c().await
}

/// A value that cannot be sent to another thread.
async fn keep_at_home() -> io::Result<()> {
    let lead = Rc::new(());
    named("pet").spawn_local(async move {
        loop {
            sleep(Duration::from_millis(50)).await;
            assert_eq!(Rc::strong_count(&lead), 1);
        }
    });
    ctrl_c().await
}

async fn tick() {
    let mut clock = interval(Duration::from_millis(20));
    loop {
        clock.tick().await;
    }
}

async fn compute() {
    loop {
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(2) {
            std::hint::spin_loop();
        }
        sleep(Duration::from_millis(18)).await;
    }
}

async fn read(book: Arc<Mutex<&'static str>>) {
    loop {
        let _open = book.lock().await;
        sleep(Duration::from_millis(30)).await;
    }
}

async fn yield_often() {
    loop {
        for _ in 0..9 {
            task::yield_now().await;
        }
        sleep(Duration::from_millis(20)).await;
    }
}

async fn employ() {
    loop {
        let brief = named("brief").spawn(sleep(Duration::from_millis(10)));
        brief.await.expect("it does not panic");
        sleep(Duration::from_millis(40)).await;
    }
}

fn named(name: &str) -> task::Builder<'_> {
    task::Builder::new().name(name)
}
