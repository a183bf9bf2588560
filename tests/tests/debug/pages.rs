//! Each page shows what its line on the index says.

use std::future::poll_fn;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use wsrt::runtime::{Builder, FlightRecorder, Runtime};
use wsrt::sync::Mutex;
use wsrt::task;
use wsrt::time::sleep;
use wsrt_tests::{Directory, Gate, Manner, runtime_with, within_a_minute};

use crate::client::{busy_runtime, connect, get, get_until, request, send, serve};

/// `?runtime=` of a runtime: other tests have their own in this process.
fn of(runtime: &Runtime) -> String {
    format!("?runtime={}", runtime.handle().id())
}

#[test]
fn the_index_names_each_page_and_runtime() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let runtime = Builder::new_multi_thread().worker_threads(1).name("<&\"x").build().expect("a runtime");
        let reply = get(address, "/");
        let page = reply.text();
        assert!(
            page.contains(&format!("<h2>runtime {} &quot;&lt;&amp;\\&quot;x&quot;", runtime.handle().id())),
            "{page}"
        );
        for path in [
            "tasks",
            "locks",
            "stalls",
            "metrics",
            "profile?seconds=5",
            "report?seconds=5",
            "trace?seconds=5",
            "flight",
        ] {
            assert!(page.contains(&format!("href=\"/{path}")), "no {path} in {page}");
        }
        for foreign in ["http://", "https://", "<script", "src=", "url("] {
            assert!(!page.contains(foreign), "{foreign} in {page}");
        }
        assert!(page.len() < 16 << 10, "{} bytes", page.len());
        let alone = get(address, &format!("/{}", of(&runtime)));
        assert_eq!(alone.text().matches("<h2>").count(), 1);
    });
}

#[test]
fn tasks_are_shown_as_text_and_as_json() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let runtime = runtime_with(2);
        task::Builder::new().name("sleeper").spawn_on(sleep(Duration::from_secs(3_600)), runtime.handle());
        let page = get_until(address, &format!("/tasks{}", of(&runtime)), "waits for a timer due in");
        assert!(page.starts_with(&format!("runtime {}:\n1 task, 0 blocking jobs: ", runtime.handle().id())), "{page}");
        assert!(page.contains(" \"sleeper\", spawned at "), "{page}");

        let reply = get(address, &format!("/tasks{}&format=json", of(&runtime)));
        assert!(reply.head.contains("content-type: application/json"), "{}", reply.head);
        let json: serde_json::Value = serde_json::from_slice(&reply.body).expect("it is JSON");
        let shown = &json["runtimes"][0];
        assert_eq!(shown["id"].to_string(), runtime.handle().id().to_string());
        assert!(shown["name"].is_null());
        assert_eq!(shown["dump"]["tasks"][0]["name"], "sleeper");
    });
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64", any(target_arch = "aarch64", target_arch = "x86_64")))]
fn tasks_are_shown_with_the_lines_of_their_waits() {
    async fn orders() {
        sleep(Duration::from_secs(3_600)).await;
    }
    within_a_minute(|| {
        let (_server, address) = serve();
        let runtime = runtime_with(2);
        drop(runtime.spawn(async { orders().await }));
        let page = get_until(address, &format!("/tasks{}&chains", of(&runtime)), "::orders at ");
        assert!(page.contains("\n  - ") && page.contains("tests/debug/pages.rs:"), "{page}");
        let plain = get(address, &format!("/tasks{}", of(&runtime)));
        assert!(!plain.text().contains("orders"), "{}", plain.text());
    });
}

#[test]
fn all_runtimes_are_shown_and_one_is_chosen() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let named = |name: &str| Builder::new_current_thread().name(name).build().expect("a runtime");
        let (one, other) = (named("one"), named("other"));
        let all = get(address, "/tasks");
        assert!(all.text().contains(" \"one\":\n") && all.text().contains(" \"other\":\n"), "{}", all.text());
        let chosen = get(address, &format!("/tasks{}", of(&other)));
        assert!(!chosen.text().contains(" \"one\":\n") && chosen.text().contains(" \"other\":\n"), "{}", chosen.text());
        let gone = of(&one);
        drop(one);
        let reply = get(address, &format!("/tasks{gone}"));
        assert_eq!((reply.status, reply.text().contains("there is no such runtime")), (404, true), "{}", reply.text());
    });
}

