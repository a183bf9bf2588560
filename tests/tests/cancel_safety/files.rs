//! Files and directories: a dropped call takes effect as a whole or not at all, it can be made
//! again, and a file loses no bytes.

use std::fs::FileTimes;
use std::io::{self, ErrorKind, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use wsrt::fs::{self, DirBuilder, File, OpenOptions};
use wsrt::test::cancel_at_each_await;
use wsrt_tests::Directory;

use crate::{calls_have_returned, occupy_blocking_thread, run};

const TEXT: &str = "some text";

/// A directory with a file, a link, an empty folder and a folder that is not empty.
async fn furnished() -> Directory {
    let directory = Directory::new();
    std::fs::write(directory.path("file"), TEXT).expect("the file can be written");
    std::fs::create_dir(directory.path("empty")).expect("the folder can be made");
    std::fs::create_dir_all(directory.path("full/inside")).expect("the folders can be made");
    #[cfg(unix)]
    std::os::unix::fs::symlink(directory.path("file"), directory.path("link")).expect("the link can be made");
    occupy_blocking_thread();
    directory
}

/// Cancels a call. Then the call can be made again: it succeeds, or fails because the dropped one
/// has taken effect.
async fn repeats<T>(effect: Option<ErrorKind>, call: impl AsyncFn(&Path) -> io::Result<T>) {
    let operation = async |directory: &mut Directory| call(directory.root()).await.map(drop);
    let check = async |directory: Directory, output: Option<io::Result<()>>| {
        if let Some(output) = output {
            return output.expect("the call succeeds");
        }
        calls_have_returned().await;
        if let Err(error) = call(directory.root()).await {
            assert_eq!(Some(error.kind()), effect, "{error}");
        }
    };
    cancel_at_each_await(furnished, operation, check).await;
}

/// Of `fs/directories::create_dir`, `fs/directories::create_dir_all`, `fs/directories::remove_dir`,
/// `fs/directories::remove_dir_all` and `DirBuilder::create`.
#[test]
fn folders_are_made_and_removed_once() {
    run(async || {
        let (there, gone) = (Some(ErrorKind::AlreadyExists), Some(ErrorKind::NotFound));
        repeats(there, async |root| fs::create_dir(root.join("new")).await).await;
        repeats(None, async |root| fs::create_dir_all(root.join("new/inside")).await).await;
        repeats(gone, async |root| fs::remove_dir(root.join("empty")).await).await;
        repeats(gone, async |root| fs::remove_dir_all(root.join("full")).await).await;
        repeats(there, async |root| DirBuilder::new().create(root.join("new")).await).await;
    });
}

/// Of `fs/paths::rename`, `fs/paths::remove_file`, `fs/paths::hard_link`, `fs/paths::symlink`,
/// `fs/paths::set_permissions`, `fs/paths::copy` and `fs/paths::write`.
#[test]
fn names_change_once() {
    run(async || {
        let (there, gone) = (Some(ErrorKind::AlreadyExists), Some(ErrorKind::NotFound));
        repeats(gone, async |root| fs::rename(root.join("file"), root.join("new")).await).await;
        repeats(gone, async |root| fs::remove_file(root.join("file")).await).await;
        repeats(there, async |root| fs::hard_link(root.join("file"), root.join("new")).await).await;
        #[cfg(unix)]
        repeats(there, async |root| fs::symlink(root.join("file"), root.join("new")).await).await;
        repeats(None, async |root| {
            let permissions = std::fs::metadata(root.join("file"))?.permissions();
            fs::set_permissions(root.join("file"), permissions).await
        })
        .await;
        repeats(None, async |root| fs::copy(root.join("file"), root.join("new")).await).await;
        repeats(None, async |root| fs::write(root.join("new"), TEXT).await).await;
    });
}

/// Of `fs/paths::write` and `fs/paths::copy`: what has begun completes.
#[test]
fn a_write_that_has_begun_completes() {
    run(async || {
        let check = async |directory: Directory, _| {
            calls_have_returned().await;
            match std::fs::read_to_string(directory.path("new")) {
                Ok(text) => assert_eq!(text, TEXT),
                Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound),
            }
        };
        let write = async |directory: &mut Directory| drop(fs::write(directory.path("new"), TEXT).await);
        cancel_at_each_await(furnished, write, check).await;
        let copy =
            async |directory: &mut Directory| drop(fs::copy(directory.path("file"), directory.path("new")).await);
        cancel_at_each_await(furnished, copy, check).await;
    });
}

