//! Hints of a thread that waits in a loop.

/// Lets the other threads run: one of them is waited for.
pub fn spin_loop() {
    if !crate::steps::give_way() {
        std::hint::spin_loop();
    }
}
