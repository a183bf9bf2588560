//! Readiness events that no machine has seen yet. The next machine that polls the netpoller takes
//! all of them at once, in an order that the seed decides, because no operating system promises an
//! order.

use wsrt_reactor::Ready;
use wsrt_reactor::simulated_net::SimulatedEvent;

use super::Net;
use wsrt_sync::rng::FastRand;

pub(super) struct Events {
    rng: FastRand,
    unseen: Vec<SimulatedEvent>,
}

impl Events {
    pub(super) fn new(seed: u64) -> Self {
        let rng = FastRand::from_seed(FastRand::from_seed(seed.rotate_left(56)).next_u64());
        Self { rng, unseen: Vec::new() }
    }

    pub(super) fn are_there(&self) -> bool {
        !self.unseen.is_empty()
    }

    /// Removes all events and passes them to `each`. A single event draws no random numbers.
    pub(super) fn take(&mut self, each: &mut dyn FnMut(SimulatedEvent)) {
        for left in (2..=self.unseen.len()).rev() {
            self.unseen.swap(left - 1, self.rng.below(left));
        }
        self.unseen.drain(..).for_each(each);
    }
}

impl Net {
    pub(super) fn report(&mut self, token: Option<usize>, ready: Ready) {
        if let Some(token) = token.filter(|_| !ready.is_empty()) {
            self.events.unseen.push(SimulatedEvent { token, ready });
        }
    }
}

#[test]
fn events_come_once_and_in_any_order() {
    let order_of = |seed| {
        let mut events = Events::new(seed);
        events.unseen.extend((0..4).map(|token| SimulatedEvent { token, ready: Ready::READABLE }));
        let mut order = Vec::new();
        events.take(&mut |event| order.push(event.token));
        assert!(!events.are_there());
        order
    };
    let orders: std::collections::BTreeSet<_> = (0..1_000).map(order_of).collect();
    assert_eq!(orders.len(), 24, "each order of four, and no other");
    assert_eq!(order_of(7), order_of(7));
}
