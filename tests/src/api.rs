//! The public interface of `wsrt`, and of the crates that users have beside it, as a list of lines:
//! each public item with its head, the variants of enums, the methods of traits, and which traits a
//! public type implements.
//!
//! It goes by lines, as rustfmt leaves them, so that no compiler is needed. Items hidden from the
//! documentation are left out; those that a macro makes stand where the macro is called.

use std::collections::HashSet;

use crate::macros::Macros;
use crate::sources::{each_file, is_tests};

/// The parts of the tree that `wsrt` and the crates beside it export.
const FACE: [&str; 8] = [
    "executor/src",
    "hyper/src",
    "metrics/src",
    "reactor/src/net",
    "reactor/src/async_fd",
    "reactor/src/interest.rs",
    "reactor/src/ready.rs",
    "sync/src",
];

/// Rooms for the other crates of the workspace alone.
const INTERNAL: [&str; 11] = [
    "executor/src/fork_join",
    "executor/src/team",
    "sync/src/blocking.rs",
    "sync/src/budget.rs",
    "sync/src/waited_locks.rs",
    "sync/src/current_task.rs",
    "sync/src/drop_in.rs",
    "sync/src/runtime_hooks.rs",
    "sync/src/macros",
    "sync/src/hold",
    "sync/src/wait.rs",
];

/// A line of the list, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicLine {
    /// Type or trait, and the head of the item.
    pub text: String,
    /// The file, from the root of the workspace.
    pub file: String,
    /// The name, if it is a function.
    pub function: Option<String>,
    /// Whether its documentation has an example.
    pub has_example: bool,
    /// Whether it says that a type implements a trait.
    pub is_implementation: bool,
}

/// Whether a file belongs to what users see. Users of the drop-in see tokio's names, which
/// `tokio/judge/interface` compares with tokio's.
fn is_face(file: &str) -> bool {
    !file.ends_with("/drop_in.rs")
        && FACE.iter().any(|begin| file.starts_with(begin))
        && !INTERNAL.iter().any(|begin| file.starts_with(begin))
}

/// The public interface of the tree, in the order of its words.
///
/// # Panics
///
/// Panics if a source cannot be read.
#[must_use]
pub fn public_lines() -> Vec<PublicLine> {
    const FOLDERS: [&str; 5] = ["executor/src", "hyper/src", "metrics/src", "reactor/src", "sync/src"];
    let (mut lines, mut macros) = (Vec::new(), Macros::default());
    FOLDERS.iter().for_each(|folder| each_file(folder, |_, text| macros.collect(text)));
    for folder in FOLDERS {
        each_file(folder, |file, text| {
            if is_face(file) {
                lines.extend(public_lines_of(&macros.expand(text), file));
            }
        });
    }
    let types: HashSet<String> = lines.iter().filter_map(|line| type_of(&line.text)).map(str::to_owned).collect();
    lines.retain(|line| !line.is_implementation || types.contains(implementor(&line.text)));
    lines.sort();
    lines
}

