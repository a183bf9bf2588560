//! The modules of a crate by their files, and the imports between them.

use crate::lexer::Source;
use crate::use_trees::named;

/// An import of one module from another.
pub(crate) struct Import<'a> {
    pub(crate) source: &'a Source,
    /// Counted from 0.
    pub(crate) line: usize,
    /// The module that imports, `a/b` for `crate::a::b`.
    pub(crate) from: String,
    /// The module in which the name is defined, as far as the files show it.
    pub(crate) to: String,
    /// The path as it is written, from the root of the crate.
    pub(crate) path: String,
}

/// The modules of one crate, and the names that each passes on.
pub(crate) struct Modules {
    root: &'static str,
    /// Every module, `a/b`.
    pub(crate) all: Vec<String>,
    /// The names that a module passes on, `a/B`, and whence, `c/d/B`.
    passed_on: Vec<(String, String)>,
}

impl Modules {
    /// The modules of the crate whose sources are in the folder `root`.
    pub(crate) fn new(sources: &[Source], root: &'static str) -> Modules {
        let mut modules = Modules { root, all: Vec::new(), passed_on: Vec::new() };
        for source in sources.iter().filter(|source| is_checked(source, root)) {
            let module = module(&source.path, root);
            if source.path.ends_with("/mod.rs") {
                for named in named(source) {
                    let Some(from) = absolute(&module, &named.path) else { continue };
                    let name = from.last().map_or("", String::as_str);
                    modules.passed_on.push((format!("{}/{name}", module.join("/")), from.join("/")));
                }
            }
            modules.all.push(module.join("/"));
        }
        modules
    }

    /// Every import of one module from another, outside tests. The table of contents of a public
    /// module does not count.
    pub(crate) fn imports<'a>(&self, sources: &'a [Source]) -> Vec<Import<'a>> {
        let mut imports = Vec::new();
        for source in sources.iter().filter(|source| is_checked(source, self.root)) {
            let module = module(&source.path, self.root);
            let is_contents = source.path.ends_with("/mod.rs") || source.path.ends_with("/lib.rs");
            for named in named(source).into_iter().filter(|named| !(named.is_exported && is_contents)) {
                let Some(path) = absolute(&module, &named.path) else { continue };
                let Some(to) = self.target(&path) else { continue };
                imports.push(Import { source, line: named.line, from: module.join("/"), to, path: path.join("::") });
            }
        }
        imports
    }

    /// The module in which the last name of a path is defined, as far as the files show it.
    fn target(&self, path: &[String]) -> Option<String> {
        let joined = path.join("/");
        let passed_on = self.passed_on.iter().find(|(name, from)| *name == joined && *from != joined);
        let joined = passed_on.map_or(joined.as_str(), |(_, from)| from);
        let of_path = |module: &&String| is_within(joined, module);
        self.all.iter().filter(of_path).max_by_key(|module| module.len()).cloned()
    }
}

/// Whether `module` is `room`, or below it.
pub(crate) fn is_within(module: &str, room: &str) -> bool {
    module.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_checked(source: &Source, root: &str) -> bool {
    source.path.starts_with(root) && !source.is_of_tests()
}

/// The module of a file: `[a, b]` for `a/b.rs` and `a/b/mod.rs` below `root`.
fn module(path: &str, root: &str) -> Vec<String> {
    let path = path.trim_start_matches(root).trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("_off");
    path.split('/').filter(|part| *part != "lib").map(str::to_owned).collect()
}

/// A path from the root of the crate, if it is one of the crate's.
fn absolute(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut absolute = match path[0].as_str() {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module.split_last()?.1.to_vec(),
        _ => return None,
    };
    for part in &path[1..] {
        match part.as_str() {
            "super" => drop(absolute.pop()),
            "self" => {}
            _ => absolute.push(part.clone()),
        }
    }
    Some(absolute)
}
