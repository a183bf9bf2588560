//! `/`: what there is to see, and the figures of the moment. Light: no script, and nothing from
//! elsewhere.

use std::fmt::Write;
use std::{env, process};

use wsrt::runtime::{Handle, ProcessorMetrics, RuntimeFlavor};
use wsrt_report::Escaped;

use super::{NONE, PAGES, Page, Request, title};
use crate::answer::{Answer, HTML};

const STYLE: &str = include_str!("style.css");

pub(super) fn answer(request: &Request<'_>) -> Result<Answer, Answer> {
    let mut page = String::with_capacity(8 << 10);
    let (program, process) = (program(), process::id());
    let program = Escaped(&program);
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri \
         'none'; form-action 'none'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{program} · wsrt</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{program}</h1>\n<p>process {process}, on wsrt {}; these are the figures of the moment: reload for newer ones</p>\n",
        env!("CARGO_PKG_VERSION")
    );
    for runtime in &request.runtimes {
        write_runtime(&mut page, request, runtime);
    }
    if request.runtimes.is_empty() {
        let _ = writeln!(page, "<h2>{NONE}</h2>");
    }
    page.push_str("</body>\n</html>\n");
    Ok(Answer::new(HTML, page))
}

/// Returns the name of the program's file.
fn program() -> String {
    let path = env::current_exe().unwrap_or_default();
    path.file_name().map_or_else(|| "program".into(), |name| name.to_string_lossy().into_owned())
}

fn write_runtime(page: &mut String, request: &Request<'_>, runtime: &Handle) {
    let flavor = match runtime.runtime_flavor() {
        RuntimeFlavor::MultiThread => "multi-thread",
        RuntimeFlavor::CurrentThread => "current-thread",
        _ => "of another flavor",
    };
    let _ = writeln!(page, "<h2>{}, {flavor}</h2>\n<dl class=\"tiles\">", Escaped(&title(runtime)));
    write_tiles(page, runtime);
    page.push_str("</dl>\n<ul class=\"pages\">\n");
    // Which runtime a page shows is said only if there is a choice.
    let runtime = if request.runtimes.len() > 1 { format!("runtime={}", runtime.id()) } else { String::new() };
    for Page { path, parameters, shows, .. } in &PAGES {
        write_link(page, request.prefix, path, [*parameters, &runtime], shows);
        if *path == "tasks" {
            write_link(page, request.prefix, path, ["format=json", &runtime], "the same for programs");
            let shows = "with the lines where they wait: polls each waiting task once";
            write_link(page, request.prefix, path, ["chains", &runtime], shows);
        }
    }
    page.push_str("</ul>\n");
}

/// Writes a link to a page with its parameters, of which the first is shown.
fn write_link(page: &mut String, prefix: &str, path: &str, parameters: [&str; 2], shows: &str) {
    let (mut target, mut shown) = (format!("{prefix}/{path}"), format!("/{path}"));
    let given = parameters.iter().filter(|parameter| !parameter.is_empty());
    for (parameter, separator) in given.zip(['?', '&']) {
        let _ = write!(target, "{separator}{parameter}");
    }
    if !parameters[0].is_empty() {
        let _ = write!(shown, "?{}", parameters[0]);
    }
    let target = Escaped(&target);
    let _ = writeln!(page, "<li><a href=\"{target}\"><code>{shown}</code></a><span>{shows}</span></li>");
}

fn write_tiles(page: &mut String, runtime: &Handle) {
    let metrics = runtime.metrics().snapshot();
    let workers = metrics.num_workers() + metrics.num_spare_processors();
    let busy = workers.saturating_sub(metrics.num_idle_processors());
    let in_rings: usize = metrics.processors().iter().map(ProcessorMetrics::local_queue_depth).sum();
    let queued = metrics.global_queue_depth() + in_rings;
    let spares = metrics.num_spare_processors();
    let jobs = metrics.num_blocking_threads().saturating_sub(metrics.num_idle_blocking_threads());
    let mut tile = |is_alarm: bool, name: &str, value: String, note: String| {
        let class = if is_alarm { " class=\"alarm\"" } else { "" };
        let _ = writeln!(page, "<div{class}><dt>{name}</dt><dd>{value} <span>{note}</span></dd></div>");
    };
    tile(spares > 0 && busy > 0, "Workers busy", format!("{busy} of {workers}"), spare_note(spares));
    tile(false, "Tasks", metrics.num_alive_tasks().to_string(), format!("{queued} in queues"));
    let jobs_waiting = format!("{} jobs wait", metrics.blocking_queue_depth());
    tile(metrics.blocking_queue_depth() > 0, "Blocking jobs", jobs.to_string(), jobs_waiting);
    tile(metrics.stall_count() > 0, "Stalls", metrics.stall_count().to_string(), "long polls so far".to_owned());
}

fn spare_note(spares: usize) -> String {
    match spares {
        0 => "no poll is stuck".to_owned(),
        1 => "one is a spare, for a stuck poll".to_owned(),
        _ => format!("{spares} are spares, for stuck polls"),
    }
}
