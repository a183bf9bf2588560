//! The dependencies of the counts, beside the sources.

use std::env::consts::ARCH;

use crate::{Failure, machine};

/// Describes compiler, C library and processor family in one line.
pub(super) fn describe() -> Result<String, Failure> {
    let compiler = machine::compiler_version().ok_or("rustc is missing or reports no version")?;
    Ok(format!("{compiler}, {}, {ARCH}", c_library()))
}

#[cfg(target_env = "gnu")]
fn c_library() -> String {
    use std::ffi::CStr;

    // SAFETY: the function takes nothing and may be called at any time.
    let version = unsafe { libc::gnu_get_libc_version() };
    // SAFETY: it answers a string that ends in 0 and lives as long as the process.
    let version = unsafe { CStr::from_ptr(version) };
    format!("glibc {}", version.to_string_lossy())
}

#[cfg(not(target_env = "gnu"))]
fn c_library() -> String {
    "another C library than glibc".to_owned()
}
