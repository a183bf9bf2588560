//! `--store`: which store is meant.

use std::str::FromStr;

use redis::{ConnectionAddr, ConnectionInfo};

/// Where the jobs are to be kept.
#[derive(Clone, Debug)]
pub enum StoreAddress {
    /// In this process.
    Memory,
    /// In a Redis.
    Redis(Box<ConnectionInfo>),
}

impl FromStr for StoreAddress {
    type Err = String;

    /// Reads `memory`, or `redis://[[user]:password@]host[:port][/database]`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "memory" {
            return Ok(Self::Memory);
        }
        if !text.starts_with("redis://") {
            // Errors show no more of an address than its scheme: it may have a password in it.
            let scheme = text.split_once("://").map_or(text, |(scheme, _)| scheme);
            let is_word = scheme.chars().all(char::is_alphanumeric);
            let shown = if is_word { format!("{scheme:?}") } else { "this".to_owned() };
            return Err(format!("{shown} is no store: there are memory and redis://HOST:PORT"));
        }
        let info: ConnectionInfo =
            text.parse().map_err(|error| format!("redis://… is not the address of a Redis: {error}"))?;
        match info.addr() {
            ConnectionAddr::Tcp(..) => Ok(Self::Redis(Box::new(info))),
            _ => Err("redis://… must name a host".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_none_is_refused_without_its_password() {
        for text in [
            "",
            "disk",
            "rediss://host",
            "redis://",
            "redis://h:99999",
            "redis://u:secret@h:port",
            "unix:///x",
            "redis:u:secret@h",
        ] {
            let refusal = text.parse::<StoreAddress>().unwrap_err();
            assert!(!refusal.is_empty() && !refusal.contains("secret"), "{text}: {refusal}");
        }
        assert!(matches!("memory".parse(), Ok(StoreAddress::Memory)));
        assert!(matches!("redis://:secret@host:1/2".parse(), Ok(StoreAddress::Redis(_))));
    }
}
