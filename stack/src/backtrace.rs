//! A backtrace: the frames of a stack that an author can change.

use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use wsrt_trace::place::shortened;

use crate::origin::{Origin, crate_of};

/// The functions that a thread was in, with their files and lines: those of the program and of the
/// packages that it uses, the innermost first. The frames of the runtime and of the standard
/// library are left out, but for the function that the innermost of the others has called.
///
/// Files and lines are in the program if it was built with `debug = "line-tables-only"` or more in
/// its profile, as `cargo build` without `--release` does.
#[derive(Clone)]
pub struct Backtrace(Arc<Cut>);

struct Cut {
    frames: Vec<StackFrame>,
    is_panicking: bool,
    missing: Option<&'static str>,
}

/// A function in a [`Backtrace`].
#[derive(Clone, PartialEq, Eq)]
pub struct StackFrame {
    function: String,
    file: Option<String>,
    line: u32,
    origin: Origin,
    is_named: bool,
}

impl StackFrame {
    /// A frame with the function's demangled name and its file's full path.
    pub(crate) fn new(function: &str, file: Option<&str>, line: u32, origin: Origin) -> Self {
        let file = file.map(|file| below_current_folder(shortened(file)).to_owned());
        Self { function: without_closures(function), file, line, origin, is_named: true }
    }

    /// A frame whose function has no symbol: `name` is its address in its file.
    pub(crate) fn unnamed(name: String, origin: Origin) -> Self {
        Self { function: name, file: None, line: 0, origin, is_named: false }
    }

    /// Returns the function's name. For a closure or the body of an `async fn` it is the name of
    /// the function around it; without symbols, a place in the program's file.
    pub fn function(&self) -> &str {
        &self.function
    }

    /// Returns the source file: relative to the current folder, or without the folders of cargo's
    /// registry, where it is below those.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// Returns the line of the call, or where the thread was.
    pub fn line(&self) -> Option<u32> {
        Some(self.line).filter(|&line| line > 0)
    }

    fn is_kept(&self) -> bool {
        matches!(self.origin, Origin::Program | Origin::Dependency)
    }

    fn is_of_program(&self) -> bool {
        self.origin == Origin::Program
    }
}

impl fmt::Display for StackFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.function)?;
        if let (true, Some(file)) = (self.function.is_empty(), &self.file) {
            return write!(f, "{file}:{}", self.line);
        }
        match (&self.file, self.line) {
            (Some(file), 0) => write!(f, " at {file}"),
            (Some(file), line) => write!(f, " at {file}:{line}"),
            (None, _) => Ok(()),
        }
    }
}

impl fmt::Debug for StackFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// So many frames of the program are shown in a row, from both ends.
const SHOWN: usize = 12;
/// So many packages are named of those whose frames are passed over.
const NAMED: usize = 4;

impl Backtrace {
    /// Cuts a whole stack, the innermost frame first, of a thread that was known to panic or not.
    pub(crate) fn cut(mut all: Vec<StackFrame>, is_panicking: bool) -> Self {
        disown(&mut all);
        let is_panicking = is_panicking || all.iter().any(begins_panic);
        let missing = missing(&all);
        // Where nothing else is left, the function that the runtime has called: a future of the
        // program's that was built into the runtime's poll.
        let is_first = |frame: &StackFrame| frame.origin != Origin::System;
        let first = all.iter().position(StackFrame::is_kept).or_else(|| all.iter().position(is_first));
        let first = first.unwrap_or(all.len());
        let call = all[..first].last().cloned();
        let mut frames: Vec<_> =
            call.into_iter().chain(all.into_iter().skip(first).filter(StackFrame::is_kept)).collect();
        frames.dedup();
        Self(Arc::new(Cut { frames, is_panicking, missing }))
    }

    /// Returns the frames, the innermost first.
    pub fn frames(&self) -> &[StackFrame] {
        &self.0.frames
    }

    /// Returns the frame to look at first: the innermost of the program's own, or of a
    /// dependency's, or else the first.
    pub fn place(&self) -> Option<&StackFrame> {
        let of_program = self.frames().iter().find(|frame| frame.is_of_program());
        let kept = || self.frames().iter().find(|frame| frame.is_kept());
        of_program.or_else(kept).or(self.frames().first())
    }

