//! Whose code a function is: the program's, a dependency's, the runtime's or the system's.

use wsrt_trace::place;

/// Whose code it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The program's own: its author can change it.
    Program,
    /// A package's from a registry or a repository.
    Dependency,
    /// wsrt's.
    Runtime,
    /// The standard library's, or a system library's.
    System,
}

/// The crates of the runtime, with the drop-in replacement for tokio.
const RUNTIME: [&str; 8] =
    ["rayon_core", "tokio", "wsrt", "wsrt_hyper", "wsrt_reactor", "wsrt_sync", "wsrt_trace", "wsrt_world"];

impl Origin {
    /// Returns the origin of a function of a Rust program, by its name and its file's full path.
    pub(crate) fn of(function: &str, file: Option<&str>) -> Self {
        let is_of_std = |file: &str| file.contains("/rustc/") || file.contains("/rustlib/src/rust/library/");
        let owner = crate_of(function);
        if matches!(owner, Some("alloc" | "core" | "std")) || file.is_some_and(is_of_std) {
            Self::System
        } else if owner.is_some_and(|owner| RUNTIME.contains(&owner)) || file.is_some_and(is_of_runtime) {
            Self::Runtime
        } else if file.is_some_and(|file| place::dependency(file).is_some()) {
            Self::Dependency
        } else {
            Self::Program
        }
    }
}

/// Returns whether a file is of the runtime, by where this one is: for functions that were inlined,
/// whose names may have no path, and for the closures of macros, as `select!` has them.
fn is_of_runtime(file: &str) -> bool {
    if let Some(rest) = place::dependency(file) {
        return rest.starts_with("wsrt-");
    }
    let folders = ["executor", "hyper", "rayon-core", "reactor", "sync", "tokio", "trace", "world"];
    let root = env!("CARGO_MANIFEST_DIR").strip_suffix("stack");
    let below_root = root.and_then(|root| file.strip_prefix(root));
    below_root.is_some_and(|path| {
        folders.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with("/src/")))
    })
}

/// Returns the crate that a function belongs to, by its demangled name. The method of a trait
/// belongs to the crate of its type, or else, where the type is a parameter, to the trait's.
///
/// `a::b`, `<a::B as c::D>::e`, `<&mut a::B>::c`, `<F as c::D>::e`.
pub(crate) fn crate_of(function: &str) -> Option<&str> {
    let mut rest = function;
    loop {
        let start = rest.trim_start_matches(['&', '*', '(', '[', ' ', '<']);
        let start = ["mut ", "const ", "dyn "].iter().find_map(|word| start.strip_prefix(word)).unwrap_or(start);
        if start.len() == rest.len() {
            break;
        }
        rest = start;
    }
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    let (first, behind) = rest.split_at(end);
    if behind.starts_with("::") && !first.is_empty() {
        return Some(first);
    }
    let (_, of_trait) = function.split_once(" as ")?;
    crate_of(of_trait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_belongs_to_the_crate_of_its_type() {
        for (function, owner) in [
            ("app::main", Some("app")),
            ("<app::Handler as axum::handler::Handler<T>>::call", Some("app")),
            ("<F as axum::handler::Handler<(M,T1),S>>::call::{{closure}}", Some("axum")),
            ("<&mut T as core::future::future::Future>::poll", Some("core")),
            ("<core::pin::Pin<P> as core::future::future::Future>::poll", Some("core")),
            ("<&mut app::Body>::read", Some("app")),
            ("<[T] as app::Sum>::sum", Some("app")),
            ("<dyn app::Shape>::area", Some("app")),
            ("sqlite3_step", None),
            ("", None),
            (" as ", None),
        ] {
            assert_eq!(crate_of(function), owner, "{function}");
        }
    }

    #[test]
    fn the_runtime_s_inlined_functions_are_known_by_their_files() {
        let own = format!("{}executor/src/task/body.rs", env!("CARGO_MANIFEST_DIR").trim_end_matches("stack"));
        let registry = "/root/.cargo/registry/src/index.crates.io-6f/wsrt-0.1.0/src/task/body.rs";
        for file in [own.as_str(), registry] {
            assert_eq!(Origin::of("poll<T>", Some(file)), Origin::Runtime, "{file}");
        }
    }

    #[test]
    fn a_program_s_own_code_is_told_from_all_other() {
        let registry = "/root/.cargo/registry/src/index.crates.io-6f/hyper-1.8.1/src/lib.rs";
        let select = "/root/.cargo/registry/src/index.crates.io-6f/wsrt-sync-0.1.0/src/macros/select.rs";
        for (function, file, origin) in [
            ("app::main", Some("/srv/app/src/main.rs"), Origin::Program),
            ("app::main", None, Origin::Program),
            ("hyper::proto::h1::dispatch::poll", Some(registry), Origin::Dependency),
            ("wsrt::task::cell::poll", Some(registry), Origin::Runtime),
            ("app::main", Some(select), Origin::Runtime),
            ("wsrt_tests::Gate::wait", None, Origin::Program),
            ("tokio::runtime::block_on", None, Origin::Runtime),
            ("std::thread::sleep", None, Origin::System),
            ("{async_fn#0}", Some("/srv/app/src/main.rs"), Origin::Program),
            ("<F as app::Call>::call", Some("/rustc/59/library/core/src/ops/function.rs"), Origin::System),
        ] {
            assert_eq!(Origin::of(function, file), origin, "{function}");
        }
    }
}
