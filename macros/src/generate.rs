//! Generates the plain `fn` that builds a runtime and runs the user's `async fn` as the root
//! future.
//!
//! The user's function becomes an unchanged item inside the generated one, under its own name. Its
//! return type therefore drives inference as written, inner attributes of the body stay legal,
//! nothing generated is in scope in the body, and the compiler's messages speak of "the future
//! returned by `main`".

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::entry::Entry;
use crate::function::Function;
use crate::options::{Flavor, Options};
use crate::test_options::Seeds;

/// How the root's output leaves the generated function.
#[derive(Clone, Copy)]
enum Outcome {
    /// The function returns an `ExitCode`. The root future reports its own output, which never
    /// leaves the root's thread and need not be `Send`.
    Report,
    /// The function returns the value that the user's function returns.
    Return,
}

impl Outcome {
    fn of(entry: Entry, function: &Function) -> Self {
        let reports = match entry {
            Entry::Main => function.name == "main",
            // `#[should_panic]` accepts only a test that returns `()`.
            Entry::Test => function.declares_an_output(),
        };
        if reports { Self::Report } else { Self::Return }
    }
}

/// Generates the replacement for a function that has passed [`Function::check`].
pub(crate) fn generate(entry: Entry, options: &Options, function: &Function) -> TokenStream {
    if let Some(seeds) = &options.seeds {
        return generate_seeded(seeds, options, function);
    }
    let Function { attributes, visibility, fn_token, name, arguments, output, .. } = function;
    let outcome = Outcome::of(entry, function);
    let (output, root) = match outcome {
        Outcome::Report => (quote!(-> ::std::process::ExitCode), reporting_root(function)),
        Outcome::Return => (output.to_token_stream(), user_function(function)),
    };
    let test = test_attribute(entry);
    let builder = builder(entry, options);
    let on_failure = on_failure(outcome);
    let run = run(entry, options, function);
    let mut body = Group::new(
        Delimiter::Brace,
        quote! {
            #root
            let runtime = match #builder.build() {
                ::std::result::Result::Ok(runtime) => runtime,
                ::std::result::Result::Err(error) => #on_failure,
            };
            #run
        },
    );
    // Lints about the function as a whole, such as `dead_code`, are silent where its end is in a
    // macro.
    body.set_span(function.body.span());
    quote! {
        #(#attributes)*
        #test
        #visibility #fn_token #name #arguments #output #body
    }
}

/// Generates a test that runs in a simulation with each seed.
fn generate_seeded(seeds: &Seeds, options: &Options, function: &Function) -> TokenStream {
    let Function { attributes, visibility, fn_token, name, arguments, .. } = function;
    let Options { worker_threads, configure, crate_path: wsrt, .. } = options;
    let (test, user_function, text) = (test_attribute(Entry::Test), user_function(function), name.to_string());
    let workers = worker_threads.iter();
    let configure = configure.iter();
    let mut body = Group::new(
        Delimiter::Brace,
        quote! {
            #user_function
            #wsrt::__run_with_seeds!(
                #seeds,
                #text,
                |builder| {
                    #(builder.worker_threads(#workers);)*
                    #(#wsrt::runtime::__entry::configured(builder, #configure);)*
                    _ = builder;
                },
                #name
            );
        },
    );
    body.set_span(function.body.span());
    quote! {
        #(#attributes)*
        #test
        #visibility #fn_token #name #arguments #body
    }
}

