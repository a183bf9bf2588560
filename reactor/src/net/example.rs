//! The examples of methods that sockets of several kinds have: each kind has a file with the lines
//! that make such a socket, each method a file with the lines that use it.

/// Expands to the section of a method's documentation with its example, which runs.
macro_rules! example {
    ($socket:literal, $use:literal) => {
        concat!(
            "# Examples\n\n```\n",
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sockets/", $socket, ".txt")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/uses/", $use, ".txt")),
            "# std::io::Result::Ok(()) }).unwrap();\n```\n",
        )
    };
}
