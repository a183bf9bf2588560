//! A Redis with the scripts of the store and nothing else: it knows them by their names, and runs
//! them on the store in memory, which `every_job_has_one_place.rs` compares with a real Redis.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use redis::Script;
use wsrt::io::BufReader;
use wsrt::net::{TcpListener, TcpStream};

use crate::resp::{array, command, text};
use crate::store::Disk;

/// The names of the scripts by their hashes. A crash takes them.
type Scripts = Arc<Mutex<BTreeMap<String, String>>>;

pub(crate) async fn serve_redis(disk: Disk) -> io::Result<()> {
    let scripts = Scripts::default();
    let listener = TcpListener::bind("0.0.0.0:6379").await?;
    loop {
        let (stream, _) = listener.accept().await?;
        wsrt::spawn(converse(stream, disk.clone(), Arc::clone(&scripts)));
    }
}

async fn converse(stream: TcpStream, disk: Disk, scripts: Scripts) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(words) = command(&mut stream).await? {
        let answer = answer(&words, &disk, &scripts).await;
        stream.get_mut().write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

async fn answer(words: &[String], disk: &Disk, scripts: &Scripts) -> String {
    match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["SCRIPT", "LOAD", source] => {
            let hash = Script::new(source).get_hash().to_owned();
            let answer = text(&hash);
            scripts.lock().expect("no panic while it is locked").insert(hash, name(source));
            answer
        }
        ["EVALSHA", hash, "1", _prefix, arguments @ ..] => {
            let script = scripts.lock().expect("no panic while it is locked").get(*hash).cloned();
            match script {
                Some(script) => array(&disk.run(&script, arguments).await),
                None => "-NOSCRIPT No matching script.\r\n".to_owned(),
            }
        }
        ["CLIENT", ..] => "+OK\r\n".to_owned(),
        other => panic!("this Redis does not know {other:?}"),
    }
}

/// The name of a script: the first word of its first comment, behind what all have in common.
fn name(source: &str) -> String {
    let (_, body) = source.split_once("local STARTING_JOBS").expect("all scripts begin alike");
    let (_, comment) = body.split_once("-- ").expect("each begins with a comment");
    comment.chars().take_while(|&letter| letter == '_' || letter.is_alphanumeric()).collect()
}