    /// Returns whether a frame of the program, or of a package that it uses, was found.
    #[doc(hidden)]
    pub fn has_program(&self) -> bool {
        self.frames().iter().any(StackFrame::is_kept)
    }

    /// Returns the functions from the outermost to the innermost, each once in a row: a path in a
    /// flame graph.
    #[doc(hidden)]
    pub fn path(&self) -> Vec<String> {
        let name = |frame: &StackFrame| {
            // A closure that was inlined has no more of a name than its place.
            if frame.function.is_empty() { frame.to_string() } else { frame.function.clone() }
        };
        let mut path: Vec<_> = self.frames().iter().rev().map(name).collect();
        path.dedup();
        path
    }

    /// Returns whether the thread was panicking: it printed the message and its backtrace, perhaps,
    /// or unwound.
    #[doc(hidden)]
    pub fn is_panicking(&self) -> bool {
        self.0.is_panicking
    }

    /// Returns what is missing in the program for functions or lines, and how to build it in.
    #[doc(hidden)]
    pub fn missing(&self) -> Option<&'static str> {
        self.0.missing
    }

    /// Returns a key that all stalls for the same reason share. A thread that blocks is at the same
    /// lines each time; one that computes, in the same functions, however often one calls another.
    #[doc(hidden)]
    pub fn key(&self, with_lines: bool) -> String {
        let has_own = self.frames().iter().any(StackFrame::is_of_program);
        let (mut key, mut seen) = (String::new(), BTreeSet::new());
        for frame in self.frames().iter().filter(|frame| !has_own || frame.is_of_program()) {
            // A closure that was inlined has no more of a name than its line.
            let line = if with_lines || frame.function.is_empty() { frame.line } else { 0 };
            if seen.insert((&frame.function, line)) {
                let _ = writeln!(key, "{} {line}", frame.function);
            }
        }
        key
    }
}

/// A line for each frame, with four spaces before it. Frames of dependencies are counted.
impl fmt::Display for Backtrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = self.frames();
        let mut lines = Vec::new();
        // A dependency's frames are shown where the program has none, or where it is stuck in one.
        let is_shown = |index: usize| index < 2 || frames[index].is_of_program();
        let mut index = 0;
        while index < frames.len() {
            let hidden = (index..frames.len()).take_while(|&index| !is_shown(index)).count();
            if hidden > 0 {
                lines.push(passed_over(&frames[index..index + hidden]));
                index += hidden;
            } else {
                lines.push(frames[index].to_string());
                index += 1;
            }
        }
        let left_out = lines.len().saturating_sub(2 * SHOWN);
        if left_out > 0 {
            drop(lines.splice(SHOWN..SHOWN + left_out, [format!("… {left_out} more")]));
        }
        for (index, line) in lines.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}    {line}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Backtrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.frames()).finish()
    }
}

/// `… 23 frames of axum, tower, hyper`.
fn passed_over(frames: &[StackFrame]) -> String {
    let mut packages: Vec<&str> = Vec::new();
    for package in frames.iter().filter_map(|frame| crate_of(&frame.function)) {
        if !packages.contains(&package) {
            packages.push(package);
        }
    }
    let more = if packages.len() > NAMED { ", …" } else { "" };
    packages.truncate(NAMED);
    let plural = if frames.len() == 1 { "frame" } else { "frames" };
    format!("… {} {plural} of {}{more}", frames.len(), packages.join(", "))
}

/// Corrects the origins of functions whose files are a macro's of another package: they are of the
/// dependency that has others of the same crate.
fn disown(frames: &mut [StackFrame]) {
    let of_dependency = frames.iter().filter(|frame| frame.origin == Origin::Dependency);
    let crates: BTreeSet<String> =
        of_dependency.filter_map(|frame| crate_of(&frame.function)).map(str::to_owned).collect();
    for frame in frames.iter_mut().filter(|frame| frame.origin == Origin::Program) {
        if crate_of(&frame.function).is_some_and(|name| crates.contains(name)) {
            frame.origin = Origin::Dependency;
        }
    }
}

