//! Expands one use of a macro to the tokens that replace it: the generated function, or the
//! mistakes together with a harmless replacement.

use proc_macro2::TokenStream;
use quote::quote;

use crate::entry::Entry;
use crate::errors::Errors;
use crate::function::Function;
use crate::generate::generate;
use crate::options::Options;

/// Expands one use of `entry`.
///
/// If there are mistakes, the item is still replaced by code that compiles, so that the compiler
/// reports the mistakes and not their consequences, such as a missing `main`.
pub(crate) fn expand(entry: Entry, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = Options::parse(entry, arguments, &mut errors);
    let replacement = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => replace(entry, options, &function, &mut errors),
        Err(error) => {
            errors.push(error);
            item
        }
    };
    quote!(#errors #replacement)
}

fn replace(entry: Entry, options: Options, function: &Function, errors: &mut Errors) -> TokenStream {
    let options = if errors.is_empty() { options } else { options.forgiving() };
    let mut mistakes = Errors::default();
    function.check(entry, &mut mistakes);
    if mistakes.is_empty() {
        return generate(entry, &options, function);
    }
    let stand_in = stand_in(function);
    quote!(#mistakes #stand_in)
}

/// Returns a function with the same signature as the rejected one, against which callers can be
/// checked.
fn stand_in(function: &Function) -> TokenStream {
    let Function { visibility, fn_token, name, generics, arguments, output, .. } = function;
    if name == "main" {
        return quote!(#visibility #fn_token #name() {});
    }
    let where_clause = &generics.where_clause;
    quote! {
        #[allow(dead_code, unused_variables)]
        #visibility #fn_token #name #generics #arguments #output #where_clause { loop {} }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{messages, squeezed};

    #[test]
    fn mistakes_in_options_and_in_the_function_are_reported_together() {
        let output = expand(
            Entry::Main,
            quote!(flavour = "multi_thread"),
            quote!(
                fn main(port: u16) {}
            ),
        );
        let messages = messages(output);
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert!(messages[0].starts_with("unknown option `flavour`"), "{messages:?}");
        assert!(messages[1].contains("needs an `async fn`"), "{messages:?}");
        assert!(messages[2].contains("takes no arguments"), "{messages:?}");
    }

    #[test]
    fn a_refused_main_leaves_a_main_behind() {
        let output = expand(
            Entry::Main,
            quote!(),
            quote!(
                fn main() {
                    broken()
                }
            ),
        );
        assert!(squeezed(&output).ends_with("fn main(){}"), "{output}");
    }

    #[test]
    fn a_refused_function_leaves_its_signature_behind() {
        let output = expand(
            Entry::Main,
            quote!(),
            quote!(
                pub async fn start(port: u16) -> u8 {
                    broken()
                }
            ),
        );
        assert!(squeezed(&output).ends_with("pub fn start(port:u16)->u8{loop{}}"), "{output}");
    }

    #[test]
    fn a_wrong_option_does_not_require_a_send_root() {
        let output = expand(
            Entry::Main,
            quote!(colour = "red"),
            quote!(
                async fn main() {}
            ),
        );
        assert!(squeezed(&output).contains("new_current_thread().enable_all().build()"), "{output}");
    }

    #[test]
    fn what_is_not_a_function_stays_as_it_was() {
        let output = expand(
            Entry::Main,
            quote!(),
            quote!(
                struct Server;
            ),
        );
        assert_eq!(messages(output.clone()), ["this attribute goes on an `async fn`"]);
        assert!(squeezed(&output).ends_with("struct Server;"), "{output}");
    }
}
