//! How much CPU time a thread has used since the watcher first asked.

use crate::base::thread_state::cpu_time;

/// A reading of one thread's clock, to compare later ones with.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BurnMeter {
    /// The thread, and the CPU time that it had had.
    first: Option<(u32, u64)>,
}

impl BurnMeter {
    /// Nanoseconds of CPU time that `thread` has used since the first reading, which this is if there was none, or if that
    /// was of another thread: a processor may change hands between two ticks. `None` where the system does not tell.
    pub(crate) fn read(&mut self, thread: u32) -> Option<u64> {
        let now = cpu_time(thread)?;
        match self.first {
            Some((same, before)) if same == thread => Some(now.saturating_sub(before)),
            _ => {
                self.first = Some((thread, now));
                Some(0)
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::base::thread_state::current_thread_number;

    fn burn(nanos: u64) {
        let own = current_thread_number();
        let before = cpu_time(own).expect("this thread lives");
        while cpu_time(own).expect("this thread lives") < before + nanos {}
    }

    #[test]
    fn a_meter_counts_from_its_first_reading() {
        let (mut meter, own) = (BurnMeter::default(), current_thread_number());
        assert_eq!(meter.read(own), Some(0));
        burn(1_000_000);
        assert!(meter.read(own) >= Some(1_000_000));
    }

    /// The other thread's clock may stand far behind: the watcher once took the one from the other.
    #[test]
    fn a_meter_starts_anew_for_another_thread() {
        burn(5_000_000);
        let mut meter = BurnMeter::default();
        assert_eq!(meter.read(current_thread_number()), Some(0));
        let fresh = std::thread::spawn(move || meter.read(current_thread_number()));
        assert_eq!(fresh.join().expect("it does not panic"), Some(0));
        assert_eq!(meter.read(0), None, "there is no such thread");
    }
}