#[test]
fn metrics_have_a_series_for_each_runtime() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let runtime = Builder::new_multi_thread().worker_threads(3).name("scraped").build().expect("a runtime");
        let reply = get(address, &format!("/metrics{}", of(&runtime)));
        assert!(reply.head.contains("content-type: text/plain; version=0.0.4"), "{}", reply.head);
        assert!(reply.text().contains("\nwsrt_processors{runtime=\"scraped\"} 3\n"), "{}", reply.text());
    });
}

#[test]
fn a_trace_is_a_timeline_of_the_next_seconds() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let runtime = busy_runtime();
        let reply = get(address, &format!("/trace{}&seconds=0.2", of(&runtime)));
        assert_eq!(reply.status, 200, "{}", reply.head);
        assert!(reply.head.contains("filename=\"wsrt.perfetto-trace\""), "{}", reply.head);
        let page = wsrt_report::page(&*reply.body, "a test").expect("it is a trace");
        assert!(page.contains("tests/tests/debug/pages.rs:"), "{page}");
    });
}

#[test]
fn a_report_is_a_page_about_the_next_seconds() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let runtime = busy_runtime();
        let reply = get(address, &format!("/report{}&seconds=0.2", of(&runtime)));
        assert!(reply.head.contains("content-type: text/html"), "{}", reply.head);
        let title = format!("<title>200ms of runtime {} · wsrt report</title>", runtime.handle().id());
        assert!(reply.text().contains(&title), "{}", reply.text());
        assert!(reply.text().contains("tests/tests/debug/pages.rs:"));
    });
}

#[inline(never)]
fn computes_until(end: &AtomicBool) -> u64 {
    let mut sum = 0_u64;
    while !end.load(Relaxed) {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(7));
    }
    sum
}

/// Of a poll that has begun before, and ends after.
#[test]
fn a_profile_names_what_uses_the_cpu_time() {
    if !wsrt_tests::HAS_STACKS {
        return;
    }
    within_a_minute(|| {
        let (_server, address) = serve();
        let (runtime, end) = (runtime_with(1), Arc::new(AtomicBool::new(false)));
        let of_task = Arc::clone(&end);
        let task = runtime.spawn(async move { computes_until(&of_task) });
        get_until(address, &format!("/tasks{}", of(&runtime)), "1 running");
        // On a busy machine it may have had too little of a core.
        let target = format!("/profile{}&seconds=0.5&cpu=250", of(&runtime));
        let text = get_until(address, &format!("{target}&format=text"), "::computes_until");
        let page = get_until(address, &target, "pages::computes_until</span>");
        end.store(true, Relaxed);
        let stack = text.lines().find(|line| line.contains("::computes_until")).expect("it was found");
        assert!(stack.starts_with("tests/tests/debug/pages.rs:"), "{text}");
        let count = stack.rsplit_once(' ').and_then(|(_, count)| count.parse::<u64>().ok());
        assert!(count.is_some_and(|count| count > 0), "{text}");
        assert!(page.contains("<h3>Tasks spawned at <code>tests/tests/debug/pages.rs:"), "{page}");
        runtime.block_on(task).expect("no panic");
    });
}

#[test]
fn spawn_sites_are_measured_for_the_next_seconds() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let runtime = busy_runtime();
        let page = get(address, &format!("/sites{}&seconds=0.2", of(&runtime)));
        assert!(
            page.text().contains(" in 200ms\n") && page.text().contains("  tests/tests/debug/pages.rs:"),
            "{page:?}"
        );
        assert!(!runtime.handle().set_site_polls(false), "it is off again");
    });
}

#[test]
fn a_flight_record_is_sent_and_leaves_no_file() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let folder = Directory::new();
        let recorder = FlightRecorder::new(folder.path("flight"));
        let runtime =
            Builder::new_multi_thread().worker_threads(2).flight_recorder(recorder).build().expect("a runtime");
        runtime.block_on(async { wsrt::spawn(sleep(Duration::from_millis(5))).await }).expect("it does not panic");
        let reply = get(address, &format!("/flight{}", of(&runtime)));
        assert_eq!(reply.status, 200, "{}", reply.head);
        wsrt_report::page(&*reply.body, "a test").expect("it is a trace");
        assert_eq!(std::fs::read_dir(folder.path("")).expect("it is there").count(), 0);

        let without = runtime_with(1);
        let reply = get(address, &format!("/flight{}", of(&without)));
        assert_eq!(reply.status, 404);
        assert!(reply.text().contains("WSRT_FLIGHT"), "{}", reply.text());
    });
}

