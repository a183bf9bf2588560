//! The options in the attribute's parentheses: `flavor`, `worker_threads`, `start_paused`,
//! `configure` and `crate`; and for a test also `seeds` and `longest_poll`.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Lit, LitBool, LitInt, LitStr, Path, Token, parse_quote};

use crate::entry::Entry;
use crate::errors::Errors;
use crate::test_options::{Seeds, parse_longest_poll, parse_seeds};

const KNOWN_OPTIONS: &str = "the known options are `flavor`, `worker_threads`, `start_paused`, `configure` and `crate`, \
                             and those of tests `seeds` and `longest_poll`";
const KNOWN_FLAVORS: &str = "the known flavors are \"multi_thread\" and \"current_thread\"";

/// The scheduler that runs the root future.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    /// Workers run tasks on their own threads. The root future is a task on one of them if it is
    /// `Send`.
    MultiThread,
    /// The calling thread runs everything.
    CurrentThread,
}

/// The options that the user chose, with defaults for the others.
pub(crate) struct Options {
    pub(crate) flavor: Flavor,
    pub(crate) worker_threads: Option<LitInt>,
    /// True if the clock is paused from the start. Only allowed with a current-thread runtime.
    pub(crate) start_paused: Option<LitBool>,
    /// A function from `&mut Builder` to `&mut Builder`. The compiler checks that it is one.
    pub(crate) configure: Option<TokenStream>,
    /// The seeds with which a test runs in a simulation.
    pub(crate) seeds: Option<Seeds>,
    /// The time that each poll of a test may take.
    pub(crate) longest_poll: Option<Duration>,
    /// The path under which the expansion refers to the runtime crate.
    pub(crate) crate_path: Path,
}

impl Options {
    /// Parses the attribute's arguments. Mistakes are added to `errors`, and the valid options are
    /// kept.
    pub(crate) fn parse(entry: Entry, arguments: TokenStream, errors: &mut Errors) -> Self {
        let mut given = Given::default();
        match Punctuated::<Argument, Token![,]>::parse_terminated.parse2(arguments) {
            Ok(arguments) => arguments.into_iter().for_each(|argument| given.take(argument, errors)),
            Err(error) => errors.push(error),
        }
        given.finish(entry, errors)
    }

    /// Returns the options with the flavor that requires least of the root, for further checks
    /// after an invalid option.
    pub(crate) fn forgiving(self) -> Self {
        Self {
            flavor: Flavor::CurrentThread,
            worker_threads: None,
            start_paused: None,
            configure: None,
            seeds: None,
            longest_poll: None,
            ..self
        }
    }
}

/// One `name = value` argument. The value is kept as tokens, so that each option can reject an
/// invalid value with its own message.
struct Argument {
    name: Ident,
    value: Option<TokenStream>,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let Ok(name) = input.call(Ident::parse_any) else {
            return Err(input.error(format!("expected an option such as `flavor = \"multi_thread\"`; {KNOWN_OPTIONS}")));
        };
        let has_value = input.parse::<Option<Token![=]>>()?.is_some();
        let value = tokens_up_to_comma(input)?;
        Ok(Self { name, value: (has_value && !value.is_empty()).then_some(value) })
    }
}

fn tokens_up_to_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// The value of an option, and the option's name for errors about the option as a whole.
struct Setting<T> {
    name: Ident,
    value: T,
}

/// The options seen so far. An option with an invalid value counts as seen, with the value `None`,
/// because it has already been rejected once.
#[derive(Default)]
struct Given {
    flavor: Option<Setting<Option<Flavor>>>,
    worker_threads: Option<Setting<Option<LitInt>>>,
    start_paused: Option<Setting<Option<LitBool>>>,
    configure: Option<Setting<Option<TokenStream>>>,
    seeds: Option<Setting<Option<Seeds>>>,
    longest_poll: Option<Setting<Option<Duration>>>,
    crate_path: Option<Setting<Option<Path>>>,
}

