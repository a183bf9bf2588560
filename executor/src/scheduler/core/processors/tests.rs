//! Which processors go out of play and come back, and how many.

use super::*;

/// Takes a spare out of play for which the watcher asks.
fn retire(processors: &Processors, spare: Box<Processor>) {
    processors.ask_for_one();
    assert!(processors.take_out_of_play(spare).is_none(), "it is due");
}

#[test]
fn spares_are_made_up_to_the_limit_and_used_again() {
    let (processors, owned) = Processors::new(2, 4);
    assert_eq!(owned.len(), 2);
    let first = processors.put_into_play().expect("room for two spares");
    let second = processors.put_into_play().expect("room for two spares");
    assert_eq!((first.index(), second.index(), processors.scan_len(), processors.spares()), (2, 3, 4, 2));
    assert!(processors.put_into_play().is_none());
    processors.ask_for_one();
    assert!(processors.take_out_of_play(first).is_none(), "one is due");
    let second = processors.take_out_of_play(second).expect("one was");
    assert_eq!(processors.scan_len(), 4, "the spare with the highest index is in play");
    retire(&processors, second);
    processors.ask_for_one();
    assert_eq!(processors.retirements_due(), 0, "none is in play");
    assert_eq!((processors.scan_len(), processors.spares()), (2, 0));
    assert_eq!(processors.put_into_play().expect("two are parked").index(), 2);
}

#[test]
fn timers_cancelled_out_of_play_keep_no_processor_looked_at() {
    let (processors, _owned) = Processors::new(1, 3);
    let spares = [(); 2].map(|()| processors.put_into_play().expect("room for two spares"));
    let timers: Vec<_> = (0..40).map(|_| wsrt_reactor::timer::TimerEntry::new()).collect();
    for (timer, deadline) in timers.iter().zip(1000..) {
        let _ = spares[1].shared().timers().arm(timer, deadline);
    }
    let [first, last] = spares;
    retire(&processors, last);
    assert_eq!(processors.scan_len(), 3, "it has timers");
    timers.iter().for_each(|timer| timer.cancel());
    assert_eq!(processors.get(2).timers().len(), 0);
    retire(&processors, first);
    assert_eq!(processors.scan_len(), 1);
}

#[test]
fn a_regular_processor_stays_while_a_spare_is_due() {
    let (processors, mut owned) = Processors::new(1, 2);
    let spare = processors.put_into_play().expect("room for one spare");
    processors.ask_for_one();
    assert!(processors.take_out_of_play(owned.remove(0)).is_some(), "it is regular");
    assert!(processors.take_out_of_play(spare).is_none(), "it is due");
    assert_eq!((processors.scan_len(), processors.spares()), (1, 0));
}

/// Takes the processor at the end of `held` out of play, which is due.
fn retire_last(processors: &Processors, held: &mut Vec<Box<Processor>>) {
    let last = held.pop().expect("one is in play");
    assert!(processors.take_out_of_play(last).is_none(), "it is due");
}

#[test]
fn the_lowest_indices_stay_in_play() {
    let (processors, mut held) = Processors::new(4, 8);
    processors.shrink();
    processors.shrink();
    assert_eq!((processors.regular(), processors.retirements_due(), processors.lasting_spares()), (2, 2, 0));
    retire_last(&processors, &mut held);
    retire_last(&processors, &mut held);
    assert!(!processors.is_retirement_due());
    let back = processors.grow().expect("two are out of play");
    assert_eq!((back.index(), processors.regular(), processors.spares()), (2, 3, 0));
    assert_eq!(processors.scan_len(), 4, "timers may come to any that was regular");
}

#[test]
fn growing_takes_back_what_is_due() {
    let (processors, mut held) = Processors::new(2, 4);
    processors.shrink();
    assert!(processors.grow().is_none(), "the one that was due stays");
    assert_eq!((processors.is_retirement_due(), processors.spares()), (false, 0));
    held.extend(processors.grow());
    held.extend(processors.grow());
    assert_eq!((held.len(), processors.regular(), processors.most_regular()), (4, 4, 4));
    assert!(processors.put_into_play().is_none(), "there is room for four");
}

#[test]
fn a_spare_stays_one_beside_more_regular_processors() {
    let (processors, _held) = Processors::new(1, 4);
    let spare = processors.put_into_play().expect("room for three spares");
    let added = processors.grow().expect("room for two more");
    assert_eq!((spare.index(), added.index()), (1, 2));
    assert_eq!((processors.regular(), processors.lasting_spares()), (2, 1));
    processors.ask_for_one();
    assert!(processors.take_out_of_play(spare).is_some(), "it counts as regular now");
    assert!(processors.take_out_of_play(added).is_none(), "it is due in its place");
}

#[test]
fn a_processor_on_its_way_stays_if_wanted_again() {
    for room in [2, 4] {
        let (processors, mut held) = Processors::new(2, room);
        processors.shrink();
        let going = held.pop().expect("there are two");
        assert!(processors.is_retirement_due(), "its holder is about to take it out of play");
        assert!(processors.grow().is_none(), "it is in play yet, and stays");
        assert!(processors.take_out_of_play(going).is_some());
        assert_eq!((processors.regular(), processors.spares(), processors.retirements_due()), (2, 0, 0));
    }
}
