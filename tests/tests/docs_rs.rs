//! The documentation of the crates that users name, built as docs.rs builds it: with the features
//! and the flags of each one's `[package.metadata.docs.rs]`, by a nightly compiler. That is a build
//! of its own, so only `.ci/run tools` makes it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wsrt_tests::not_checked;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The packages that users name, their folders, and the features that docs.rs does not show.
const PACKAGES: [(&str, &str, &[&str]); 4] = [
    ("wsrt", "executor", &["default", "drop-in", "loom", "schedule"]),
    ("wsrt-hyper", "hyper", &[]),
    ("wsrt-metrics", "metrics", &["default"]),
    ("wsrt-debug", "debug", &["default"]),
];

/// Pages that a reader looks for, and words that each has to have.
const PAGES: [(&str, &str); 29] = [
    ("wsrt/net/index.html", "TcpListener"),
    ("wsrt/net/struct.TcpStream.html", "happy eyeballs"),
    ("wsrt/net/struct.UdpSocket.html", "recv_from"),
    ("wsrt/net/unix/index.html", "SocketAddr"),
    ("wsrt/sync/index.html", "Mutex"),
    ("wsrt/sync/mpsc/fn.channel.html", "Examples"),
    ("wsrt/sync/struct.Semaphore.html", "acquire"),
    ("wsrt/io/trait.AsyncReadExt.html", "read_exact"),
    ("wsrt/io/struct.BufReader.html", "buffer"),
    ("wsrt/io/unix/struct.AsyncFd.html", "readable"),
    ("wsrt/process/index.html", "<code>process</code>"),
    ("wsrt/macro.select.html", "<code>macros</code>"),
    ("wsrt/runtime/struct.Handle.html", "snapshot"),
    ("wsrt/guide/index.html", "from_tokio"),
    ("wsrt/guide/server/index.html", "data:image/svg+xml"),
    ("wsrt/guide/service/index.html", "reqwest::Client"),
    ("wsrt/guide/parallel/index.html", "data:image/svg+xml"),
    ("wsrt/guide/tuning/index.html", "worker_threads"),
    ("wsrt/guide/from_tokio/index.html", "Differences in behaviour"),
    ("wsrt/guide/drop_in/index.html", "patch.crates-io"),
    ("wsrt/guide/blocking/index.html", "The explicit calls"),
    ("wsrt/guide/seeing/index.html", "Seeing it run"),
    ("wsrt/guide/metrics/index.html", "wsrt_polls_total"),
    ("wsrt_metrics/fn.export.html", "recorder"),
    ("wsrt_debug/fn.init.html", "WSRT_DEBUG"),
    ("wsrt_debug/struct.Service.html", "nest_service"),
    ("wsrt_hyper/index.html", "TokioIo"),
    ("wsrt_hyper/fn.serve.html", "<code>serve</code>"),
    ("wsrt_hyper/tower/index.html", "<code>tower</code>"),
];

#[test]
#[ignore = "a build of its own: `.ci/run tools` makes it"]
fn docs_rs_shows_every_page_with_working_links() {
    let nightly = Command::new("cargo").args(["+nightly", "--version"]).output();
    if !nightly.is_ok_and(|output| output.status.success()) {
        return not_checked("the documentation as docs.rs builds it", "there is no nightly compiler");
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs-rs");
    for package in PACKAGES {
        build(package, &target);
    }
    let pages = target.join("doc");
    for (page, words) in PAGES {
        let text = fs::read_to_string(pages.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(words), "{page} has no {words:?}");
    }
    let mut files = Vec::new();
    for (package, ..) in PACKAGES {
        collect_pages(&pages.join(package.replace('-', "_")), &mut files);
    }
    let broken: BTreeSet<String> = files.iter().flat_map(|file| broken_links(file, &pages)).collect();
    assert!(broken.is_empty(), "links that lead nowhere: {broken:#?}");
}

/// Builds the documentation of a package with `folder` as cargo's target.
fn build(package: (&str, &str, &[&str]), folder: &Path) {
    let (features, flags) = metadata(package);
    let output = Command::new("cargo")
        // The last has links to other crates' items lead to their pages.
        .args([
            "+nightly",
            "doc",
            "--quiet",
            "--lib",
            "--no-deps",
            "-p",
            package.0,
            "--features",
            &features,
            "-Zrustdoc-map",
        ])
        .env("CARGO_TARGET_DIR", folder)
        .env("RUSTDOCFLAGS", format!("{flags} -D warnings"))
        .env_remove("RUSTFLAGS")
        // Those of the cargo that runs this test name another compiler.
        .env_remove("RUSTC")
        .env_remove("RUSTDOC")
        .env_remove("RUSTUP_TOOLCHAIN")
        .current_dir(ROOT)
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The features and the flags of the metadata, in the forms that cargo and rustdoc take.
fn metadata((package, folder, unseen): (&str, &str, &[&str])) -> (String, String) {
    let manifest = fs::read_to_string(format!("{ROOT}/{folder}/Cargo.toml")).expect("it is there");
    let list = |key: &str| {
        let Some((_, rest)) = manifest.split_once(&format!("\n{key} = [")) else { return Vec::new() };
        let (list, _) = rest.split_once(']').expect("a list ends");
        list.split(',').map(|word| word.trim().trim_matches('"').to_owned()).collect::<Vec<_>>()
    };
    let shown: BTreeSet<String> = list("features").into_iter().chain(list("default")).collect();
    let table = manifest.split_once("\n[features]\n").map_or("", |(_, table)| table);
    let table = table.split("\n[").next().expect("one part at least");
    let all = table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "));
    let hidden: Vec<_> = all.map(|(name, _)| name).filter(|name| !shown.contains(*name)).collect();
    assert_eq!(hidden, unseen, "the features of {package} that docs.rs does not show");
    (list("features").join(","), list("rustdoc-args").join(" "))
}

fn collect_pages(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of pages") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect_pages(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            files.push(path);
        }
    }
}

