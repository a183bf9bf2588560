//! The lines that a process prints.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// The lines of a pipe, as they come.
pub fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}