fn begins_panic(frame: &StackFrame) -> bool {
    let ends = ["begin_panic_handler", "panic_with_hook", "begin_panic", "panic_fmt", "default_hook"];
    frame.function.contains("panicking::") && ends.iter().any(|end| frame.function.ends_with(end))
}

fn missing(all: &[StackFrame]) -> Option<&'static str> {
    let mut of_build = all.iter().filter(|frame| frame.origin != Origin::System).peekable();
    of_build.peek()?;
    let (mut has_names, mut has_lines) = (false, false);
    for frame in of_build {
        has_names |= frame.is_named;
        has_lines |= frame.line > 0;
    }
    match (has_names, has_lines) {
        (_, true) => None,
        (true, false) => Some(
            "set `debug = \"line-tables-only\"` in the profile of Cargo.toml to see functions that are inlined, and lines",
        ),
        (false, false) => Some(
            "set `strip = false` and `debug = \"line-tables-only\"` in the profile of Cargo.toml to see functions and lines",
        ),
    }
}

/// Removes the marks of closures and of the bodies of `async fn`s from a name.
fn without_closures(function: &str) -> String {
    let mut name = String::with_capacity(function.len());
    for part in function.split("::") {
        if part == "{{closure}}" || (part.starts_with('{') && part.ends_with('}') && part.contains('#')) {
            continue;
        }
        if !name.is_empty() {
            name.push_str("::");
        }
        name.push_str(part);
    }
    name
}

