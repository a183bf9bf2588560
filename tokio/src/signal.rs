//! Signals from the operating system.

pub use wsrt::signal::unix;

/// Waits for the next Ctrl-C, which arrives as an interrupt signal.
///
/// # Errors
///
/// Returns the OS error if the signal handler cannot be installed.
pub async fn ctrl_c() -> std::io::Result<()> {
    wsrt::signal::ctrl_c().await
}
