//! Child processes: starting them, pipes to and from them, waiting for their end.
//!
//! The names and meanings are the same as in [`std::process`] and `tokio::process`. No thread
//! waits: the end of a child is an event for the netpoller (a pidfd on Linux 5.3 and later, else
//! SIGCHLD), as is a pipe that can be read.
//!
//! # The end of a child
//!
//! The process of a [`Child`] that is dropped continues to run, unless [`Command::kill_on_drop`] is
//! set. Killed or not, it is reaped when it ends: no zombie stays while the runtime lasts. Of the
//! children that outlive the runtime, those that `kill_on_drop` has killed are reaped by a thread;
//! the others when this process next starts or drops a child, or ends.
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
//! A dialogue:
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
mod exit;
mod orphans;
mod pipes;
mod running;
mod together;

pub use self::child::Child;
pub use self::command::Command;
pub use self::pipes::{ChildStderr, ChildStdin, ChildStdout};
#[doc(no_inline)]
pub use std::process::{ExitStatus, Output, Stdio};
