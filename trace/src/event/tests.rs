//! Tests that an event returns the data that was packed, or as much of it as fits.

use super::*;

#[test]
fn an_event_gives_back_its_kind_and_depth() {
    let poll = |outcome| EventKind::Poll {
        task: (1 << 48) - 2,
        processor: 511,
        source: 4095 << 3 | 5,
        lasted: 1 << 39,
        outcome,
    };
    let readied = |by, spawned| EventKind::Readied { task: 3, processor: NO_PROCESSOR, by, spawned };
    let all = [
        poll(PollOutcome::Pending),
        poll(PollOutcome::Ready),
        poll(PollOutcome::HandedOver),
        EventKind::Opened { task: 5, processor: 1, source: 2 },
        readied(WokenBy::Task((1 << 48) - 1), true),
        readied(WokenBy::Network, false),
        readied(WokenBy::Timer, false),
        readied(WokenBy::Outside, true),
        EventKind::Waits { task: 8, processor: 2, awaited: Awaited::Mutex },
        EventKind::Waits { task: 8, processor: NO_PROCESSOR, awaited: Awaited::SetOnce },
        EventKind::Ended { task: 8, processor: 0 },
        EventKind::Stolen { processor: 1, victim: 700, tasks: 128 },
        EventKind::Overflow { processor: 1, tasks: 129 },
        EventKind::Stall { task: 9, processor: 3, millis: 1 << 40, asleep: true },
        EventKind::Turn { events: 1024, timers: u32::MAX, lasted: 1 << 47 },
        EventKind::Enter(Activity::Holds(12)),
        EventKind::Leave(Activity::Parked),
        EventKind::Enter(Activity::Netpoller),
        EventKind::Leave(Activity::Helps),
        EventKind::Enter(Activity::BlockingJob),
        EventKind::Leave(Activity::InPlace),
    ];
    for kind in all {
        for depth in 0..4 {
            let event = Event::new(77, kind).within(depth);
            assert_eq!((event.stamp, event.kind(), event.depth()), (77, kind, depth));
            let is_wake = matches!(kind, EventKind::Readied { .. });
            assert!(!event.is_untimed());
            if is_wake {
                assert_eq!((event.untimed().kind(), event.untimed().is_untimed()), (kind, true));
            }
        }
    }
}

#[test]
fn a_value_that_does_not_fit_is_capped() {
    let poll =
        EventKind::Poll { task: u64::MAX, processor: 1, source: 0, lasted: u64::MAX, outcome: PollOutcome::Ready };
    let EventKind::Poll { task, processor, lasted, outcome, .. } = Event::new(0, poll).kind() else { panic!("a poll") };
    assert_eq!((task, processor, lasted, outcome), ((1 << 48) - 1, 1, (1 << 40) - 1, PollOutcome::Ready));
}

#[test]
fn random_events_come_back_whatever_their_numbers() {
    let mut random = fastrand::Rng::with_seed(31);
    for _ in 0..20_000 {
        let (task, processor) = (random.u64(..1 << 48), random.u16(..));
        let (source, lasted) = (random.u32(..1 << 15), random.u64(..1 << 40));
        let by = [WokenBy::Task(random.u64(..1 << 48)), WokenBy::Network, WokenBy::Timer, WokenBy::Outside];
        let kind = match random.u32(..9) {
            0 => EventKind::Poll { task, processor, source, lasted, outcome: PollOutcome::ALL[random.usize(..3)] },
            1 => EventKind::Opened { task, processor, source },
            2 => EventKind::Readied { task, processor, by: by[random.usize(..4)], spawned: random.bool() },
            3 => EventKind::Ended { task, processor },
            7 => EventKind::Waits { task, processor, awaited: Awaited::ALL[random.usize(..18)] },
            4 => EventKind::Stolen { processor, victim: random.u64(..1 << 48), tasks: task },
            5 => EventKind::Overflow { processor, tasks: task },
            6 => EventKind::Stall { task, processor, millis: random.u64(..1 << 48), asleep: random.bool() },
            _ => EventKind::Turn { events: random.u32(..), timers: random.u32(..), lasted },
        };
        let (stamp, depth) = (random.u64(..), random.u32(..4));
        let event = Event::new(stamp, kind).within(depth);
        assert_eq!((event.stamp, event.kind(), event.depth()), (stamp, kind, depth));
    }
}