impl Given {
    fn take(&mut self, argument: Argument, errors: &mut Errors) {
        match argument.name.to_string().as_str() {
            "flavor" => set(&mut self.flavor, argument, "\"multi_thread\"", parse_flavor, errors),
            "worker_threads" => set(&mut self.worker_threads, argument, "4", parse_worker_threads, errors),
            "start_paused" => set(&mut self.start_paused, argument, "true", parse_start_paused, errors),
            "configure" => set(&mut self.configure, argument, "path::to::function", Ok, errors),
            "seeds" => set(&mut self.seeds, argument, "0..1000", parse_seeds, errors),
            "longest_poll" => set(&mut self.longest_poll, argument, "\"5ms\"", parse_longest_poll, errors),
            "crate" => set(&mut self.crate_path, argument, "\"path::to::wsrt\"", parse_crate_path, errors),
            unknown => {
                let message = format!("unknown option `{unknown}`; {KNOWN_OPTIONS}");
                errors.push(syn::Error::new(argument.name.span(), message));
            }
        }
    }

    fn finish(self, entry: Entry, errors: &mut Errors) -> Options {
        self.check_test_options_apply(entry, errors);
        if self.seeds.is_some() {
            self.check_seeds_apply(errors);
        } else {
            self.check_worker_threads_apply(entry, errors);
            self.check_start_paused_applies(entry, errors);
        }
        Options {
            flavor: self.flavor.and_then(|setting| setting.value).unwrap_or(entry.default_flavor()),
            worker_threads: self.worker_threads.and_then(|setting| setting.value),
            start_paused: self.start_paused.and_then(|setting| setting.value),
            configure: self.configure.and_then(|setting| setting.value),
            seeds: self.seeds.and_then(|setting| setting.value),
            longest_poll: self.longest_poll.and_then(|setting| setting.value),
            crate_path: self.crate_path.and_then(|setting| setting.value).unwrap_or_else(|| parse_quote!(::wsrt)),
        }
    }

    /// Returns the flavor that is given or implied, or `None` if the given one was rejected.
    fn flavor_if_right(&self, entry: Entry) -> Option<Flavor> {
        self.flavor.as_ref().map_or(Some(entry.default_flavor()), |setting| setting.value)
    }

    /// Rejects options of tests on another function.
    fn check_test_options_apply(&self, entry: Entry, errors: &mut Errors) {
        let seeds = self.seeds.as_ref().map(|setting| &setting.name);
        let longest_poll = self.longest_poll.as_ref().map(|setting| &setting.name);
        for name in seeds.into_iter().chain(longest_poll).filter(|_| entry != Entry::Test) {
            errors.push(syn::Error::new(name.span(), format!("`{name}` is an option of `#[wsrt::test]` only")));
        }
    }

    /// Rejects options that a simulation does not have.
    fn check_seeds_apply(&self, errors: &mut Errors) {
        let flavor = self.flavor.as_ref().map(|setting| (&setting.name, "its workers share one thread"));
        let paused = self.start_paused.as_ref().map(|setting| (&setting.name, "its clock is virtual anyway"));
        let longest = self.longest_poll.as_ref().map(|setting| (&setting.name, "its polls take no real time"));
        for (name, why) in [flavor, paused, longest].into_iter().flatten() {
            let message = format!("`{name}` does not go with `seeds`, which runs the test in a simulation: {why}");
            errors.push(syn::Error::new(name.span(), message));
        }
    }

    /// Rejects `start_paused = true` with a multi-thread runtime, unless the flavor was rejected.
    fn check_start_paused_applies(&self, entry: Entry, errors: &mut Errors) {
        let Some(Setting { name, value: Some(LitBool { value: true, .. }) }) = &self.start_paused else { return };
        if self.flavor_if_right(entry) != Some(Flavor::MultiThread) {
            return;
        }
        let why = match &self.flavor {
            Some(_) => "the clock of a multi-thread runtime cannot be paused".to_owned(),
            None => format!("`{entry}` is \"multi_thread\" unless told otherwise"),
        };
        let message = format!("`start_paused` needs `flavor = \"current_thread\"`: {why}");
        errors.push(syn::Error::new(name.span(), message));
    }

