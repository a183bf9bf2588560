//! The function under the attribute, read as far as the macros need: its head is parsed, its body
//! stays as the user's tokens.

use proc_macro2::{Group, Ident, Span};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Abi, Attribute, Generics, ReturnType, Token, Type, Visibility, token};

use crate::entry::Entry;
use crate::errors::Errors;

/// A function as written, not yet known to be one that the macros accept.
///
/// The body is never parsed: an editor asking about a half-typed body still gets its answer, and
/// every token in it keeps its own place in the user's file.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) qualifiers: Qualifiers,
    pub(crate) fn_token: Token![fn],
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    /// With the parentheses: as the user's own tokens they keep the signature out of the lints'
    /// "made by a macro".
    pub(crate) arguments: Group,
    pub(crate) output: ReturnType,
    pub(crate) body: Group,
}

/// The keywords that may stand between the visibility and `fn`.
pub(crate) struct Qualifiers {
    constness: Option<Token![const]>,
    asyncness: Option<Token![async]>,
    unsafety: Option<Token![unsafe]>,
    abi: Option<Abi>,
}

impl Parse for Qualifiers {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self { constness: input.parse()?, asyncness: input.parse()?, unsafety: input.parse()?, abi: input.parse()? })
    }
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let head = input.span();
        let qualifiers = input.parse()?;
        if !input.peek(Token![fn]) {
            return Err(syn::Error::new(head, "this attribute goes on an `async fn`"));
        }
        let fn_token = input.parse()?;
        let name = input.parse()?;
        let mut generics: Generics = input.parse()?;
        let arguments = parse_arguments(input)?;
        let output = input.parse()?;
        generics.where_clause = input.parse()?;
        Ok(Self {
            attributes,
            visibility,
            qualifiers,
            fn_token,
            name,
            generics,
            arguments,
            output,
            body: parse_body(input)?,
        })
    }
}

fn parse_arguments(input: ParseStream<'_>) -> syn::Result<Group> {
    if !input.peek(token::Paren) {
        return Err(input.error("expected the function's arguments in parentheses"));
    }
    input.parse()
}

fn parse_body(input: ParseStream<'_>) -> syn::Result<Group> {
    if !input.peek(token::Brace) {
        return Err(input.error("the function needs a body"));
    }
    input.parse()
}

impl Function {
    /// Records in `errors` everything about this function that `entry` cannot run.
    pub(crate) fn check(&self, entry: Entry, errors: &mut Errors) {
        self.check_qualifiers(entry, errors);
        self.check_generics(entry, errors);
        if !self.arguments.stream().is_empty() {
            let message = format!("a function under `{entry}` takes no arguments");
            errors.push(syn::Error::new_spanned(self.arguments.stream(), message));
        }
        if entry == Entry::Test {
            self.check_test_attributes(errors);
        }
    }

    fn check_qualifiers(&self, entry: Entry, errors: &mut Errors) {
        let Qualifiers { constness, asyncness, unsafety, abi } = &self.qualifiers;
        if asyncness.is_none() {
            let message = format!("`{entry}` needs an `async fn`: write `async` before `fn`");
            errors.push(syn::Error::new_spanned(self.fn_token, message));
        }
        let mut refuse = |qualifier: &dyn ToTokens, word: &str| {
            let message = format!("a function under `{entry}` cannot be `{word}`");
            errors.push(syn::Error::new_spanned(qualifier.to_token_stream(), message));
        };
        if let Some(constness) = constness {
            refuse(constness, "const");
        }
        if let Some(unsafety) = unsafety {
            refuse(unsafety, "unsafe");
        }
        if let Some(abi) = abi {
            refuse(abi, "extern");
        }
    }

    fn check_generics(&self, entry: Entry, errors: &mut Errors) {
        if !self.generics.params.is_empty() {
            let message =
                format!("a function under `{entry}` cannot be generic: the attribute cannot choose its parameters");
            errors.push(syn::Error::new_spanned(&self.generics, message));
        }
        if let Some(clause) = &self.generics.where_clause {
            let message = format!("a function under `{entry}` cannot have a `where` clause");
            errors.push(syn::Error::new_spanned(clause, message));
        }
    }

    fn check_test_attributes(&self, errors: &mut Errors) {
        for attribute in self.attributes.iter().filter(|attribute| makes_a_test(attribute)) {
            let message = "this is the second test attribute: `#[wsrt::test]` already makes the function a test";
            errors.push(syn::Error::new_spanned(attribute, message));
        }
    }

    /// Returns whether the user wrote a return type other than `()`.
    pub(crate) fn declares_an_output(&self) -> bool {
        match &self.output {
            ReturnType::Default => false,
            ReturnType::Type(_, declared) => !is_unit(declared),
        }
    }

