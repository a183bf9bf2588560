//! A client of the node: it asks until it is answered.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use wsrt::io::{AsyncBufReadExt, BufReader};
use wsrt::net::TcpStream;
use wsrt::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(50);

/// A client that connects when it has to.
#[derive(Debug, Default)]
pub(crate) struct Client {
    stream: Option<BufReader<TcpStream>>,
}

impl Client {
    /// Submits a job until the node says that it has it.
    pub(crate) async fn submit(&mut self, worker: &str, job: usize) {
        // Some take longer than a lease, and some no time at all.
        let wait_us = [0, 30_000, 150_000, 900_000][job % 4];
        let payload = json!({ "wait_us": wait_us });
        let message = json!({ "type": "submit_job", "worker": worker, "job_id": name(job), "payload": payload });
        let is_there = |answer: &Value| answer["type"] == "job_submitted" || answer["error"] == "duplicate_job";
        let _ = self.ask_until(&message, is_there).await;
    }

    /// Waits until a job has its result.
    pub(crate) async fn wait_until_done(&mut self, job: usize) {
        let message = json!({ "type": "find_job", "job_id": name(job) });
        let found = self.ask_until(&message, |answer| answer["place"] == "done").await;
        assert_eq!(found["result"], json!({ "steps": 0 }), "{found}");
    }

    async fn ask_until(&mut self, body: &Value, is_answer: impl Fn(&Value) -> bool) -> Value {
        loop {
            match timeout(PATIENCE, self.ask(body)).await {
                Ok(Ok(answer)) if is_answer(&answer) => return answer,
                Ok(Ok(answer)) => assert_ne!(answer["error"], "unknown_job", "it was acknowledged: {answer}"),
                Ok(Err(_)) | Err(_) => self.stream = None,
            }
            sleep(PAUSE).await;
        }
    }

    async fn ask(&mut self, body: &Value) -> io::Result<Value> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            away => away.insert(BufReader::new(TcpStream::connect("node:7100").await?)),
        };
        let mut body = body.clone();
        body["msg_id"] = json!(1);
        let message = format!("{}\n", json!({ "src": "c1", "dest": "n1", "body": body }));
        stream.get_mut().write_all(message.as_bytes()).await?;
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut answer: Value = serde_json::from_str(&line)?;
        Ok(answer["body"].take())
    }
}

pub(crate) fn name(job: usize) -> String {
    format!("work{job}")
}