#[test]
fn locks_are_shown_with_holders_and_deadlocks() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let runtime = runtime_with(2);
        let mutex = Arc::new(Mutex::new(0));
        let twice = Arc::clone(&mutex);
        let locker = async move {
            let outer = twice.lock().await;
            *twice.lock().await += *outer;
        };
        let locker = task::Builder::new().name("locker").spawn_on(locker, runtime.handle());
        let target = format!("/locks{}", of(&runtime));
        get_until(address, &target, "1 deadlock\n");
        runtime.spawn(async move { *mutex.lock().await += 1 });
        let page = get_until(address, &target, "2 tasks wait for Mutex made at ");
        assert!(page.contains("cycle of waits: 1 task cannot continue"), "{page}");
        assert!(page.contains(&format!("held by task {} \"locker\"", locker.id())), "{page}");
    });
}

#[test]
fn stalls_are_shown_while_they_last_and_counted() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let (runtime, gate) = (runtime_with(2), Gate::new());
        let hold = gate.hold();
        task::Builder::new().name("blocker").spawn_on(async move { hold.wait(Manner::Asleep) }, runtime.handle());
        let target = format!("/stalls{}", of(&runtime));
        let page = get_until(address, &target, "\n1 poll has lasted for 10ms and more by now");
        assert!(page.contains("\"blocker\""), "{page}");
        get_until(address, &target, ": 1 poll was reported as a stall");
        if wsrt_tests::HAS_STACKS {
            let page = get_until(address, &target, "\n       1 with this stack, the longest of ");
            assert!(page.contains(" ms; the first: task ") && page.contains("\n    wsrt_tests::hold::"), "{page}");
        }
        gate.open();
        get_until(address, &target, "\n0 polls have lasted");
    });
}

#[test]
fn a_head_records_nothing_and_polls_no_task() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let folder = Directory::new();
        let recorder = FlightRecorder::new(folder.path("flight"));
        let runtime =
            Builder::new_multi_thread().worker_threads(1).flight_recorder(recorder).build().expect("a runtime");
        let polls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&polls);
        let mut long = Box::pin(sleep(Duration::from_secs(3_600)));
        runtime.spawn(poll_fn(move |context| {
            counted.fetch_add(1, Relaxed);
            long.as_mut().poll(context)
        }));
        get_until(address, &format!("/tasks{}", of(&runtime)), "waits for a timer due in");

        let mut recordings = vec!["trace", "report", "sites"];
        recordings.extend(wsrt_tests::HAS_STACKS.then_some("profile"));
        let mut targets: Vec<_> = recordings.iter().map(|page| format!("/{page}{}&seconds=60", of(&runtime))).collect();
        targets.extend([format!("/flight{}", of(&runtime)), format!("/tasks{}&chains", of(&runtime))]);
        for target in targets {
            let reply = send(connect(address), &request(&target).replace("GET", "HEAD"));
            assert_eq!((reply.status, reply.body.len()), (200, 0), "{target}: {}", reply.head);
            assert!(!reply.head.contains("content-length"), "{target}: {}", reply.head);
            assert_eq!(polls.load(Relaxed), 1, "{target}");
        }
        let refused = send(connect(address), &request("/trace?seconds=0").replace("GET", "HEAD"));
        assert_eq!((refused.status, refused.body.len()), (400, 0));
    });
}

#[test]
fn what_is_no_page_is_named_in_the_answer() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let _runtime = runtime_with(1);
        for (target, status, words) in [
            ("/nothing", 404, "there is no /nothing; there are /tasks /locks"),
            ("/profile?cpu=0", 400, "cpu=0 is not a whole number above 0, and 1000 at most"),
            ("/trace?seconds=0", 400, "seconds=0 is not a number above 0, and 60 at most"),
            ("/tasks?format=xml", 400, "format=xml is neither text nor json"),
            ("/tasks?runtime=0", 404, "runtime=0: there is no such runtime"),
        ] {
            let reply = get(address, target);
            assert_eq!(reply.status, status, "{target}: {}", reply.text());
            assert!(reply.text().contains(words), "{target}: {}", reply.text());
        }
    });
}
