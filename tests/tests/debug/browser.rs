//! A real browser opens the pages, and has nothing to complain of.

use std::process::Command;

use wsrt_tests::{Directory, not_checked};

use crate::client::{busy_runtime, serve};

#[test]
fn a_browser_has_nothing_to_complain_of() {
    let there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let Some(browser) = ["chromium", "chromium-headless-shell"].into_iter().find(there) else {
        return not_checked("the debug pages in a browser", "there is no chromium");
    };
    let (server, address) = serve();
    let runtime = busy_runtime();
    let profile = Directory::new();
    let runtime = runtime.handle().id();
    let report = format!("report?seconds=0.2&runtime={runtime}");
    let flames = format!("profile?seconds=0.5&runtime={runtime}");
    let pages = [("", "<h2>runtime "), (&*report, "class=\"timeline live\""), (&*flames, "<section id=\"samples\"")];
    for (page, words) in pages {
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--dump-dom"])
            .arg(format!("--user-data-dir={}", profile.path("profile").display()))
            .arg(format!("http://{address}/{page}"))
            .output()
            .expect("the browser starts");
        let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let complaints: Vec<_> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
        assert!(complaints.is_empty(), "/{page}: {complaints:?}");
        assert!(dom.contains(words), "no {words} in /{page}: {dom}\n{log}");
    }
    drop(server);
}