    /// Rejects `worker_threads` with a current-thread runtime, unless the flavor itself was invalid
    /// and may have been meant differently.
    fn check_worker_threads_apply(&self, entry: Entry, errors: &mut Errors) {
        let Some(workers) = &self.worker_threads else { return };
        if self.flavor_if_right(entry) != Some(Flavor::CurrentThread) {
            return;
        }
        let message = match &self.flavor {
            Some(_) => {
                "`worker_threads` needs `flavor = \"multi_thread\"`: a current-thread runtime has no workers".to_owned()
            }
            None => format!(
                "`worker_threads` needs `flavor = \"multi_thread\"`: `{entry}` is \"current_thread\" unless told otherwise"
            ),
        };
        errors.push(syn::Error::new(workers.name.span(), message));
    }
}

/// Sets `slot` from `argument`, or returns an error that shows `example`, which is a valid value.
fn set<T>(
    slot: &mut Option<Setting<Option<T>>>,
    argument: Argument,
    example: &str,
    parse: fn(TokenStream) -> syn::Result<T>,
    errors: &mut Errors,
) {
    let Argument { name, value } = argument;
    if slot.is_some() {
        errors.push(syn::Error::new(name.span(), format!("`{name}` is given twice")));
        return;
    }
    let parsed = match value {
        Some(value) => parse(value),
        None => Err(syn::Error::new(name.span(), format!("`{name}` needs a value, as in `{name} = {example}`"))),
    };
    let value = parsed.map_err(|error| errors.push(error)).ok();
    *slot = Some(Setting { name, value });
}

fn parse_flavor(value: TokenStream) -> syn::Result<Flavor> {
    let Ok(literal) = syn::parse2::<LitStr>(value.clone()) else {
        return Err(syn::Error::new_spanned(value, format!("`flavor` takes a string; {KNOWN_FLAVORS}")));
    };
    match literal.value().as_str() {
        "multi_thread" => Ok(Flavor::MultiThread),
        "current_thread" => Ok(Flavor::CurrentThread),
        unknown => Err(syn::Error::new(literal.span(), format!("unknown flavor {unknown:?}; {KNOWN_FLAVORS}"))),
    }
}

fn parse_worker_threads(value: TokenStream) -> syn::Result<LitInt> {
    let literal = match syn::parse2::<Lit>(value.clone()) {
        // A negative number is a literal to syn, but it is no count of anything.
        Ok(Lit::Int(literal)) if !literal.base10_digits().starts_with('-') => literal,
        _ => {
            let message = "`worker_threads` takes a whole number of at least 1, written as a literal";
            return Err(syn::Error::new_spanned(value, message));
        }
    };
    let refuse = |message: &str| Err(syn::Error::new(literal.span(), message));
    if !matches!(literal.suffix(), "" | "usize") {
        return refuse("`worker_threads` is a `usize`: write the number without its suffix");
    }
    match literal.base10_parse::<usize>() {
        Ok(0) => refuse("`worker_threads` must be at least 1: nothing could run on 0 workers"),
        Ok(_) => Ok(literal),
        Err(_) => refuse("`worker_threads` is too large for a `usize`"),
    }
}

fn parse_start_paused(value: TokenStream) -> syn::Result<LitBool> {
    syn::parse2::<LitBool>(value.clone())
        .map_err(|_| syn::Error::new_spanned(value, "`start_paused` takes `true` or `false`, written as a literal"))
}