/// The relative links of a page that lead to no file, and those to an anchor that is not there.
fn broken_links(file: &Path, pages: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("a page can be read");
    let links = text.split("href=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(link, _)| link);
    let own =
        links.filter(|link| !link.contains("://") && !link.starts_with("data:") && !link.contains("static.files"));
    let page = file.strip_prefix(pages).unwrap_or(file).display().to_string();
    // Other crates' words on their traits, which name parts that are not shown here. The compiler
    // refuses names of our own that lead nowhere.
    let is_foreign = |link: &str| link.contains("::");
    let broken = own.filter(|link| !is_foreign(link) && !leads_somewhere(link, file, &text));
    broken.map(|link| format!("{page} -> {link}")).collect()
}

fn leads_somewhere(link: &str, file: &Path, text: &str) -> bool {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().expect("one part at least");
    let target = file.parent().expect("it is in a folder").join(path);
    if path.is_empty() {
        return has_anchor(text, anchor);
    }
    if !target.is_file() {
        return false;
    }
    // The lines of a source have anchors that a script makes.
    if path.contains("src/") || anchor.is_empty() {
        return true;
    }
    fs::read_to_string(target).is_ok_and(|text| has_anchor(&text, anchor))
}

fn has_anchor(text: &str, anchor: &str) -> bool {
    anchor.is_empty() || text.contains(&format!("id=\"{anchor}\""))
}

#[test]
fn links_of_the_guide_lead_into_the_tree() {
    let mut known: Vec<String> = Vec::new();
    for (label, target) in definitions(&read("links.md")) {
        assert!(target.starts_with("crate::") || target.starts_with("data:"), "{label} leads out of the documentation");
        known.push(label);
    }
    // `"label" "blob" "path",` in the macro `links!`.
    let guide = fs::read_to_string(format!("{ROOT}/executor/src/guide.rs")).expect("it is there");
    for line in guide.lines().filter(|line| line.trim_start().starts_with('"')) {
        let words: Vec<&str> = line.split('"').collect();
        let [_, label, _, "blob" | "raw" | "tree", _, path, ","] = words[..] else { panic!("no definition: {line}") };
        assert!(Path::new(ROOT).join(path).exists(), "guide.rs: there is no {path}");
        known.push(label.to_owned());
    }
    for entry in fs::read_dir(format!("{ROOT}/executor/docs")).expect("the guide is there") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        if !name.ends_with(".md") || name == "links.md" {
            continue;
        }
        let text = read(&name);
        assert!(!text.contains("](../") && !text.contains(".md)"), "{name}: name the link, and define it at the end");
        for (label, target) in definitions(&text).into_iter().filter(|(_, target)| !target.contains("://")) {
            let path = target.split('#').next().expect("one part at least");
            assert!(Path::new(ROOT).join("executor/docs").join(path).exists(), "{name}: there is no {path}");
            assert!(known.contains(&label), "{name}: neither links.md nor guide.rs defines [{label}]");
        }
    }
}

#[test]
fn the_repository_has_one_address() {
    let address = |manifest: &str| {
        let text = fs::read_to_string(format!("{ROOT}/{manifest}")).expect("it is there");
        let lines = text.lines().filter_map(|line| line.strip_prefix("repository = "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(address("ecosystem/Cargo.toml"), address("Cargo.toml"));
}

fn read(name: &str) -> String {
    fs::read_to_string(format!("{ROOT}/executor/docs/{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The definitions of links in a document: label and target.
fn definitions(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter(|line| line.starts_with('['));
    let parts = lines.filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    parts.map(|(label, target)| (label.to_owned(), target.to_owned())).collect()
}
