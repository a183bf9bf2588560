//! One client: its messages are answered one after the other, in their order.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use wsrt::task::yield_now;
use wsrt::time::timeout;

use super::wire::Wire;
use crate::node::Node;
use crate::protocol::{Frame, Framer};
use crate::store::Store;

/// How long the rest of a message that goes over several lines is waited for.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many bytes of answers are sent off, even if there are more messages to answer.
const ENOUGH: usize = 64 * 1024;

/// Answers a client until it ends the conversation.
pub(super) async fn converse<S: Store, W: Wire>(node: &Node<S>, mut wire: W) -> io::Result<()> {
    let mut framer = Framer::default();
    let mut output = Vec::new();
    let mut has_ended = false;
    loop {
        while let Some(frame) = framer.next() {
            answer(node, frame, &mut wire, &mut output).await?;
        }
        send(&mut wire, &mut output).await?;
        if has_ended {
            return Ok(());
        }
        // A client that always has more to say finds its messages ready, and would never wait.
        yield_now().await;
        let limit = if framer.is_holding() { PATIENCE } else { Duration::MAX };
        match timeout(limit, wire.read()).await {
            Ok(bytes) => {
                let bytes = bytes?;
                has_ended = bytes.is_empty();
                if has_ended { framer.end() } else { framer.push(bytes) }
            }
            Err(_) => {
                if let Some(frame) = framer.break_off() {
                    answer(node, frame, &mut wire, &mut output).await?;
                }
            }
        }
    }
}

async fn answer<S: Store, W: Wire>(
    node: &Node<S>,
    frame: Frame<'_>,
    wire: &mut W,
    output: &mut Vec<u8>,
) -> io::Result<()> {
    let mut answer = pin!(node.answer(frame));
    let answer = match at_once(answer.as_mut()).await {
        Some(answer) => answer,
        None => {
            // It takes its time, and the answers before it should not wait for it.
            send(wire, output).await?;
            answer.await
        }
    };
    answer.write(output);
    if output.len() >= ENOUGH { send(wire, output).await } else { Ok(()) }
}

async fn send<W: Wire>(wire: &mut W, output: &mut Vec<u8>) -> io::Result<()> {
    if !output.is_empty() {
        wire.write(output).await?;
        output.clear();
    }
    Ok(())
}

/// The output of a future if it is there without waiting.
async fn at_once<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
