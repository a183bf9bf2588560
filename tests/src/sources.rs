//! The public items of the crates, read from their sources: enough of Rust to find the items that
//! have to be documented or listed.
//!
//! It goes by lines, as rustfmt leaves them. That every `pub` is public is a lint's affair
//! (`unreachable_pub`).

use std::fs;
use std::path::{Path, PathBuf};

/// An item that begins with `pub`, or an implementation of `Future`.
#[derive(Debug, Clone)]
pub struct Item {
    /// The file, from the root of the workspace, and the line.
    pub place: String,
    /// The text of its documentation.
    pub docs: String,
    /// From its first word to its body, on one line.
    pub head: String,
    /// The type that it is a method of. `None` for methods that a macro gives to several types.
    pub owner: Option<String>,
}

impl Item {
    /// The word behind `keyword`, if the head begins with `pub keyword`.
    #[must_use]
    pub fn name_of(&self, keyword: &str) -> Option<&str> {
        let rest = self.head.strip_prefix("pub ")?.strip_prefix(keyword)?.strip_prefix(' ')?;
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
    }

    /// The type, if this is an implementation of `Future`.
    #[must_use]
    pub fn implements_future_for(&self) -> Option<&str> {
        let (_, rest) = self.head.strip_prefix("impl")?.split_once(" Future for ")?;
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
    }

    /// The return type of a public function that is not async.
    #[must_use]
    pub fn returned_type(&self) -> Option<&str> {
        self.name_of("fn")?;
        // The last arrow: those before it belong to closures.
        let (_, returned) = self.head.split(" where ").next()?.rsplit_once(" -> ")?;
        Some(returned)
    }

    /// Whether the documentation has a section of this title.
    #[must_use]
    pub fn has_section(&self, title: &str) -> bool {
        self.docs.lines().any(|line| line.trim() == format!("# {title}"))
    }
}

/// The items of all files below `folder`, which is relative to the root of the workspace. Tests and
/// models are left out.
///
/// # Panics
///
/// Panics if there is no such folder.
#[must_use]
pub fn items_below(folder: &str) -> Vec<Item> {
    let mut items = Vec::new();
    each_file(folder, |file, text| items.extend(items_of(text, file)));
    items
}

/// Calls `take` with the path and the text of each source below `folder`, in order. Tests and
/// models are left out.
pub(crate) fn each_file(folder: &str, mut take: impl FnMut(&str, &str)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is a folder of the workspace");
    let mut files = Vec::new();
    collect_files(&root.join(folder), &mut files);
    files.sort();
    assert!(!files.is_empty(), "there are no sources in {folder}");
    for file in &files {
        let text = fs::read_to_string(file).expect("a source file can be read");
        take(&file.strip_prefix(root).expect("it is below the root").display().to_string(), &text);
    }
}

/// Whether the tests of a file begin with this line.
pub(crate) fn is_tests(line: &str) -> bool {
    line == "mod tests {"
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry of a folder").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if matches!(name.as_str(), "tests" | "loom_models") {
            continue;
        }
        if path.is_dir() {
            collect_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The items of one file's text.
#[must_use]
pub fn items_of(text: &str, file: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let (mut docs, mut owner) = (String::new(), None);
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        // The end of what is at the beginning of a line: of a type's methods, for one.
        if line.starts_with('}') {
            owner = None;
        }
        if !line.ends_with('}') {
            owner = owner_of(line).or(owner);
        }
        let line = line.trim();
        if line == "mod tests {" {
            break;
        }
        if let Some(doc) = line.strip_prefix("///") {
            docs.push_str(doc);
            docs.push('\n');
        } else if line.starts_with("#[") {
            let mut last = line;
            // A comment may follow it.
            while !last.split(" // ").next().is_some_and(|attribute| attribute.ends_with(']')) {
                last = lines.next().expect("an attribute ends").1.trim();
            }
        } else {
            if line.starts_with("pub ") || (line.starts_with("impl") && line.contains("Future for ")) {
                let mut head = line.to_owned();
                // A field ends with its line.
                while !head.contains(['{', ';']) && !line.ends_with(',') {
                    let Some((_, more)) = lines.next() else { break };
                    head.push(' ');
                    head.push_str(more.trim());
                }
                let end = head.find(['{', ';']).unwrap_or(head.len());
                head.truncate(end);
                let (place, docs) = (format!("{file}:{}", index + 1), docs.clone());
                let head = head.trim_end().to_owned();
                items.push(Item { place, docs, head, owner: owner.clone() });
            }
            docs.clear();
        }
    }
    items
}

/// The type whose methods begin with this line, if they do.
fn owner_of(line: &str) -> Option<String> {
    let mut rest = line.strip_prefix("impl")?;
    let mut depth = 0_usize;
    // Behind its parameters, whose arrows are no brackets.
    let end = rest.char_indices().find(|&(index, char)| {
        match char {
            '<' => depth += 1,
            '>' if !rest[..index].ends_with('-') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    rest = rest[end?.0..].trim_start_matches('>').trim_start();
    let rest = rest.split_once(" for ").map_or(rest, |(_, of)| of);
    let path = rest.split(['<', ' ', '{']).next()?;
    Some(path.rsplit("::").next()?.to_owned())
}
