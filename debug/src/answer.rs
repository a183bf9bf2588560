//! An answer to a request, whichever way it is sent.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// The status, what the body is, and the body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: Status,
    pub(crate) content_type: &'static str,
    /// The name of the file that a browser saves the body as, rather than to show it.
    pub(crate) file_name: Option<&'static str>,
    pub(crate) content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status(pub(crate) u16, pub(crate) &'static str);

pub(crate) const OK: Status = Status(200, "OK");
pub(crate) const BAD_REQUEST: Status = Status(400, "Bad Request");
pub(crate) const FORBIDDEN: Status = Status(403, "Forbidden");
pub(crate) const NOT_FOUND: Status = Status(404, "Not Found");
pub(crate) const NOT_ALLOWED: Status = Status(405, "Method Not Allowed");
pub(crate) const TOO_LARGE: Status = Status(431, "Request Header Fields Too Large");
pub(crate) const FAILED: Status = Status(500, "Internal Server Error");
pub(crate) const BUSY: Status = Status(503, "Service Unavailable");

pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const JSON: &str = "application/json";
pub(crate) const BYTES: &str = "application/octet-stream";

/// Headers of each answer. The pages are of this moment, need nothing from elsewhere, and belong
/// into no frame.
pub(crate) const HEADERS: [(&str, &str); 4] = [
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
];

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum Content {
    Bytes(Vec<u8>),
    File(Recorded),
    /// None, and none is known: a HEAD asks for what would have to be recorded first.
    Unmade,
}

impl Content {
    /// Returns the length, if it is known.
    pub(crate) fn len(&self) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes.len() as u64),
            Self::File(recorded) => Some(recorded.len),
            Self::Unmade => None,
        }
    }
}

impl Answer {
    pub(crate) fn new(content_type: &'static str, text: impl Into<Vec<u8>>) -> Self {
        Self { status: OK, content_type, file_name: None, content: Content::Bytes(text.into()) }
    }

    /// The answer to a HEAD, for a page that would have to be recorded or polled first.
    pub(crate) fn unmade(content_type: &'static str) -> Self {
        Self { status: OK, content_type, file_name: None, content: Content::Unmade }
    }

    /// An answer that says in words why there is no other.
    pub(crate) fn refusal(status: Status, why: impl Into<String>) -> Self {
        let mut why = why.into();
        why.push('\n');
        Self { status, ..Self::new(TEXT, why) }
    }

    pub(crate) fn panicked() -> Self {
        Self::refusal(FAILED, "this page has panicked: see the program's standard error")
    }

    /// The answer to a request by another method.
    pub(crate) fn not_allowed() -> Self {
        Self::refusal(NOT_ALLOWED, "the pages are read by GET or HEAD")
    }

    pub(crate) fn download(file_name: &'static str, content: Content) -> Self {
        Self { status: OK, content_type: BYTES, file_name: Some(file_name), content }
    }

    /// Returns the value of the header that makes browsers save the body.
    pub(crate) fn disposition(&self) -> Option<String> {
        self.file_name.map(|name| format!("attachment; filename=\"{name}\""))
    }
}

/// How much of a file is in memory at a time.
const PIECE: u64 = 64 << 10;

/// A recording, in a file that is removed once the answer is sent.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) file: File,
    pub(crate) len: u64,
    _folder: Option<Scratch>,
}

impl Recorded {
    /// Opens the file at `path`, which goes with `folder`.
    pub(crate) fn open(path: &Path, folder: Option<Scratch>) -> io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(Self { file, len, _folder: folder })
    }

    /// Reads the next piece into `piece`, and leaves it empty at the end.
    pub(crate) fn read_piece(&mut self, piece: &mut Vec<u8>) -> io::Result<()> {
        piece.resize(PIECE.min(self.len) as usize, 0);
        self.len -= piece.len() as u64;
        self.file.read_exact(piece)
    }
}

/// A folder that only this user can enter, removed with all that is in it when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let mut number = 0_u32;
        loop {
            let path = env::temp_dir().join(format!("wsrt-debug-{}-{number}", process::id()));
            match builder.create(&path) {
                // Another recording's, or left by an earlier process of this number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => number += 1,
                created => return created.map(|()| Self(path)),
            }
        }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is found by its name, in a folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}
