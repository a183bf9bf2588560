//! The values of the options that only `#[wsrt::test]` has: `seeds` and `longest_poll`.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, LitStr, Token};

/// The range of seeds, as the user's own literals.
pub(crate) struct Seeds {
    start: LitInt,
    end: LitInt,
}

impl Parse for Seeds {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let start = input.parse()?;
        input.parse::<Token![..]>()?;
        Ok(Self { start, end: input.parse()? })
    }
}

impl ToTokens for Seeds {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { start, end } = self;
        tokens.extend(quote!(#start..#end));
    }
}

pub(crate) fn parse_seeds(value: TokenStream) -> syn::Result<Seeds> {
    let refuse = |message: &str| syn::Error::new_spanned(value.clone(), message);
    let seeds: Seeds = syn::parse2(value.clone())
        .ok()
        .filter(|Seeds { start, end }| ![start, end].into_iter().any(is_negative))
        .ok_or_else(|| refuse("`seeds` takes a range of whole numbers, such as `0..1000`, written as literals"))?;
    let number = |literal: &LitInt| match literal.suffix() {
        "" | "u64" => literal.base10_parse::<u64>().map_err(|_| refuse("a seed is too large for a `u64`")),
        _ => Err(refuse("seeds are of type `u64`: write the numbers without a suffix")),
    };
    if number(&seeds.start)? >= number(&seeds.end)? {
        return Err(refuse("`seeds` holds no seed: the second number has to be above the first"));
    }
    Ok(seeds)
}

/// Returns whether the literal is a negative number, which is a single literal to syn.
fn is_negative(literal: &LitInt) -> bool {
    literal.base10_digits().starts_with('-')
}

/// The units of a duration, in nanoseconds.
const UNITS: [(&str, u64); 3] = [("ms", 1_000_000), ("us", 1_000), ("s", 1_000_000_000)];

pub(crate) fn parse_longest_poll(value: TokenStream) -> syn::Result<Duration> {
    let refuse = |message: &str| syn::Error::new_spanned(value.clone(), message);
    let text: LitStr = syn::parse2(value.clone())
        .map_err(|_| refuse("`longest_poll` takes a duration in a string, such as \"5ms\""))?;
    let text = text.value();
    let nanos =
        UNITS.iter().find_map(|(unit, nanos)| text.strip_suffix(unit)?.trim().parse::<u64>().ok()?.checked_mul(*nanos));
    match nanos.map(Duration::from_nanos) {
        None => {
            Err(refuse(&format!("{text:?} is not a duration, such as \"5ms\": a whole number and `s`, `ms` or `us`")))
        }
        Some(limit) if limit < Duration::from_millis(1) => Err(refuse(
            "`longest_poll` must be at least \"1ms\": shorter polls cannot be told apart from delays of the system",
        )),
        Some(limit) => Ok(limit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused<T>(result: syn::Result<T>) -> String {
        match result {
            Ok(_) => panic!("it was accepted"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn seeds_are_a_range_of_literals() {
        let seeds = parse_seeds(quote!(0..1_000)).expect("it is a range");
        assert_eq!(seeds.to_token_stream().to_string(), quote!(0..1_000).to_string());
        for value in [quote!(7), quote!(0..=9), quote!(..9), quote!(0..), quote!(A..B), quote!("0..9"), quote!(-1..9)] {
            assert!(refused(parse_seeds(value)).starts_with("`seeds` takes a range of whole numbers"));
        }
        assert!(refused(parse_seeds(quote!(7..7))).contains("above the first"));
        assert!(refused(parse_seeds(quote!(0..9u8))).contains("without a suffix"));
        assert!(refused(parse_seeds(quote!(0..99999999999999999999999))).contains("too large"));
    }

    #[test]
    fn the_longest_poll_is_a_number_and_a_unit() {
        let parsed = |value: &str| parse_longest_poll(quote!(#value)).expect("it is a duration");
        assert_eq!(parsed("5ms"), Duration::from_millis(5));
        assert_eq!(parsed("2 s"), Duration::from_secs(2));
        assert_eq!(parsed("1500us"), Duration::from_micros(1_500));
        for value in ["", "5", "ms", "5 minutes", "-5ms", "0.5s", "99999999999999999999s", "99999999999999s"] {
            assert!(refused(parse_longest_poll(quote!(#value))).contains("is not a duration"), "{value}");
        }
        assert!(refused(parse_longest_poll(quote!("999us"))).contains("at least"));
        assert!(refused(parse_longest_poll(quote!(5))).ends_with("in a string, such as \"5ms\""));
        assert!(refused(parse_longest_poll(quote!(LIMIT))).ends_with("in a string, such as \"5ms\""));
    }
}