fn below_current_folder(path: &str) -> &str {
    static FOLDER: OnceLock<String> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = std::env::current_dir().unwrap_or_default();
        folder.to_str().filter(|folder| *folder != "/").unwrap_or_default().to_owned()
    });
    if folder.is_empty() {
        return path;
    }
    path.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(all: Vec<StackFrame>) -> Backtrace {
        Backtrace::cut(all, false)
    }

    fn frame(function: &str, file: &str, line: u32) -> StackFrame {
        let file = Some(file).filter(|file| !file.is_empty());
        StackFrame::new(function, file, line, Origin::of(function, file))
    }

    const HYPER: &str = "/root/.cargo/registry/src/index.crates.io-6f/hyper-1.8.1/src/dispatch.rs";

    fn of_a_server(line: u32) -> Vec<StackFrame> {
        vec![
            frame("std::sys::pal::unix::futex::futex_wait", "", 0),
            frame("std::sync::poison::mutex::Mutex<T>::lock", "/rustc/59/library/std/src/sync/mutex.rs", 490),
            frame("app::report::{{closure}}", "/srv/app/src/report.rs", line),
            frame("<core::pin::Pin<P> as core::future::future::Future>::poll", "", 0),
            frame("<F as hyper::Service>::call", HYPER, 7),
            frame("wsrt::time::timeout::poll", "", 0),
            frame("hyper::dispatch::poll", HYPER, 9),
            frame("app::main::{closure#0}", "/srv/app/src/main.rs", 4),
            frame("std::panicking::catch_unwind", "", 0),
            frame("wsrt::task::cell::poll", "", 0),
            frame("wsrt::scheduler::worker::step", "", 0),
        ]
    }

    #[test]
    fn the_runtime_and_the_standard_library_are_cut() {
        let backtrace = cut(of_a_server(41));
        let lines: Vec<_> = backtrace.to_string().lines().map(str::to_owned).collect();
        assert_eq!(
            lines,
            [
                "    std::sync::poison::mutex::Mutex<T>::lock at library/std/src/sync/mutex.rs:490",
                "    app::report at /srv/app/src/report.rs:41",
                "    … 2 frames of hyper",
                "    app::main at /srv/app/src/main.rs:4",
            ]
        );
        assert_eq!(backtrace.place().expect("there is one").to_string(), "app::report at /srv/app/src/report.rs:41");
        assert!(!backtrace.is_panicking());
        assert_eq!(backtrace.missing(), None);
    }

    #[test]
    fn stalls_share_a_key_by_their_lines_or_their_functions() {
        let [here, there] = [41, 42].map(|line| cut(of_a_server(line)));
        assert_ne!(here.key(true), there.key(true));
        assert_eq!(here.key(false), there.key(false));
        let recursive = |depth| {
            let frames = ["app::left", "app::right"].map(|function| frame(function, "", 0));
            cut(frames.iter().cycle().take(depth).cloned().collect())
        };
        assert_eq!(recursive(4).key(false), recursive(40).key(false));
    }

    #[test]
    fn a_function_keeps_its_crate_inside_another_crate_s_macro() {
        let in_macro = frame("hyper::serve", "/srv/wsrt/sync/src/select.rs", 3);
        let all = vec![frame("app::report", "/srv/app/src/report.rs", 1), frame("hyper::poll", HYPER, 9), in_macro];
        let text = cut(all).to_string();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.ends_with("… 1 frame of hyper"), "{text}");
    }

    #[test]
    fn a_closure_without_a_name_is_shown_by_its_line() {
        let [one, other] = [5, 6].map(|line| cut(vec![frame("{async_fn#0}", "/srv/app/src/main.rs", line)]));
        assert_eq!(one.to_string(), "    /srv/app/src/main.rs:5");
        assert_ne!(one.key(false), other.key(false));
    }

    #[test]
    fn a_deep_recursion_is_shown_from_both_ends() {
        let frames: Vec<_> = (1..=100).map(|line| frame("app::visit", "/srv/app/src/tree.rs", line)).collect();
        let text = cut(frames).to_string();
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        assert_eq!(lines.len(), 2 * SHOWN + 1);
        assert_eq!((lines[0], lines[SHOWN]), ("app::visit at /srv/app/src/tree.rs:1", "… 76 more"));
        assert_eq!(lines[2 * SHOWN], "app::visit at /srv/app/src/tree.rs:100");
    }

    #[test]
    fn a_path_leads_from_the_outermost_function_to_the_innermost() {
        let closure = frame("{closure#0}", "/srv/app/src/report.rs", 2);
        let all = [of_a_server(41), vec![closure, frame("app::main::{{closure}}", "/srv/app/src/main.rs", 5)]].concat();
        let path = cut(all).path();
        let expected = [
            "app::main",
            "/srv/app/src/report.rs:2",
            "app::main",
            "hyper::dispatch::poll",
            "<F as hyper::Service>::call",
            "app::report",
            "std::sync::poison::mutex::Mutex<T>::lock",
        ];
        assert_eq!(path, expected);
    }

    #[test]
    fn a_build_without_symbols_is_told_what_to_set() {
        let unnamed = || StackFrame::unnamed("app+0x1234".to_owned(), Origin::Program);
        let missing = |frames| cut(frames).missing();
        assert!(missing(vec![unnamed(), unnamed()]).expect("it is").contains("strip = false"));
        assert!(missing(vec![frame("app::main", "", 0)]).expect("it is").contains("line-tables-only"));
        assert_eq!(missing(vec![frame("app::main", "/srv/main.rs", 1)]), None);
        assert_eq!(missing(Vec::new()), None);
        assert_eq!(cut(vec![unnamed()]).to_string(), "    app+0x1234");
    }

    #[test]
    fn a_panicking_thread_is_known() {
        let of = |function: &str| cut(vec![frame(function, "", 0), frame("app::main", "", 0)]).is_panicking();
        assert!(of("std::panicking::rust_panic_with_hook"));
        assert!(of("core::panicking::panic_fmt"));
        assert!(!of("std::panicking::catch_unwind"));
        assert!(!of("std::panicking::try::do_call"));
        let unwinding = vec![frame("core::ptr::drop_in_place", "", 0), frame("app::main", "", 0)];
        assert!(Backtrace::cut(unwinding, true).is_panicking());
    }

    #[test]
    fn what_the_runtime_calls_is_left_of_an_inlined_future() {
        let all = ["std::sys::nanosleep", "std::thread::sleep", "wsrt::task::poll", "std::thread::start"];
        let backtrace = cut(all.iter().map(|function| frame(function, "", 0)).collect());
        assert_eq!(backtrace.to_string(), "    std::thread::sleep");
        assert_eq!(backtrace.place(), backtrace.frames().first());
        assert!(backtrace.missing().is_some_and(|missing| missing.contains("line-tables-only")));
        assert_eq!(cut(Vec::new()).place(), None);
    }
}
