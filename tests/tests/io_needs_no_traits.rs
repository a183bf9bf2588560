//! Files, pipes and standard streams are read and written by methods of their own, without any of
//! tokio's traits, which a program can leave out altogether.

use std::future::Future;
use std::io::{ErrorKind, SeekFrom};
use std::process::{Command, Stdio};

use wsrt::fs::File;
use wsrt::runtime::Builder;
use wsrt_tests::{Directory, within_a_minute};

fn block_on<F: Future<Output = ()> + 'static>(body: fn() -> F) {
    within_a_minute(move || Builder::new_current_thread().build().expect("a runtime").block_on(body()));
}

#[test]
fn files_have_methods_of_their_own() {
    block_on(|| async {
        let directory = Directory::new();
        let path = directory.path("file");
        let mut file = File::options().read(true).write(true).create_new(true).open(&path).await.expect("created");
        assert_eq!(file.write(b"0123").await.expect("taken"), 4);
        file.write_all(b"456789").await.expect("taken");
        file.flush().await.expect("written");
        assert_eq!(file.seek(SeekFrom::Start(2)).await.expect("sought"), 2);
        let mut bytes = [0; 3];
        assert_eq!(file.read_exact(&mut bytes).await.expect("read"), 3);
        assert_eq!(&bytes, b"234");
        let mut text = String::from("> ");
        assert_eq!(file.read_to_string(&mut text).await.expect("read"), 5);
        assert_eq!(text, "> 56789");
        assert_eq!(file.read(&mut bytes).await.expect("read"), 0);
        assert_eq!(file.seek(SeekFrom::End(-1)).await.expect("sought"), 9);
        let error = file.read_exact(&mut bytes).await.expect_err("one byte is left");
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        assert_eq!(file.seek(SeekFrom::Start(0)).await.expect("sought"), 0);
        file.write_all(&[0xff]).await.expect("taken");
        file.shutdown().await.expect("written");
        file.seek(SeekFrom::Start(0)).await.expect("sought");
        let error = file.read_to_string(&mut text).await.expect_err("it is not UTF-8");
        assert_eq!((error.kind(), &text[..]), (ErrorKind::InvalidData, "> 56789"));
    });
}

#[test]
fn a_long_file_is_read_to_its_end() {
    block_on(|| async {
        let directory = Directory::new();
        let path = directory.path("file");
        let written: Vec<u8> = (0..3_000_000_u32).map(|n| (n / 251 + n) as u8).collect();
        let mut file = File::create(&path).await.expect("created");
        file.write_all(&written).await.expect("taken");
        file.flush().await.expect("written");
        let mut read = vec![1, 2, 3];
        let mut file = File::open(&path).await.expect("opened");
        assert_eq!(file.read_to_end(&mut read).await.expect("read"), written.len());
        assert!(read[..3] == [1, 2, 3] && read[3..] == written);
    });
}

#[cfg(unix)]
#[test]
fn pipes_to_children_have_methods_of_their_own() {
    block_on(|| async {
        let mut cat = wsrt::process::Command::new("cat");
        let mut child = cat.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
        let (mut stdin, mut stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        assert_eq!(stdin.write(b"the ").await.expect("written"), 4);
        stdin.write_all(b"answer").await.expect("written");
        stdin.flush().await.expect("flushed");
        let mut bytes = [0; 4];
        stdout.read_exact(&mut bytes).await.expect("read");
        assert_eq!(&bytes, b"the ");
        stdin.shutdown().await.expect("closed");
        assert_eq!(stdin.write(b"more").await.expect_err("closed").kind(), ErrorKind::BrokenPipe);
        let mut text = String::new();
        stdout.read_to_string(&mut text).await.expect("read");
        assert_eq!(text, "answer");
        assert_eq!(stdout.read(&mut bytes).await.expect("read"), 0);
        assert!(child.wait().await.expect("it ended").success());
    });
}

#[test]
fn standard_streams_have_methods_of_their_own() {
    block_on(|| async {
        let mut stdout = wsrt::io::stdout();
        assert_eq!(stdout.write(b"\n").await.expect("taken"), 1);
        stdout.write_all(b"\n").await.expect("taken");
        stdout.flush().await.expect("written");
        stdout.shutdown().await.expect("written");
        wsrt::io::stderr().flush().await.expect("written");
        assert_eq!(wsrt::io::stdin().read(&mut []).await.expect("read"), 0);
    });
}

/// The crates that `wsrt` is built of, with `arguments`, one a line.
fn crates_below(arguments: &[&str]) -> Vec<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--offline", "--package", "wsrt", "--edges", "normal", "--prefix", "none"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    String::from_utf8(tree.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

#[test]
fn the_core_is_built_without_tokio() {
    let is_tokio = |line: &String| line.starts_with("tokio");
    let core = crates_below(&["--no-default-features", "--features", "macros,process,signal,futures-io"]);
    assert!(core.iter().any(|line| line.starts_with("wsrt-reactor")), "the tree was not understood:\n{core:?}");
    assert!(!core.iter().any(is_tokio), "tokio is back:\n{core:#?}");
    let whole = crates_below(&[]);
    assert!(whole.iter().any(is_tokio), "by default there are its traits:\n{whole:#?}");
    assert!(!whole.iter().any(|line| line.starts_with("tokio-macros")));
}
