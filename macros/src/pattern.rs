//! Rewrites a pattern so that it inspects a value without moving out of it.

use proc_macro2::{Group, TokenStream, TokenTree};

/// Returns the pattern without `ref` and `mut`, except for the `mut` of `&mut`. The result matches
/// the same values, and its names borrow.
///
/// The rewriting works on tokens: in a pattern, these keywords occur nowhere else.
pub(crate) fn borrowing(pattern: TokenStream) -> TokenStream {
    let mut follows_reference = false;
    pattern
        .into_iter()
        .filter_map(|token| {
            let is_mut_of_reference = std::mem::replace(&mut follows_reference, is_punct(&token, '&'));
            match token {
                TokenTree::Group(group) => Some(TokenTree::Group(borrowing_group(&group))),
                TokenTree::Ident(word) if word == "ref" || (word == "mut" && !is_mut_of_reference) => None,
                token => Some(token),
            }
        })
        .collect()
}

fn borrowing_group(group: &Group) -> Group {
    let mut inner = Group::new(group.delimiter(), borrowing(group.stream()));
    inner.set_span(group.span());
    inner
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

#[cfg(test)]
mod tests {
    use super::borrowing;
    use quote::quote;

    #[test]
    fn bindings_become_plain_names_wherever_they_stand() {
        let pattern = borrowing(quote!(Some((mut a, ref b, Point { x: ref mut c, mut y }))));
        assert_eq!(pattern.to_string(), quote!(Some((a, b, Point { x: c, y }))).to_string());
    }

    #[test]
    fn references_literals_and_raw_names_stay() {
        let pattern = quote!(&mut (1..=9 | 'a') | [_, .., &x] | r#ref @ Mut::Ref);
        assert_eq!(borrowing(pattern.clone()).to_string(), pattern.to_string());
    }
}
