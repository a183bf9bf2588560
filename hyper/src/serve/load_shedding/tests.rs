//! The rule on a clock of the tests' own: what it spares, what it sheds, and what that does to the
//! waits of a server beyond its capacity.

use std::time::Duration;

use wsrt::time::Instant;

use super::{ALLOWED_LIMITS, LateAllowance};

const LIMIT: Duration = Duration::from_millis(5);
const ALLOWED: Duration = Duration::from_millis(100);
const MILLISECOND: Duration = Duration::from_millis(1);

/// The rule, and a clock that the test advances.
struct Rule {
    allowance: LateAllowance,
    now: Instant,
}

impl Rule {
    fn new() -> Self {
        let now = Instant::now();
        Self { allowance: LateAllowance::new(LIMIT, now), now }
    }

    /// Lets a request in each millisecond of `time` have waited for longer than the limit. Returns
    /// how many are refused.
    fn late_for(&mut self, time: Duration) -> u32 {
        let milliseconds = u32::try_from(time.as_millis()).expect("a test is short");
        let late = |_| {
            self.now += MILLISECOND;
            u32::from(self.allowance.spend(self.now, LIMIT + MILLISECOND))
        };
        (0..milliseconds).map(late).sum()
    }
}

#[test]
fn all_that_is_late_is_refused_without_an_allowance() {
    assert_eq!(LIMIT * ALLOWED_LIMITS, ALLOWED);
    let mut rule = Rule::new();
    assert_eq!(rule.late_for(ALLOWED - MILLISECOND), 0);
    assert_eq!(rule.late_for(10 * ALLOWED), 1_000);
}

#[test]
fn time_without_late_requests_earns_half_of_it() {
    let mut rule = Rule::new();
    rule.late_for(2 * ALLOWED);
    rule.now += 20 * MILLISECOND;
    // The first has waited for 6 ms, and 15 ms before that have earned 7.5 ms.
    assert_eq!(rule.late_for(20 * MILLISECOND), 18, "two use up what is earned");
    rule.now += 2 * ALLOWED + LIMIT;
    assert_eq!(rule.late_for(ALLOWED - LIMIT - MILLISECOND), 0, "all is earned");
    assert_eq!(rule.late_for(ALLOWED), 100);
}

#[test]
fn two_late_at_the_same_time_spend_it_once() {
    let mut rule = Rule::new();
    for _ in 0..1_000 {
        assert!(!rule.allowance.spend(rule.now + MILLISECOND, 2 * LIMIT));
        assert!(!rule.allowance.spend(rule.now, 2 * LIMIT), "another thread read the clock before");
    }
}

/// Bursts that are late for less than a third of the time are never shed, nor is a long one alone.
#[test]
fn no_burst_is_shed_that_leaves_time_between() {
    let mut dice = Dice(7);
    let mut rule = Rule::new();
    for _ in 0..10_000 {
        let late = Duration::from_millis(dice.below(90));
        assert_eq!(rule.late_for(late), 0, "{late:?}");
        rule.now += 2 * late + 3 * LIMIT;
    }
}

/// Pseudo-random numbers, the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns a time between two requests that come independently, `mean` on average.
    fn pause(&mut self, mean: Duration) -> Duration {
        let share = (self.next() + 1) as f64 / (1_u64 << 31) as f64;
        mean.mul_f64(-share.ln())
    }
}

/// The result of a run of a server.
struct Outcome {
    /// The waits of the requests that were served.
    waits: Vec<Duration>,
    shed: usize,
}

impl Outcome {
    fn p99(&mut self) -> Duration {
        self.waits.sort_unstable();
        self.waits[self.waits.len() * 99 / 100]
    }

    fn share_shed(&self) -> f64 {
        self.shed as f64 / (self.shed + self.waits.len()) as f64
    }
}

const SERVICE: Duration = Duration::from_micros(500);
/// The cost of a refusal.
const REFUSAL: Duration = Duration::from_micros(20);

/// Serves 40,000 requests that come independently, in their order, at `load` times the capacity of
/// one worker. The first tenth is not shown.
fn serve(load: f64, sheds: bool) -> Outcome {
    const REQUESTS: usize = 40_000;
    let (mut dice, mut rule) = (Dice(11), Rule::new());
    let mut outcome = Outcome { waits: Vec::new(), shed: 0 };
    let mut arrival = rule.now;
    for request in 0..REQUESTS {
        arrival += dice.pause(SERVICE.div_f64(load));
        rule.now = rule.now.max(arrival);
        let waited = rule.now.duration_since(arrival);
        let refused = sheds && waited > LIMIT && rule.allowance.spend(rule.now, waited);
        if request > REQUESTS / 10 {
            if refused { outcome.shed += 1 } else { outcome.waits.push(waited) }
        }
        rule.now += if refused { REFUSAL } else { SERVICE };
    }
    outcome
}

#[test]
fn below_its_capacity_a_server_sheds_next_to_nothing() {
    for (load, most) in [(0.5, 0.0), (0.8, 0.0), (0.9, 0.01), (0.95, 0.02)] {
        let shed = serve(load, true).share_shed();
        assert!(shed <= most, "at {load}: {shed} is shed");
    }
}

#[test]
fn beyond_its_capacity_a_server_answers_as_soon_as_below() {
    let at_rest = serve(0.8, true).p99() + SERVICE;
    for load in [1.05, 1.2, 2.0, 5.0] {
        let mut outcome = serve(load, true);
        let (p99, shed) = (outcome.p99() + SERVICE, outcome.share_shed());
        println!("at {load}: p99 {p99:?} beside {at_rest:?}, {shed:.3} is shed");
        assert!(p99 <= 3 * at_rest, "at {load}: {p99:?} and {at_rest:?}");
        // All that exceeds the capacity, and what the refusals cost of it.
        let excess = 1.0 - 1.0 / load;
        assert!((excess..excess + 0.04).contains(&shed), "at {load}: {shed} is shed");
        let without = serve(load, false).p99();
        assert!(without > 20 * at_rest, "at {load}: {without:?} without shedding");
    }
}