/// Of `src/fs` and of the calls that modify nothing: `fs/paths::read`, `fs/paths::read_to_string`,
/// `fs/paths::metadata`, `fs/paths::symlink_metadata`, `fs/paths::try_exists`,
/// `fs/paths::read_link`, `fs/paths::canonicalize`, `fs/directories::read_dir`,
/// `DirEntry::metadata` and `DirEntry::file_type`.
#[test]
fn a_look_modifies_nothing() {
    async fn looks<T>(call: impl AsyncFn(&Path) -> io::Result<T>) {
        repeats(None, async |root: &Path| {
            call(root).await?;
            assert_eq!(std::fs::read_to_string(root.join("file"))?, TEXT);
            Ok(())
        })
        .await;
    }
    run(async || {
        looks(async |root| fs::read(root.join("file")).await).await;
        looks(async |root| fs::read_to_string(root.join("file")).await).await;
        looks(async |root| fs::metadata(root.join("file")).await).await;
        looks(async |root| fs::symlink_metadata(root.join("link")).await).await;
        looks(async |root| fs::try_exists(root.join("file")).await).await;
        #[cfg(unix)]
        looks(async |root| fs::read_link(root.join("link")).await).await;
        looks(async |root| fs::canonicalize(root.join("file")).await).await;
        looks(async |root| fs::read_dir(root).await).await;
        looks(async |root| {
            let entry = fs::read_dir(root).await?.next_entry().await?.expect("it is not empty");
            entry.metadata().await?;
            entry.file_type().await
        })
        .await;
    });
}

/// Of `ReadDir::next_entry`.
#[test]
fn no_entry_is_lost() {
    run(async || {
        let make = async || {
            let directory = Directory::new();
            for name in 0..100 {
                std::fs::write(directory.path(&name.to_string()), TEXT).expect("the file can be written");
            }
            let entries = fs::read_dir(directory.root()).await.expect("it is there");
            occupy_blocking_thread();
            (directory, entries, Vec::new())
        };
        type State = (Directory, fs::ReadDir, Vec<u32>);
        async fn list((_, entries, names): &mut State) {
            while let Some(entry) = entries.next_entry().await.expect("it is there") {
                names.push(entry.file_name().to_str().and_then(|name| name.parse().ok()).expect("a number"));
            }
        }
        let check = async |mut state: State, _| {
            list(&mut state).await;
            state.2.sort_unstable();
            assert!(state.2.into_iter().eq(0..100), "an entry was lost or doubled");
        };
        cancel_at_each_await(make, async |state: &mut State| list(state).await, check).await;
    });
}

/// Of `OpenOptions::open`, `File::open`, `File::create` and `File::create_new`.
#[test]
fn an_open_can_be_made_again() {
    run(async || {
        let there = Some(ErrorKind::AlreadyExists);
        repeats(None, async |root| File::open(root.join("file")).await).await;
        repeats(None, async |root| File::create(root.join("new")).await).await;
        repeats(there, async |root| File::create_new(root.join("new")).await).await;
        repeats(None, async |root| OpenOptions::new().append(true).create(true).open(root.join("new")).await).await;
    });
}

/// A file that is open to be read and written.
struct Opened {
    file: Option<File>,
    directory: Directory,
    /// The bytes that were read, or accepted.
    bytes: Vec<u8>,
}

impl Opened {
    async fn new() -> Self {
        let directory = furnished().await;
        let file = OpenOptions::new().read(true).write(true).open(directory.path("file")).await.expect("it is there");
        occupy_blocking_thread();
        Self { file: Some(file), directory, bytes: Vec::new() }
    }

    fn file(&mut self) -> &mut File {
        self.file.as_mut().expect("it is open")
    }
}

/// Of `File::try_clone`, `File::sync_all`, `File::sync_data`, `File::set_len`, `File::metadata`,
/// `File::set_permissions`, `File::set_times`, `File::set_modified`, `File::read_at` and
/// `File::write_at`, after which the file works as before, and its position has not moved.
#[test]
fn a_file_works_after_a_dropped_call() {
    async fn works<T>(call: impl AsyncFn(&File) -> io::Result<T>) {
        let operation = async |state: &mut Opened| call(state.file()).await.map(drop);
        let check = async |mut state: Opened, _| {
            call(state.file()).await.expect("it can be repeated");
            let mut text = String::new();
            state.file().read_to_string(&mut text).await.expect("it is a text");
            assert_eq!(text, TEXT);
        };
        cancel_at_each_await(Opened::new, operation, check).await;
    }
    run(async || {
        works(async |file| file.try_clone().await).await;
        works(async |file| file.sync_all().await).await;
        works(async |file| file.sync_data().await).await;
        works(async |file| file.set_len(TEXT.len() as u64).await).await;
        works(async |file| file.metadata().await).await;
        works(async |file| {
            let permissions = file.metadata().await?.permissions();
            file.set_permissions(permissions).await
        })
        .await;
        works(async |file| file.set_times(FileTimes::new().set_modified(SystemTime::UNIX_EPOCH)).await).await;
        works(async |file| file.set_modified(SystemTime::UNIX_EPOCH).await).await;
        #[cfg(unix)]
        works(async |file| file.read_at(&mut [0; 4], 2).await).await;
        #[cfg(unix)]
        works(async |file| file.write_at(TEXT.as_bytes(), 0).await).await;
    });
}

