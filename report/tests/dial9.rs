//! dial9's own decoder opens what `--dial9` writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use dial9_trace_format::decoder::Decoder;

mod support;

use support::program::Program;

#[test]
fn dial9_opens_what_is_converted() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dial9");
    fs::create_dir_all(&directory).expect("a directory can be made");
    let trace = directory.join("run.perfetto-trace");
    fs::write(&trace, Program::usual(500).bytes()).expect("a file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_wsrt-report")).arg("--dial9").arg(&trace).output();
    let output = output.expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    let converted = format!("{}.bin", trace.display());
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{converted}\n"));

    let bytes = fs::read(converted).expect("it is there");
    let (mut counts, mut polls, mut last) = (BTreeMap::<String, u64>::new(), Vec::new(), 0);
    let mut decoder = Decoder::new(&bytes).expect("a header of dial9's");
    let decoded = decoder.for_each_event(|event| {
        *counts.entry(event.name.to_owned()).or_default() += 1;
        last = event.timestamp_ns.expect("each event has a time");
        if event.name == "PollStartEvent" {
            let names: Vec<_> = event.schema.fields().iter().map(|field| field.name().to_owned()).collect();
            assert_eq!(names, ["worker_id", "local_queue", "task_id", "spawn_loc"]);
            polls.push(format!("{:?}", event.fields));
        }
    });
    decoded.expect("each frame is one of dial9's");
    assert_eq!((counts["PollStartEvent"], counts["PollEndEvent"]), (500, 500), "{counts:?}");
    assert!(polls[0].starts_with("[Varint("), "{}", polls[0]);
    assert!(last > 1_000_000_000_000, "{last}");
}
