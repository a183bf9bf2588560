//! Signals of the operating system.

pub use wsrt::signal::unix;

/// Waits for the next interrupt from the keyboard.
///
/// # Errors
///
/// If the handler of the signal cannot be installed.
pub async fn ctrl_c() -> std::io::Result<()> {
    wsrt::signal::ctrl_c().await
}
