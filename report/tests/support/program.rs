//! A server that never ran: processors with more and less to do, a hog, steals, a stall, and
//! hostile names if asked for.

use wsrt_trace::{AnnotationKey as Key, EventName, PollOutcome, TaskSource, WakeCause, names};

use super::encoder::{
    BEGIN, END, INJECTOR, INSTANT, NETPOLLER, PROCESSOR, QUEUE, THREAD, Trace,
    Value::{Flag, Number, Text, Texts},
};

/// The properties of the server.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) processors: u64,
    pub(crate) polls: u64,
    pub(crate) seed: u64,
    /// The names of its tasks, and the places where they are spawned.
    pub(crate) names: Vec<(String, String)>,
}

impl Program {
    pub(crate) fn usual(polls: u64) -> Self {
        let names = [
            ("src/main.rs:41:17", "src/main.rs:41:17"),
            ("accept", "src/main.rs:28:9"),
            ("connection", "src/server/connection.rs:112:13"),
            ("flush the log", "src/log.rs:66:5"),
            ("render", "src/pages/render.rs:203:21"),
        ];
        let names = names.map(|(name, place)| (name.to_owned(), place.to_owned()));
        Self { processors: 4, polls, seed: 42, names: names.into() }
    }

    /// Its trace. Each packet is passed on as it is made, so that a long one takes no room.
    pub(crate) fn run(&self, mut pass_on: impl FnMut(&[u8])) {
        let mut run = Run {
            random: fastrand::Rng::with_seed(self.seed),
            trace: Trace::new("wsrt <demo>", self.processors),
            clocks: (0..self.processors).map(|index| 1_000_000_000_000 + index * 700).collect(),
            program: self,
        };
        for number in 0..self.processors + 3 {
            run.trace.thread(number, &format!("wsrt-machine-{number}"));
        }
        for index in 0..self.processors {
            let at = run.clocks[index as usize];
            run.trace.event(at, BEGIN, THREAD + index, &names::holds(index as u16), &[]);
        }
        for number in 0..self.polls {
            run.step(number);
            pass_on(&run.trace.bytes);
            run.trace.bytes.clear();
        }
        run.finish();
        pass_on(&run.trace.bytes);
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.run(|part| bytes.extend(part));
        bytes
    }
}

struct Run<'a> {
    random: fastrand::Rng,
    trace: Trace,
    clocks: Vec<u64>,
    program: &'a Program,
}

impl Run<'_> {
    fn step(&mut self, number: u64) {
        let index = (0..self.clocks.len()).min_by_key(|index| self.clocks[*index]).expect("there are processors");
        let (done, begin) = (number as f64 / self.program.polls as f64, self.clocks[index]);
        let task = if self.random.u32(..5) == 0 { 7 } else { 1 + self.random.u64(..(1 + number / 4)) };
        let (name, place) = self.program.names[(task % self.program.names.len() as u64) as usize].clone();
        let sources = {
            use TaskSource::{Injector, Network, Ring, Runnext, Stolen, Timer};
            [Runnext, Ring, Ring, Ring, Injector, Network, Network, Timer, Stolen]
        };
        let source = sources[self.random.usize(..sources.len())];
        let victim =
            (index as u64 + 1 + self.random.u64(..self.clocks.len().max(2) as u64 - 1)) % self.clocks.len() as u64;
        self.prelude(index as u64, begin, source, victim, number);

        let length = 2_000 + ((1.0 / (1.0 - self.random.f64())).powf(1.4) * 3_000.0) as u64;
        let stalls = number == self.program.polls / 3 || number == self.program.polls * 4 / 5;
        let length = if stalls { 140_000_000 } else { length.min(3_000_000) };
        let waited = 400 + ((1.0 / (1.0 - self.random.f64())).powf(1.7) * 900.0) as u64;
        let mut annotations = vec![
            (Key::Task, Number(task)),
            (Key::Source, Text(source.name())),
            (Key::SpawnedAt, Text(&place)),
            (Key::WokenBy, Text(WakeCause::ALL[self.random.usize(..5)].name())),
            (Key::Waited, Number(waited.min(40_000_000))),
        ];
        if source == TaskSource::Stolen {
            annotations.push((Key::Victim, Number(victim)));
        }
        let track = PROCESSOR + index as u64;
        self.trace.event(begin, BEGIN, track, &name, &annotations);
        let woken = 1 + self.random.u64(..(1 + number / 4));
        let by = if self.random.bool() { WakeCause::Task } else { WakeCause::Network };
        self.trace.event(
            begin + length / 2,
            INSTANT,
            track,
            EventName::Wake.name(),
            &[(Key::Task, Number(woken)), (Key::By, Text(by.name()))],
        );
        if number % 7 == 3 {
            self.sample(begin + length / 2, track, &name, &place);
        }
        if stalls {
            let stall = [
                (Key::Task, Number(task)),
                (Key::SpawnedAt, Text(&place)),
                (Key::Millis, Number(100)),
                (Key::Asleep, Flag(number < self.program.polls / 2)),
            ];
            self.trace.event(begin + 100_000_000, INSTANT, track, EventName::Stall.name(), &stall);
        }
        self.trace.event(begin + length, END, track, "", &[(Key::Outcome, Text(PollOutcome::Pending.name()))]);
        // A day with its waves: each processor rests more or less.
        let wave = 1.2 + (done * 19.0 + index as f64 * 0.7).sin();
        let rest = wave * (0.3 + index as f64 * 0.5) * self.random.f64() * 14_000.0;
        self.clocks[index] = begin + length + rest as u64;
    }

    fn sample(&mut self, at: u64, track: u64, name: &str, place: &str) {
        let stack = Texts(&["app::main", "app::server::serve", name]);
        let sample = [(Key::SpawnedAt, Text(place)), (Key::Stack, stack)];
        self.trace.event(at, INSTANT, track, EventName::Sample.name(), &sample);
    }

    fn prelude(&mut self, index: u64, begin: u64, source: TaskSource, victim: u64, number: u64) {
        match source {
            TaskSource::Stolen => {
                let steal = [(Key::Victim, Number(victim)), (Key::Tasks, Number(1 + self.random.u64(..40)))];
                self.trace.event(begin, INSTANT, PROCESSOR + index, EventName::Steal.name(), &steal);
            }
            TaskSource::Network if number % 3 == 0 => {
                let found =
                    [(Key::Events, Number(1 + self.random.u64(..16))), (Key::Timers, Number(self.random.u64(..3)))];
                self.trace.event(begin, BEGIN, NETPOLLER, EventName::Turn.name(), &found);
                self.trace.event(begin, END, NETPOLLER, "", &[]);
            }
            TaskSource::Injector => self.trace.counter(begin, INJECTOR, self.random.u64(..60)),
            _ => self.trace.counter(begin, QUEUE + index, self.random.u64(..257)),
        }
        if number % 211 == 17 {
            self.trace.event(
                begin,
                INSTANT,
                PROCESSOR + index,
                EventName::Overflow.name(),
                &[(Key::Tasks, Number(129))],
            );
        }
        if number % 97 == 5 {
            let spawn = [(Key::Task, Number(number)), (Key::By, Text(WakeCause::Task.name()))];
            self.trace.event(begin, INSTANT, PROCESSOR + index, EventName::Spawn.name(), &spawn);
        }
    }

    fn finish(&mut self) {
        let end = self.clocks.iter().copied().max().unwrap_or(0);
        for index in 0..self.program.processors {
            self.trace.event(end, END, THREAD + index, "", &[]);
        }
        self.trace.close(end, 12);
    }
}