/// Returns the standard test attribute by its full path, because the user may have imported
/// `wsrt::test` under the short name.
fn test_attribute(entry: Entry) -> Option<TokenStream> {
    match entry {
        Entry::Main => None,
        Entry::Test => Some(quote!(#[::core::prelude::v1::test])),
    }
}

fn user_function(function: &Function) -> TokenStream {
    let Function { fn_token, name, arguments, output, body, .. } = function;
    quote!(async #fn_token #name #arguments #output #body)
}

/// Returns an `async fn` of the same name around the user's, which converts the output to an exit
/// code as the standard library does for `main`.
fn reporting_root(function: &Function) -> TokenStream {
    let Function { fn_token, name, .. } = function;
    let user_function = user_function(function);
    // A type that cannot be reported is underlined where the user wrote it.
    let output = spread(quote!(#name().await), function.output_span());
    let may_be_unreachable = function.never_returns().then(|| quote!(#[allow(unreachable_code)]));
    quote! {
        async #fn_token #name() -> ::std::process::ExitCode {
            #user_function
            #may_be_unreachable
            return ::std::process::Termination::report(#output);
        }
    }
}

fn builder(entry: Entry, options: &Options) -> TokenStream {
    let wsrt = &options.crate_path;
    let builder = quote!(#wsrt::runtime::Builder);
    let paused = options.start_paused.as_ref().map(|paused| quote!(.start_paused(#paused)));
    // Nothing continues once the root has ended.
    let in_test = matches!(entry, Entry::Test).then(|| quote!(.__in_test()));
    let longest_poll = options.longest_poll.map(|limit| {
        let nanos = limit.as_nanos() as u64;
        quote!(.__longest_poll(::core::time::Duration::from_nanos(#nanos)))
    });
    let in_test = quote!(#in_test #longest_poll);
    let builder = match (options.flavor, &options.worker_threads) {
        (Flavor::CurrentThread, _) => quote!(#builder::new_current_thread().enable_all() #in_test #paused),
        (Flavor::MultiThread, None) => quote!(#builder::new_multi_thread().enable_all() #in_test),
        (Flavor::MultiThread, Some(workers)) => {
            quote!(#builder::new_multi_thread().enable_all() #in_test .worker_threads(#workers))
        }
    };
    match &options.configure {
        Some(configure) => quote!(#wsrt::runtime::__entry::configured(#builder, #configure)),
        None => builder,
    }
}

fn on_failure(outcome: Outcome) -> TokenStream {
    match outcome {
        Outcome::Report => quote! {{
            ::std::eprintln!("wsrt: {}", error);
            return ::std::process::ExitCode::FAILURE;
        }},
        Outcome::Return => quote!(::std::panic!("wsrt: {}", error)),
    }
}

/// Generates the call that runs the root future. On a multi-thread runtime, the root runs on a
/// worker if it is `Send` and on the calling thread otherwise. The compiler chooses between the
/// two, depending on which method `place` applies.
fn run(entry: Entry, Options { flavor, crate_path, .. }: &Options, function: &Function) -> TokenStream {
    let name = &function.name;
    let root = spread(quote!(#name()), function.head_span());
    match (flavor, entry) {
        (Flavor::MultiThread, _) => quote!({
            let root = #root;
            #crate_path::runtime::__entry::Root::of(&root).place().run(&runtime, root)
        }),
        (Flavor::CurrentThread, Entry::Main) => quote!(runtime.block_on(#root)),
        (Flavor::CurrentThread, Entry::Test) => quote!(#crate_path::runtime::__entry::Here.run(&runtime, #root)),
    }
}

/// Puts the first of `tokens` at the first span and all others at the last, so that an error about
/// the expression underlines everything in between. (`Span::join` would produce a single span, but
/// is not available on stable Rust.)
fn spread(tokens: TokenStream, (first, last): (Span, Span)) -> TokenStream {
    let mut spans = std::iter::once(first).chain(std::iter::repeat(last));
    let place = |mut token: TokenTree| {
        token.set_span(spans.next().unwrap_or(last));
        token
    };
    tokens.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::Errors;
    use crate::test_support::squeezed;

    fn generated(entry: Entry, arguments: TokenStream, item: TokenStream) -> String {
        let mut errors = Errors::default();
        let options = Options::parse(entry, arguments, &mut errors);
        let function: Function = syn::parse2(item).expect("a function");
        function.check(entry, &mut errors);
        assert!(errors.is_empty(), "{errors:?}");
        squeezed(&generate(entry, &options, &function))
    }

    #[test]
    fn main_keeps_its_attributes_and_reports_inside_the_root() {
        let output = generated(
            Entry::Main,
            quote!(worker_threads = 4),
            quote!(
                #[inline]
                pub async fn main() -> Result<(), Error> {
                    Ok(())
                }
            ),
        );
        let expected = quote! {
            #[inline]
            pub fn main() -> ::std::process::ExitCode {
                async fn main() -> ::std::process::ExitCode {
                    async fn main() -> Result<(), Error> { Ok(()) }
                    return ::std::process::Termination::report(main().await);
                }
                let runtime = match ::wsrt::runtime::Builder::new_multi_thread().enable_all().worker_threads(4).build() {
                    ::std::result::Result::Ok(runtime) => runtime,
                    ::std::result::Result::Err(error) => {
                        ::std::eprintln!("wsrt: {}", error);
                        return ::std::process::ExitCode::FAILURE;
                    },
                };
                {
                    let root = main();
                    ::wsrt::runtime::__entry::Root::of(&root).place().run(&runtime, root)
                }
            }
        };
        assert_eq!(output, squeezed(&expected));
    }

    #[test]
    fn another_function_returns_what_it_declares() {
        let output = generated(
            Entry::Main,
            quote!(flavor = "current_thread"),
            quote!(
                async fn load() -> Config {
                    read().await
                }
            ),
        );
        let expected = quote! {
            fn load() -> Config {
                async fn load() -> Config { read().await }
                let runtime = match ::wsrt::runtime::Builder::new_current_thread().enable_all().build() {
                    ::std::result::Result::Ok(runtime) => runtime,
                    ::std::result::Result::Err(error) => ::std::panic!("wsrt: {}", error),
                };
                runtime.block_on(load())
            }
        };
        assert_eq!(output, squeezed(&expected));
    }

    #[test]
    fn a_test_keeps_its_attributes_and_gets_the_standard_one() {
        let output = generated(
            Entry::Test,
            quote!(),
            quote!(
                #[should_panic]
                #[ignore]
                async fn panics() {}
            ),
        );
        assert!(output.starts_with("#[should_panic]#[ignore]#[::core::prelude::v1::test]fn panics(){"), "{output}");
        assert!(output.ends_with("::wsrt::runtime::__entry::Here.run(&runtime,panics())}"), "{output}");
    }

    #[test]
    fn a_test_with_an_output_reports_it_inside_the_root() {
        let output = generated(
            Entry::Test,
            quote!(),
            quote!(
                async fn works() -> Result<(), Error> {}
            ),
        );
        assert!(
            output.contains("fn works()->::std::process::ExitCode{async fn works()->::std::process::ExitCode{"),
            "{output}"
        );
    }

    #[test]
    fn the_runtime_is_found_where_the_crate_option_says() {
        let output = generated(
            Entry::Main,
            quote!(crate = "crate::vendored"),
            quote!(
                async fn main() {}
            ),
        );
        assert!(
            output.contains("match crate::vendored::runtime::Builder::new_multi_thread().enable_all().build()"),
            "{output}"
        );
    }

    #[test]
    fn a_test_may_start_with_its_clock_paused() {
        let output = generated(
            Entry::Test,
            quote!(start_paused = true),
            quote!(
                async fn waits() {}
            ),
        );
        assert!(
            output.contains("Builder::new_current_thread().enable_all().__in_test().start_paused(true).build()"),
            "{output}"
        );
    }

    #[test]
    fn a_test_with_seeds_runs_with_each_of_them() {
        let output = generated(
            Entry::Test,
            quote!(seeds = 0..9, worker_threads = 2),
            quote!(
                async fn works() -> Result<(), Error> {
                    body()
                }
            ),
        );
        let expected = quote! {
            #[::core::prelude::v1::test]
            fn works() {
                async fn works() -> Result<(), Error> { body() }
                ::wsrt::__run_with_seeds!(0..9, "works", |builder| { builder.worker_threads(2); _ = builder; }, works);
            }
        };
        assert_eq!(output, squeezed(&expected));
    }

    #[test]
    fn a_test_may_limit_its_polls() {
        let output = generated(
            Entry::Test,
            quote!(longest_poll = "5ms"),
            quote!(
                async fn waits() {}
            ),
        );
        assert!(
            output.contains(".__in_test().__longest_poll(::core::time::Duration::from_nanos(5000000u64)).build()"),
            "{output}"
        );
    }

    #[test]
    fn only_a_never_returning_root_silences_the_unreachable_lint() {
        let never = generated(
            Entry::Main,
            quote!(),
            quote!(
                async fn main() -> ! {
                    loop {}
                }
            ),
        );
        assert!(never.contains("#[allow(unreachable_code)]return"), "{never}");
        let returns = generated(
            Entry::Main,
            quote!(),
            quote!(
                async fn main() {}
            ),
        );
        assert!(!returns.contains("allow"), "{returns}");
    }
}
