//! Child processes: starting programs, piping data to and from them, and waiting until they exit.
//!
//! The names and semantics follow [`std::process`] and `tokio::process`. No thread blocks to wait
//! for a child: the netpoller reports a child's exit (through a pidfd on Linux 5.3 and later, and
//! through SIGCHLD elsewhere) as well as the readiness of its pipes.
//!
//! # The end of a child
//!
//! Dropping a [`Child`] does not stop its process, unless [`Command::kill_on_drop`] is set. The
//! process is reaped when it ends, whether or not it was killed, so no zombie remains while the
//! runtime is running. Of the children that outlive the runtime, those killed through
//! `kill_on_drop` are reaped by a thread, and the others when this process next starts or drops a
//! child, or exits.
//!
//! # Examples
//!
//! ```
//! use wsrt::process::Command;
//!
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! let output = Command::new("sh").args(["-c", "echo hello; exit 3"]).output().await?;
//! assert_eq!(output.stdout, b"hello\n");
//! assert_eq!(output.status.code(), Some(3));
//! # std::io::Result::Ok(()) })?;
//! # std::io::Result::Ok(())
//! ```
//!
//! A conversation with a child process through its pipes:
//!
//! ```
//! use std::process::Stdio;
//! use wsrt::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
//! use wsrt::process::Command;
//!
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
//! let mut questions = child.stdin.take().expect("it is piped");
//! let mut answers = BufReader::new(child.stdout.take().expect("it is piped")).lines();
//!
//! questions.write_all(b"hello?\n").await?;
//! assert_eq!(answers.next_line().await?.as_deref(), Some("hello?"));
//! drop(questions);
//! assert!(child.wait().await?.success());
//! # std::io::Result::Ok(()) })?;
//! # std::io::Result::Ok(())
//! ```

mod child;
mod command;
mod pipes;
mod reap;

pub use self::child::Child;
pub use self::command::Command;
pub use self::pipes::{ChildStderr, ChildStdin, ChildStdout};
#[doc(no_inline)]
pub use std::process::{ExitStatus, Output, Stdio};
