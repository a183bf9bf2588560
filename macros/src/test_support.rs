//! Helpers with which the unit tests inspect token streams.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// Returns the stream as text, without spaces that have no meaning.
pub(crate) fn squeezed(tokens: &TokenStream) -> String {
    let mut text = String::new();
    for character in tokens.to_string().chars() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        if text.ends_with(' ') {
            text.pop();
            if is_word(character) && text.ends_with(is_word) {
                text.push(' ');
            }
        }
        text.push(if character == '\n' { ' ' } else { character });
    }
    text
}

/// Returns the messages of all `compile_error!` calls in the stream, in order.
pub(crate) fn messages(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.windows(3).filter_map(message).collect()
}

fn message(window: &[TokenTree]) -> Option<String> {
    let [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(argument)] = window else {
        return None;
    };
    if name != "compile_error" || bang.as_char() != '!' {
        return None;
    }
    let message: syn::LitStr = syn::parse2(argument.stream()).ok()?;
    Some(message.value())
}

#[test]
fn squeezing_keeps_words_apart_and_nothing_else() {
    assert_eq!(
        squeezed(&quote!(
            pub fn a(x: u8) -> u8 {
                1 + x
            }
        )),
        "pub fn a(x:u8)->u8{1+x}"
    );
}