/// Of `File::into_std`, which closes the file if it is dropped, and of `File::seek`, after which
/// the position is unspecified until the next `seek`.
#[test]
fn a_file_is_closed_or_can_be_sought_again() {
    run(async || {
        let operation = async |state: &mut Opened| {
            // A read in the background, for which `into_std` waits.
            let mut file = state.file.take().expect("once");
            file.write_all(b"S").await.expect("there is room");
            file.into_std().await
        };
        let check = async |state: Opened, _| {
            calls_have_returned().await;
            let text = std::fs::read_to_string(state.directory.path("file")).expect("it is there");
            assert!(text == TEXT || text == "Some text", "{text}");
        };
        cancel_at_each_await(Opened::new, operation, check).await;
        let operation = async |state: &mut Opened| state.file().seek(SeekFrom::End(0)).await;
        let check = async |mut state: Opened, _| {
            assert_eq!(state.file().seek(SeekFrom::Start(5)).await.expect("it is a file"), 5);
            let mut text = String::new();
            state.file().read_to_string(&mut text).await.expect("it is a text");
            assert_eq!(text, "text");
        };
        cancel_at_each_await(Opened::new, operation, check).await;
    });
}

/// Of `File` and of the calls that read: `io/methods::read`, `io/methods::read_exact`,
/// `io/methods::read_to_end` and `io/methods::read_to_string`. The last three are not cancel safe
/// as far as they say.
#[test]
fn a_file_loses_no_bytes_that_are_read() {
    run(async || {
        async fn read(state: &mut Opened) {
            let mut buffer = [0; 2];
            while let Ok(count @ 1..) = state.file().read(&mut buffer).await {
                state.bytes.extend(&buffer[..count]);
            }
        }
        let check = async |mut state: Opened, _| {
            read(&mut state).await;
            assert_eq!(state.bytes, TEXT.as_bytes());
        };
        cancel_at_each_await(Opened::new, async |state: &mut Opened| read(state).await, check).await;
        let operation = async |state: &mut Opened| {
            let Opened { file, bytes, .. } = state;
            file.as_mut().expect("it is open").read_to_end(bytes).await.expect("it can be read");
        };
        cancel_at_each_await(Opened::new, operation, check).await;
        // The position is somewhere in the text, and the next bytes follow.
        let check = async |mut state: Opened, _| {
            read(&mut state).await;
            assert!(TEXT.as_bytes().ends_with(&state.bytes));
        };
        let operation = async |state: &mut Opened| drop(state.file().read_exact(&mut [0; 4]).await);
        cancel_at_each_await(Opened::new, operation, check).await;
        let operation = async |state: &mut Opened| drop(state.file().read_to_string(&mut String::new()).await);
        cancel_at_each_await(Opened::new, operation, check).await;
    });
}

/// Of `File` and of the calls that write: `io/methods::write`, `io/methods::write_all`,
/// `io/methods::flush` and `io/methods::shutdown`. `write_all` may have accepted any part.
#[test]
fn a_file_has_the_bytes_that_it_accepted() {
    run(async || {
        let operation = async |state: &mut Opened| {
            for byte in b"SOME TEXT" {
                let Opened { file, bytes, .. } = state;
                let file = file.as_mut().expect("it is open");
                let count = file.write(&[*byte]).await.expect("there is room");
                bytes.extend(&[*byte][..count]);
            }
            state.file().flush().await.expect("there is room");
            state.file().shutdown().await.expect("there is room");
        };
        let check = async |mut state: Opened, _| {
            state.file().flush().await.expect("there is room");
            state.file().shutdown().await.expect("there is room");
            let text = std::fs::read(state.directory.path("file")).expect("it is there");
            let rest = &TEXT.as_bytes()[state.bytes.len()..];
            assert_eq!(text, [&state.bytes, rest].concat());
        };
        cancel_at_each_await(Opened::new, operation, check).await;
        let operation = async |state: &mut Opened| {
            state.file().write_all(b"SOME").await.expect("there is room");
            state.file().write_all(b" TEXT").await.expect("there is room");
            state.file().flush().await.expect("there is room");
        };
        let check = async |mut state: Opened, _| {
            state.file().flush().await.expect("there is room");
            let text = std::fs::read_to_string(state.directory.path("file")).expect("it is there");
            assert!(["some text", "SOME text", "SOME TEXT"].contains(&&*text), "{text}");
        };
        cancel_at_each_await(Opened::new, operation, check).await;
    });
}
