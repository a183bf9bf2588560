//! The docs of every public future have a section `# Cancel safety` about a drop before it is
//! ready.
//!
//! An async function has the section itself. A future that is a type has it at the type, or at
//! every function that returns it.

use wsrt_tests::{Item, items_below, items_of};

const SECTION: &str = "Cancel safety";

/// The items that lack the section: each with its place.
fn missing(items: &[Item]) -> Vec<String> {
    let mut missing = Vec::new();
    let mut say = |item: &Item, what: String| missing.push(format!("{}: {what}", item.place));
    for item in items.iter().filter(|item| !item.has_section(SECTION)) {
        if let Some(name) = item.name_of("async fn") {
            say(item, format!("`async fn {name}`"));
        }
        if item.returned_type().is_some_and(|returned| returned.contains("impl Future")) {
            say(item, format!("`fn {}`, which returns a future", item.name_of("fn").expect("a function")));
        }
    }
    for future in futures(items).filter(|item| !item.has_section(SECTION)) {
        let name = future.name_of("struct").expect("a struct");
        // Names that begin with two underscores are hidden.
        let is_shown = |item: &Item| item.name_of("fn").is_none_or(|name| !name.starts_with("__"));
        let mut makers = items.iter().filter(|item| returns(item, name) && is_shown(item)).peekable();
        if makers.peek().is_none() {
            say(future, format!("the future `{name}`, which no function returns"));
        }
        for maker in makers.filter(|maker| !maker.has_section(SECTION)) {
            say(maker, format!("`fn {}`, which returns `{name}`", maker.name_of("fn").expect("a function")));
        }
    }
    missing
}

/// The public structs that are futures.
fn futures(items: &[Item]) -> impl Iterator<Item = &Item> {
    let names: Vec<_> = items.iter().filter_map(Item::implements_future_for).collect();
    items.iter().filter(move |item| item.name_of("struct").is_some_and(|name| names.contains(&name)))
}

fn returns(item: &Item, future: &str) -> bool {
    let mut words = item.returned_type().unwrap_or_default().split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == future)
}

#[test]
fn every_public_future_has_its_section() {
    let mut items = items_below("executor/src");
    items.extend(items_below("hyper/src"));
    items.extend(items_below("metrics/src"));
    items.extend(items_below("reactor/src"));
    let functions = items.iter().filter(|item| item.name_of("async fn").is_some()).count();
    assert!(functions > 30 && futures(&items).count() >= 5, "the sources were not understood");
    let missing = missing(&items);
    assert!(missing.is_empty(), "without a section `# {SECTION}`:\n{}", missing.join("\n"));
}

/// Names of channels' types are in several modules, so the functions are looked at alone.
#[test]
fn every_wait_for_a_channel_or_lock_has_its_section() {
    let is_async = |item: &Item| item.name_of("async fn").is_some();
    let items: Vec<Item> = items_below("sync/src").into_iter().filter(is_async).collect();
    assert!(items.len() > 20, "the sources were not understood");
    let missing = missing(&items);
    assert!(missing.is_empty(), "without a section `# {SECTION}`:\n{}", missing.join("\n"));
}

#[test]
fn what_lacks_the_section_is_found() {
    let text = "
        /// Has it.
        ///
        /// # Cancel safety
        ///
        /// Nothing is lost.
        #[inline]
        pub async fn good() {}

        /// Has it not.
        pub async fn bad<T>(
            wanted: impl Fn() -> T,
        ) -> T
        where
            T: Send,
        {
        }

        /// A future in an example is none:
        /// pub async fn example() {}
        pub fn no_future() -> Option<u32> {
            None
        }

        /// Returns one.
        pub fn unnamed(wanted: impl Fn() -> u32) -> impl Future<Output = u32> {
            async move { wanted() }
        }

        /// Has no section, and neither has the function that makes it.
        pub struct Named<'a> {
            a: &'a (),
        }

        impl Future for Named<'_> {}

        /// Makes it.
        pub fn make(&self) -> Named<'_> {
            Named { a: &() }
        }

        /// It is never made.
        pub struct Lonely;
        impl<T> Future for Lonely {}
        pub(crate) async fn internal() {}
    ";
    let found: Vec<_> = missing(&items_of(text, "text.rs"));
    assert_eq!(
        found,
        [
            "text.rs:11: `async fn bad`",
            "text.rs:26: `fn unnamed`, which returns a future",
            "text.rs:38: `fn make`, which returns `Named`",
            "text.rs:43: the future `Lonely`, which no function returns",
        ]
    );
}