    /// Returns whether the user wrote `-> !`.
    pub(crate) fn never_returns(&self) -> bool {
        matches!(&self.output, ReturnType::Type(_, declared) if matches!(**declared, Type::Never(_)))
    }

    /// The places of the first and the last token of `async fn name() -> Output`, which errors
    /// about the root as a whole underline.
    pub(crate) fn head_span(&self) -> (Span, Span) {
        let first = self.qualifiers.asyncness.map_or(self.fn_token.span, |keyword| keyword.span);
        let last = match &self.output {
            ReturnType::Default => self.name.span(),
            ReturnType::Type(..) => self.output_span().1,
        };
        (first, last)
    }

    /// The places of the first and the last token of the return type, or of the name where there is
    /// none.
    pub(crate) fn output_span(&self) -> (Span, Span) {
        let ReturnType::Type(_, declared) = &self.output else {
            return (self.name.span(), self.name.span());
        };
        let spans: Vec<Span> = declared.to_token_stream().into_iter().map(|token| token.span()).collect();
        match (spans.first(), spans.last()) {
            (Some(&first), Some(&last)) => (first, last),
            _ => (self.name.span(), self.name.span()),
        }
    }
}

/// Returns whether the type is `()`. Its spelling is all a macro can know: an alias for it counts
/// as another type.
fn is_unit(declared: &Type) -> bool {
    matches!(declared, Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Returns whether the last word of the attribute's path is `test`, as in `#[test]`,
/// `#[core::prelude::v1::test]` and `#[wsrt::test]`.
fn makes_a_test(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "test")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::messages;
    use proc_macro2::TokenStream;
    use quote::quote;

    fn mistakes(entry: Entry, item: TokenStream) -> Vec<String> {
        let function: Function = syn::parse2(item).expect("a function");
        let mut errors = Errors::default();
        function.check(entry, &mut errors);
        messages(quote!(#errors))
    }

    #[test]
    fn a_plain_async_function_is_accepted() {
        let item = quote! {
            #[doc = "Serves."]
            pub(crate) async fn main() -> Result<(), Box<dyn Error + Send>> { serve().await }
        };
        assert_eq!(mistakes(Entry::Main, item), [""; 0]);
    }

    #[test]
    fn an_unfinished_body_does_not_hide_the_head() {
        assert_eq!(mistakes(Entry::Main, quote!(async fn main() { let x = stream. })), [""; 0]);
    }

    #[test]
    fn each_part_that_cannot_run_has_its_own_refusal() {
        let cases = [
            (
                quote!(
                    fn main() {}
                ),
                "needs an `async fn`",
            ),
            (
                quote!(
                    async fn main(port: u16) {}
                ),
                "takes no arguments",
            ),
            (
                quote!(
                    async fn serve(&self) {}
                ),
                "takes no arguments",
            ),
            (
                quote!(
                    async fn main<T>() {}
                ),
                "cannot be generic",
            ),
            (
                quote!(
                    async fn main()
                    where
                        u8: Copy,
                    {
                    }
                ),
                "cannot have a `where` clause",
            ),
            (
                quote!(
                    async unsafe fn main() {}
                ),
                "cannot be `unsafe`",
            ),
            (
                quote!(
                    async extern "C" fn main() {}
                ),
                "cannot be `extern`",
            ),
            (
                quote!(
                    const async fn main() {}
                ),
                "cannot be `const`",
            ),
        ];
        for (item, expected) in cases {
            let found = mistakes(Entry::Main, item.clone());
            assert!(found.len() == 1 && found[0].contains(expected), "{item}: {found:?}");
        }
    }

    #[test]
    fn a_second_test_attribute_is_refused_under_any_name() {
        for second in
            [quote!(test), quote!(::core::prelude::v1::test), quote!(wsrt::test), quote!(wsrt::test(flavor = "x"))]
        {
            let found = mistakes(Entry::Test, quote!(#[#second] async fn works() {}));
            assert!(found.len() == 1 && found[0].contains("second test attribute"), "{second}: {found:?}");
        }
    }

    #[test]
    fn a_function_without_a_body_is_refused() {
        let error = syn::parse2::<Function>(quote!(
            async fn main();
        ))
        .err()
        .expect("no body");
        assert_eq!(error.to_string(), "the function needs a body");
    }

    #[test]
    fn only_a_return_type_besides_unit_counts_as_output() {
        for (output, counts) in
            [(quote!(), false), (quote!(-> ()), false), (quote!(-> (u8,)), true), (quote!(-> !), true)]
        {
            let function: Function = syn::parse2(quote!(async fn works() #output {})).expect("a function");
            assert_eq!(function.declares_an_output(), counts, "{output}");
        }
    }
}