/// The name of the type or trait that a line declares.
fn type_of(text: &str) -> Option<&str> {
    let words = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
    let rest = words.iter().find_map(|word| text.strip_prefix(word))?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

/// The type that an implementation is for.
fn implementor(text: &str) -> &str {
    let of = text.split(" for ").last().unwrap_or(text).trim_start_matches('&');
    of.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or(of)
}

/// The lines of one file. Implementations of traits are there for private types too.
#[must_use]
pub fn public_lines_of(text: &str, file: &str) -> Vec<PublicLine> {
    let mut scan = Scan { file, owner: None, lines: Vec::new(), is_hidden: false, has_example: false };
    let mut rest = text.lines();
    while let Some(line) = rest.next() {
        if is_tests(line) {
            break;
        }
        let trimmed = line.trim();
        if scan.reads_comment(trimmed) {
            continue;
        }
        let head = if scan.begins_item(line) { head_of(trimmed, &mut rest) } else { String::new() };
        scan.take(line, &head);
    }
    scan.lines
}

/// From the first word of an item to its body, on one line.
fn head_of<'a>(first: &str, rest: &mut impl Iterator<Item = &'a str>) -> String {
    let mut head = first.to_owned();
    // A field or a variant ends with a comma, a function has some in between.
    while !head.contains(['{', ';']) && (head.contains("fn ") || !head.ends_with(',')) {
        let Some(more) = rest.next().map(str::trim) else { break };
        if !more.starts_with("//") {
            head.push(' ');
            head.push_str(more);
        }
    }
    if head.starts_with("pub type") || head.starts_with("pub use") {
        return head.trim_end_matches(';').to_owned();
    }
    let end = head.find(['{', ';']).unwrap_or(head.len());
    head.truncate(end);
    head.trim().trim_end_matches(',').replace("( ", "(").replace(", )", ")").replace("< ", "<").replace(", >", ">")
}

/// The state of a pass over a file.
struct Scan<'a> {
    file: &'a str,
    /// The type or trait whose body the pass is in, and whether its plain lines are public.
    owner: Option<(String, bool)>,
    lines: Vec<PublicLine>,
    is_hidden: bool,
    has_example: bool,
}

impl Scan<'_> {
    /// Notes what the documentation and the attributes before an item say.
    fn reads_comment(&mut self, line: &str) -> bool {
        self.is_hidden |= line.starts_with("#[doc(hidden)]");
        self.has_example |= line.starts_with("/// ```") || line.starts_with("#[doc = example!(");
        line.starts_with("//") || line.starts_with("#[")
    }

    fn begins_item(&self, line: &str) -> bool {
        let trimmed = line.trim_start();
        let is_member = self.owner.as_ref().is_some_and(|(_, is_open)| *is_open) && line.starts_with("    ");
        let begins = ["fn ", "async fn ", "type ", "const "].iter().any(|word| trimmed.starts_with(word));
        let is_variant = trimmed.starts_with(|first: char| first.is_ascii_uppercase());
        trimmed.starts_with("pub ")
            || line.starts_with("impl")
            || (is_member && line.find(trimmed) == Some(4) && (begins || is_variant))
    }

    fn take(&mut self, line: &str, head: &str) {
        let (is_hidden, has_example) = (self.is_hidden, self.has_example);
        (self.is_hidden, self.has_example) = (false, false);
        if line == "}" {
            self.owner = None;
        }
        if head.is_empty() {
            return;
        }
        if line.starts_with("impl") {
            let of = head.split(" where ").next().unwrap_or(head);
            self.owner = Some((of.to_owned(), false));
            if !of.contains(" for ") {
                return;
            }
        }
        let owner = self.owner.as_ref().filter(|_| line.starts_with(' '));
        let text = owner.map_or_else(|| head.to_owned(), |(owner, _)| format!("{owner}: {head}"));
        if !line.starts_with(' ') && line.starts_with("pub ") && line.ends_with('{') {
            let is_open = head.starts_with("pub enum") || head.starts_with("pub trait");
            self.owner = Some((head.to_owned(), is_open && !is_hidden));
        }
        // Of the crate's own modules: their items are in the list already.
        let is_own_path = head.starts_with("pub use")
            && !["std::", "tokio::", "wsrt_"].iter().any(|from| head[8..].starts_with(from));
        if !is_hidden && !is_own_path && !head.starts_with("pub mod") {
            let function = function_of(head).map(str::to_owned);
            let (file, is_implementation) = (self.file.to_owned(), line.starts_with("impl"));
            self.lines.push(PublicLine { text, file, function, has_example, is_implementation });
        }
    }
}

/// The name of a public function.
fn function_of(head: &str) -> Option<&str> {
    let mut rest = head.strip_prefix("pub ")?;
    for word in ["const ", "async ", "unsafe "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest.strip_prefix("fn ")?.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}
