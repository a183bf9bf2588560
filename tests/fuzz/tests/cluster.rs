//! Any bytes may be sent to a cluster node: each message has one answer, a line of JSON, however
//! the bytes are cut into reads.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use wsrt::runtime::Builder;
use wsrt_cluster::node::Node;
use wsrt_cluster::protocol::{Frame, Framer, Request};
use wsrt_cluster::store::{MemoryStore, StoreAddress};
use wsrt_fuzz::{Corpus, Metered, check, corpus};

#[global_allocator]
static METERED: Metered = Metered;

/// A tree of JSON takes some tens of bytes for each of its brackets.
const MEMORY: usize = 1 << 20;
const MEMORY_PER_BYTE: usize = 512;

fn messages() -> Corpus {
    let words =
        ["{", "}", "[", "]", ",", ":", "\n", "null", "\"body\":", "\"type\":", "\"msg_id\":", "\\u0000", "\\ud800"];
    corpus("cluster", &words)
}

/// The messages, read in pieces of `size` bytes.
fn frames(bytes: &[u8], size: usize) -> Vec<Option<Vec<u8>>> {
    let (mut framer, mut frames) = (Framer::default(), Vec::new());
    let mut take = |framer: &mut Framer| {
        while let Some(frame) = framer.next() {
            frames.push(match frame {
                Frame::Message(text) => Some(text.to_vec()),
                Frame::TooLong => None,
            });
        }
    };
    for piece in bytes.chunks(size) {
        framer.push(piece);
        take(&mut framer);
    }
    framer.end();
    take(&mut framer);
    frames
}

#[test]
fn messages_are_the_same_however_they_are_cut() {
    check(&messages(), 20_000, |bytes| {
        let whole = frames(bytes, bytes.len().max(1));
        for size in [1, 2, 7, 64] {
            assert_eq!(frames(bytes, size), whole, "in pieces of {size}");
        }
        // No byte is in two messages; a last line without an end is given one.
        let taken: usize = whole.iter().flatten().map(Vec::len).sum();
        assert!(taken <= bytes.len() + 1);
    });
}

#[test]
fn each_message_has_one_answer_on_one_line() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    check(&messages(), 20_000, |bytes| {
        let node = Node::new(Arc::new(MemoryStore::new()), 7, Duration::from_secs(30));
        for frame in frames(bytes, 4096) {
            let frame = frame.as_deref().map_or(Frame::TooLong, Frame::Message);
            // It computes for as long as it is asked to.
            if matches!(frame, Frame::Message(text) if asks_to_compute(text)) {
                continue;
            }
            let mut line = Vec::new();
            runtime.block_on(node.answer(frame)).write(&mut line);
            assert_eq!(line.iter().filter(|&&byte| byte == b'\n').count(), 1);
            let answer: Value = serde_json::from_slice(&line).expect("an answer is JSON");
            assert!(answer["body"]["type"].is_string(), "{answer}");
        }
    });
}

fn asks_to_compute(text: &[u8]) -> bool {
    let message = serde_json::from_slice::<Value>(text).unwrap_or_default();
    message["body"]["type"] == "run_simulation"
}

#[test]
fn a_message_takes_memory_by_its_length() {
    check(&messages(), 10_000, |bytes| {
        let most = Metered::most_during(|| drop(Request::parse(bytes)));
        let allowed = MEMORY + MEMORY_PER_BYTE * bytes.len();
        assert!(most <= allowed, "{most} bytes of memory for {} of a message", bytes.len());
    });
}

#[test]
fn no_text_breaks_the_address_of_a_store() {
    let stores = ["memory", "redis://:secret@host:1/2", "redis://[::1]:7000", "rediss://h", "redis://u:secret@h:port"];
    let inputs = stores.iter().map(|text| text.as_bytes().to_vec()).collect();
    let words = ["redis://", "@", ":", "/", "[", "]", "%", "?"].map(|word| word.as_bytes().to_vec()).to_vec();
    check(&Corpus { inputs, words }, 20_000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Err(refusal) = text.parse::<StoreAddress>() {
            // A word that stands alone is the name of a store, and one before `://` a scheme.
            let scheme = text.split("://").next().unwrap_or("");
            let is_public = scheme.contains("secret") && scheme.chars().all(char::is_alphanumeric);
            assert!(!refusal.is_empty() && (is_public || !refusal.contains("secret")), "{refusal}");
        }
    });
}