fn parse_crate_path(value: TokenStream) -> syn::Result<Path> {
    let Ok(literal) = syn::parse2::<LitStr>(value.clone()) else {
        return Err(syn::Error::new_spanned(value, "`crate` takes a path in a string, such as \"path::to::wsrt\""));
    };
    literal.parse_with(Path::parse_mod_style).map_err(|_| {
        let message = format!("{:?} is not a path to a crate or module, such as \"path::to::wsrt\"", literal.value());
        syn::Error::new(literal.span(), message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{messages, squeezed};
    use quote::quote;

    fn parse(entry: Entry, arguments: TokenStream) -> Result<Options, Vec<String>> {
        let mut errors = Errors::default();
        let options = Options::parse(entry, arguments, &mut errors);
        if errors.is_empty() { Ok(options) } else { Err(messages(quote!(#errors))) }
    }

    fn accepted(arguments: TokenStream) -> Options {
        parse(Entry::Main, arguments).unwrap_or_else(|messages| panic!("refused: {messages:?}"))
    }

    fn refused(entry: Entry, arguments: TokenStream) -> String {
        match parse(entry, arguments.clone()) {
            Ok(_) => panic!("accepted: {arguments}"),
            Err(messages) => messages.join(" | "),
        }
    }

    #[test]
    fn main_defaults_to_multi_thread_and_test_to_current_thread() {
        assert_eq!(accepted(quote!()).flavor, Flavor::MultiThread);
        assert_eq!(parse(Entry::Test, quote!()).map(|options| options.flavor), Ok(Flavor::CurrentThread));
    }

    #[test]
    fn every_option_is_read_and_a_trailing_comma_is_allowed() {
        let all =
            quote!(flavor = "multi_thread", worker_threads = 0x1_0, configure = |b| b.name("a"), crate = "my::wsrt",);
        let options = accepted(all);
        let path = options.crate_path;
        assert_eq!(options.configure.map(|it| squeezed(&it)).as_deref(), Some("|b|b.name(\"a\")"));
        assert_eq!(options.flavor, Flavor::MultiThread);
        assert_eq!(options.worker_threads.map(|count| count.to_string()).as_deref(), Some("0x1_0"));
        assert_eq!(squeezed(&quote!(#path)), "my::wsrt");
    }

    #[test]
    fn an_unknown_option_is_refused_with_the_known_ones() {
        let message = refused(Entry::Main, quote!(start_stopped = true));
        assert_eq!(
            message,
            "unknown option `start_stopped`; the known options are `flavor`, `worker_threads`, `start_paused`, `configure` and `crate`, \
             and those of tests `seeds` and `longest_poll`"
        );
    }

    #[test]
    fn a_value_of_the_wrong_type_is_refused() {
        for arguments in [quote!(flavor = multi_thread), quote!(flavor = 2), quote!(flavor = b"multi_thread")] {
            assert!(refused(Entry::Main, arguments).starts_with("`flavor` takes a string"));
        }
        for arguments in [
            quote!(worker_threads = "4"),
            quote!(worker_threads = 4.0),
            quote!(worker_threads = -1),
            quote!(worker_threads = N),
        ] {
            assert!(refused(Entry::Main, arguments).starts_with("`worker_threads` takes a whole number of at least 1"));
        }
        for arguments in [quote!(start_paused = "true"), quote!(start_paused = 1), quote!(start_paused = PAUSED)] {
            assert!(refused(Entry::Test, arguments).starts_with("`start_paused` takes `true` or `false`"));
        }
        assert!(refused(Entry::Main, quote!(crate = wsrt)).starts_with("`crate` takes a path in a string"));
        assert!(refused(Entry::Main, quote!(crate = "my wsrt")).contains("is not a path"));
    }

    #[test]
    fn an_option_without_a_value_is_refused() {
        assert_eq!(refused(Entry::Main, quote!(flavor)), "`flavor` needs a value, as in `flavor = \"multi_thread\"`");
        assert_eq!(
            refused(Entry::Main, quote!(worker_threads(4))),
            "`worker_threads` needs a value, as in `worker_threads = 4`"
        );
        assert_eq!(refused(Entry::Main, quote!(crate =)), "`crate` needs a value, as in `crate = \"path::to::wsrt\"`");
        assert!(refused(Entry::Main, quote!("multi_thread")).starts_with("expected an option"));
    }

    #[test]
    fn an_unknown_flavor_is_refused_with_the_known_ones() {
        let message = refused(Entry::Main, quote!(flavor = "threadpool"));
        assert_eq!(
            message,
            "unknown flavor \"threadpool\"; the known flavors are \"multi_thread\" and \"current_thread\""
        );
    }

    #[test]
    fn worker_threads_outside_its_range_is_refused() {
        assert!(refused(Entry::Main, quote!(worker_threads = 0)).contains("at least 1"));
        assert!(refused(Entry::Main, quote!(worker_threads = 99999999999999999999999)).contains("too large"));
        assert!(refused(Entry::Main, quote!(worker_threads = 4u8)).contains("without its suffix"));
    }

    #[test]
    fn worker_threads_is_refused_on_a_current_thread_runtime() {
        let message = refused(Entry::Main, quote!(worker_threads = 2, flavor = "current_thread"));
        assert!(message.contains("a current-thread runtime has no workers"), "{message}");
        let message = refused(Entry::Test, quote!(worker_threads = 2));
        assert!(message.contains("`#[wsrt::test]` is \"current_thread\" unless told otherwise"), "{message}");
    }

    #[test]
    fn start_paused_is_refused_on_a_multi_thread_runtime() {
        let paused = |entry, arguments| parse(entry, arguments).map(|options| options.start_paused.map(|is| is.value));
        assert_eq!(paused(Entry::Test, quote!()), Ok(None));
        assert_eq!(paused(Entry::Test, quote!(start_paused = true)), Ok(Some(true)));
        assert_eq!(paused(Entry::Main, quote!(start_paused = true, flavor = "current_thread")), Ok(Some(true)));
        // The message states a true default.
        assert_eq!(paused(Entry::Main, quote!(start_paused = false)), Ok(Some(false)));
        let message = refused(Entry::Test, quote!(start_paused = true, flavor = "multi_thread"));
        assert_eq!(
            message,
            "`start_paused` needs `flavor = \"current_thread\"`: the clock of a multi-thread runtime cannot be paused"
        );
        let message = refused(Entry::Main, quote!(start_paused = true));
        assert!(message.contains("`#[wsrt::main]` is \"multi_thread\" unless told otherwise"), "{message}");
    }

    #[test]
    fn options_of_tests_are_read_and_refused_elsewhere() {
        let options = parse(Entry::Test, quote!(seeds = 0..9, worker_threads = 2)).expect("they go together");
        assert_eq!(options.seeds.map(|seeds| squeezed(&quote!(#seeds))).as_deref(), Some("0..9"));
        let options =
            parse(Entry::Test, quote!(longest_poll = "5ms", flavor = "multi_thread")).expect("they go together");
        assert_eq!(options.longest_poll, Some(Duration::from_millis(5)));
        let message = refused(Entry::Main, quote!(seeds = 0..9, longest_poll = "5ms"));
        assert_eq!(
            message,
            "`seeds` is an option of `#[wsrt::test]` only | `longest_poll` is an option of `#[wsrt::test]` only | \
             `longest_poll` does not go with `seeds`, which runs the test in a simulation: its polls take no real time"
        );
        let message = refused(Entry::Test, quote!(seeds = 0..9, flavor = "multi_thread", start_paused = true));
        assert!(
            message.contains("`flavor` does not go with `seeds`") && message.contains("its clock is virtual"),
            "{message}"
        );
    }

    #[test]
    fn an_option_given_twice_is_refused() {
        let message = refused(Entry::Main, quote!(flavor = "multi_thread", flavor = "multi_thread"));
        assert_eq!(message, "`flavor` is given twice");
    }

    #[test]
    fn a_wrong_flavor_raises_no_second_error() {
        let message = refused(Entry::Main, quote!(flavor = "multithread", start_paused = true));
        assert!(message.starts_with("unknown flavor \"multithread\"") && !message.contains(" | "), "{message}");
        let message = refused(Entry::Test, quote!(flavor = "multithread", worker_threads = 2));
        assert!(message.starts_with("unknown flavor \"multithread\"") && !message.contains(" | "), "{message}");
    }
}
