//! The head of a request: what is asked for, and what is refused unread.

use httparse::{EMPTY_HEADER, Status as Parsed};

use crate::address::is_host_of_this_machine;
use crate::answer::{Answer, BAD_REQUEST, FORBIDDEN, TOO_LARGE};
use crate::pages::Wanted;

/// The most bytes of a head.
pub(super) const MOST_BYTES: usize = 8 << 10;
/// The most headers of a head. Browsers send some twenty.
const MOST_HEADERS: usize = 64;

/// A request for a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) wanted: Wanted,
    pub(super) keep_alive: bool,
}

/// What the bytes of a connection begin with.
#[derive(Debug)]
pub(super) enum Head {
    /// Less than a head so far.
    Partial,
    /// A request, and the number of its bytes.
    Whole(Request, usize),
    /// Nothing that gets a page. The connection is closed behind the answer.
    Refused(Answer),
}

/// Reads the head at the beginning of `bytes`.
pub(super) fn parse(bytes: &[u8], checks_host: bool) -> Head {
    let mut headers = [EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(bytes) {
        Ok(Parsed::Complete(len)) if len <= MOST_BYTES => match request(&parsed, checks_host) {
            Ok(request) => Head::Whole(request, len),
            Err(refusal) => Head::Refused(refusal),
        },
        Ok(Parsed::Partial) if bytes.len() < MOST_BYTES => Head::Partial,
        Ok(_) | Err(httparse::Error::TooManyHeaders) => {
            let why = format!("a request's head may have {MOST_BYTES} bytes and {MOST_HEADERS} headers");
            Head::Refused(Answer::refusal(TOO_LARGE, why))
        }
        Err(error) => Head::Refused(Answer::refusal(BAD_REQUEST, format!("this is no HTTP/1.1: {error}"))),
    }
}

fn request(parsed: &httparse::Request<'_, '_>, checks_host: bool) -> Result<Request, Answer> {
    let (mut host, mut keep_alive) = (None, parsed.version == Some(1));
    for header in parsed.headers.iter() {
        let value = || std::str::from_utf8(header.value).unwrap_or("");
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        if is("host") {
            host = Some(value());
        } else if is("connection") {
            keep_alive &= !value().split(',').any(|word| word.trim().eq_ignore_ascii_case("close"));
        } else if is("transfer-encoding") || is("content-length") && value().trim() != "0" {
            return Err(Answer::refusal(BAD_REQUEST, "no page takes a body"));
        }
    }
    if checks_host && !host.is_none_or(is_host_of_this_machine) {
        let why = "this server answers to an IP address or `localhost`, so that no other site can read the pages";
        return Err(Answer::refusal(FORBIDDEN, why));
    }
    let wants_body = match parsed.method {
        Some("GET") => true,
        Some("HEAD") => false,
        _ => return Err(Answer::not_allowed()),
    };
    let target = parsed.path.unwrap_or("/").to_owned();
    Ok(Request { wanted: Wanted { target, wants_body }, keep_alive })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages;

    fn refused(bytes: &[u8]) -> u16 {
        match parse(bytes, true) {
            Head::Refused(answer) => answer.status.0,
            other => panic!("{other:?}"),
        }
    }

    fn whole(text: &str) -> (Request, usize) {
        match parse(text.as_bytes(), true) {
            Head::Whole(request, len) => (request, len),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_request_is_read_up_to_its_end() {
        let (request, len) = whole("GET /tasks?format=json HTTP/1.1\r\nHost: localhost:1\r\n\r\nGET");
        assert_eq!(
            (request.wanted.target.as_str(), request.wanted.wants_body, request.keep_alive),
            ("/tasks?format=json", true, true)
        );
        assert_eq!(len, 54);
        let (request, _) = whole("HEAD / HTTP/1.1\r\nConnection: x, Close\r\n\r\n");
        assert!(!request.wanted.wants_body && !request.keep_alive);
        assert!(!whole("GET / HTTP/1.0\r\n\r\n").0.keep_alive);
        for part in ["", "GET", "GET / HTTP/1.1\r\nHost: localhost\r\n"] {
            assert!(matches!(parse(part.as_bytes(), true), Head::Partial), "{part}");
        }
    }

    #[test]
    fn other_hosts_bodies_and_methods_are_refused() {
        assert_eq!(refused(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
        assert!(matches!(parse(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", false), Head::Whole(..)));
        assert_eq!(refused(b"GET / HTTP/1.1\r\nContent-Length: 7\r\n\r\n"), 400);
        assert_eq!(refused(b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
        assert_eq!(refused(b"POST / HTTP/1.1\r\n\r\n"), 405);
        assert_eq!(refused(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 400);
        assert_eq!(refused(b"\x16\x03\x01\x02\x00"), 400);
    }

    #[test]
    fn any_bytes_are_a_request_a_refusal_or_too_few() {
        let words = ["\r\n", "\r\n\r\n", "Host: ", "Connection: ", "HTTP/1.1", "GET ", "/", "?", "%", "seconds=", "&"];
        let corpus = wsrt_fuzz::corpus("requests", &words);
        wsrt_fuzz::check(&corpus, 20_000, |bytes| match parse(bytes, true) {
            Head::Partial => assert!(bytes.len() < MOST_BYTES),
            Head::Whole(request, len) => {
                assert!(len <= bytes.len().min(MOST_BYTES));
                let (_, query) = request.wanted.target.split_once('?').unwrap_or_default();
                let _ = pages::Query::parse(query);
            }
            Head::Refused(answer) => assert!((400..=431).contains(&answer.status.0)),
        });
    }

    #[test]
    fn heads_that_are_too_large_are_refused() {
        let long = format!("GET / HTTP/1.1\r\nX: {}", "y".repeat(MOST_BYTES));
        assert_eq!(refused(long.as_bytes()), 431);
        assert_eq!(refused(format!("{long}\r\n\r\n").as_bytes()), 431);
        assert_eq!(refused(format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(MOST_HEADERS + 1)).as_bytes()), 431);
    }
}
