//! The record of a simulated run: the number of steps, and a hash of all of them.

/// An odd constant for the multiplication of the hash.
const MULTIPLIER: u64 = 0xa076_1d64_78bd_642f;

/// A record of a run, for checking that two runs took exactly the same steps.
///
/// Two records are equal if the runs had the same seed and took the same steps at the same times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunRecord {
    /// The seed of the run.
    pub seed: u64,
    /// The number of steps taken so far.
    pub steps: u64,
    /// The hash of all steps taken so far.
    pub hash: u64,
    /// The time of the last step, in nanoseconds since the runtime was created.
    pub now: u64,
}

/// One step of a simulated run, with the details that go into the record's hash.
#[derive(Debug, Clone, Copy)]
pub enum RecordedStep {
    /// The future passed to `block_on` was polled.
    Root,
    /// A blocking job ran. The field is the job's task.
    Job(u64),
    /// A packet arrived. The fields are the kind and the number of the socket.
    Arrival(u64, u64),
    /// A fault began (`true`) or ended (`false`). The array has the two hosts involved, which are
    /// the same if there is only one.
    Fault(bool, [usize; 2]),
    /// A machine had a turn.
    Machine {
        /// The index of the machine.
        index: usize,
        /// A number that says how the turn ended.
        end: u64,
        /// The processor that the machine holds, the task that the processor polled last, and the
        /// processor's total number of polls. `None` if the machine holds no processor.
        polled: Option<(usize, u64, u64)>,
    },
}

impl RunRecord {
    /// Creates the record of a run that has not started.
    pub fn new(seed: u64) -> Self {
        Self { seed, steps: 0, hash: seed, now: 0 }
    }

    /// Adds a step that was taken at the time `now`, in nanoseconds.
    pub fn note(&mut self, now: u64, step: RecordedStep) {
        self.steps += 1;
        self.now = now;
        self.mix(now);
        match step {
            RecordedStep::Root => self.mix(1),
            RecordedStep::Job(task) => {
                self.mix(2);
                self.mix(task);
            }
            RecordedStep::Arrival(kind, socket) => {
                self.mix(16 + kind);
                self.mix(socket);
            }
            RecordedStep::Fault(begins, hosts) => {
                self.mix(4 + ((hosts[0] as u64) << 32) + ((hosts[1] as u64) << 8) + (u64::from(begins) << 4));
            }
            RecordedStep::Machine { index, end, polled } => {
                self.mix(3 + ((index as u64) << 8) + (end << 4));
                if let Some((processor, task, polls)) = polled {
                    self.mix(processor as u64);
                    self.mix(task);
                    self.mix(polls);
                }
            }
        }
    }

    fn mix(&mut self, value: u64) {
        let product = u128::from(self.hash ^ value) * u128::from(MULTIPLIER) + u128::from(value);
        self.hash = (product as u64) ^ ((product >> 64) as u64).rotate_left(29);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_other_step_or_moment_makes_another_hash() {
        let of = |steps: &[(u64, RecordedStep)]| {
            let mut record = RunRecord::new(7);
            steps.iter().for_each(|&(now, step)| record.note(now, step));
            record.hash
        };
        let machine = |index, polled| RecordedStep::Machine { index, end: 0, polled };
        let runs = [
            of(&[(1, RecordedStep::Root)]),
            of(&[(2, RecordedStep::Root)]),
            of(&[(1, RecordedStep::Job(1))]),
            of(&[(1, RecordedStep::Job(2))]),
            of(&[(1, RecordedStep::Arrival(0, 1))]),
            of(&[(1, RecordedStep::Arrival(1, 1))]),
            of(&[(1, RecordedStep::Arrival(1, 2))]),
            of(&[(1, RecordedStep::Fault(true, [1, 2]))]),
            of(&[(1, RecordedStep::Fault(false, [1, 2]))]),
            of(&[(1, RecordedStep::Fault(true, [2, 1]))]),
            of(&[(1, machine(0, None))]),
            of(&[(1, machine(1, None))]),
            of(&[(1, machine(0, Some((0, 5, 1))))]),
            of(&[(1, machine(0, Some((0, 6, 1))))]),
            of(&[(1, machine(0, Some((0, 5, 2))))]),
            of(&[(1, RecordedStep::Root), (1, RecordedStep::Root)]),
        ];
        let distinct: std::collections::BTreeSet<_> = runs.iter().collect();
        assert_eq!(distinct.len(), runs.len());
        assert_eq!(of(&[(1, RecordedStep::Root)]), runs[0]);
    }
}
