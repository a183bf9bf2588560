//! Collects every mistake in one use of a macro, so that the user sees them all at once.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far. As tokens, each mistake becomes a `compile_error!` at the user's
/// tokens.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    found: Option<syn::Error>,
}

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.found {
            Some(found) => found.combine(error),
            None => self.found = Some(error),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_none()
    }
}

impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.found.as_ref().map(syn::Error::to_compile_error));
    }
}
