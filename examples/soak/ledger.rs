//! The ledger: everything that was begun, each entry crossed out when it has ended.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most faults that are kept word by word.
const MOST_FAULTS: usize = 50;

/// The kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Request,
    Echo,
    Message,
    Lock,
    Timer,
    Job,
    Task,
    Loop,
    Child,
    Signal,
    Dump,
    Recording,
    Runtime,
}

/// How an entry has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// It is answered exactly once, and then settled.
    Answered,
    /// It is settled: dropping it is a fault.
    Settled,
    /// It is dropped, or settled; in any case once.
    Dropped,
}

const ACCOUNTS: [(Kind, &str, Rule); 13] = [
    (Kind::Request, "requests answered", Rule::Answered),
    (Kind::Echo, "echoes returned", Rule::Settled),
    (Kind::Message, "messages received", Rule::Answered),
    (Kind::Lock, "locks taken", Rule::Settled),
    (Kind::Timer, "timers fired or cancelled", Rule::Settled),
    (Kind::Job, "blocking jobs returned", Rule::Settled),
    (Kind::Task, "tasks dropped", Rule::Dropped),
    (Kind::Loop, "parallel loops returned", Rule::Settled),
    (Kind::Child, "processes reaped", Rule::Settled),
    (Kind::Signal, "signals received", Rule::Settled),
    (Kind::Dump, "dumps written", Rule::Settled),
    (Kind::Recording, "recordings complete", Rule::Settled),
    (Kind::Runtime, "runtimes dropped", Rule::Settled),
];

/// Tables of entries for each account: so many that threads seldom meet.
const TABLES: usize = 16;

#[derive(Default)]
struct Account {
    /// The open entries, and how often each was answered; the table is chosen by the number.
    open: [Mutex<HashMap<u64, u32>>; TABLES],
    opened: AtomicU64,
    closed: AtomicU64,
}

/// The accounts, one for each kind, and the faults that were found.
#[derive(Default)]
pub(crate) struct Ledger {
    accounts: [Account; ACCOUNTS.len()],
    faults: Mutex<Vec<String>>,
    fault_count: AtomicU64,
}

/// An entry: crossed out when this is settled, or dropped.
pub(crate) struct Entry {
    ledger: Arc<Ledger>,
    kind: Kind,
    pub(crate) number: u64,
    is_settled: bool,
}

impl Ledger {
    pub(crate) fn open(self: &Arc<Self>, kind: Kind) -> Entry {
        let account = &self.accounts[kind as usize];
        let number = account.opened.fetch_add(1, Relaxed) + 1;
        account.table(number).insert(number, 0);
        Entry { ledger: Arc::clone(self), kind, number, is_settled: false }
    }

    /// Notes down an answer to the entry `number`, which has to be the first.
    pub(crate) fn answer(&self, kind: Kind, number: u64) {
        let answers = self.accounts[kind as usize].table(number).get_mut(&number).map(|answers| {
            *answers += 1;
            *answers
        });
        match answers {
            Some(1) => {}
            Some(_) => self.fault(format!("{kind:?} {number} was answered twice")),
            None => self.fault(format!("{kind:?} {number} was answered, and is not open")),
        }
    }

    pub(crate) fn fault(&self, fault: String) {
        self.fault_count.fetch_add(1, Relaxed);
        let mut faults = lock(&self.faults);
        if faults.len() < MOST_FAULTS {
            faults.push(fault);
        }
    }

    /// Notes `fault` unless `is_right`.
    pub(crate) fn check(&self, is_right: bool, fault: impl FnOnce() -> String) {
        if !is_right {
            self.fault(fault());
        }
    }

    /// The account that has open entries, in words, if there is one.
    pub(crate) fn open_account(&self) -> Option<String> {
        ACCOUNTS.iter().find_map(|&(kind, _, _)| {
            let (count, first) = self.accounts[kind as usize].open_entries()?;
            Some(format!("{kind:?}: {count} entries are open, the first of them {first}"))
        })
    }

    /// The faults, and each account that has open entries.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let mut complaints = lock(&self.faults).clone();
        let count = self.fault_count.load(Relaxed);
        if count > complaints.len() as u64 {
            complaints.push(format!("{count} faults in all"));
        }
        complaints.extend(self.open_account());
        complaints
    }

    /// Gives back the room of tables that were fuller, so that what is allocated at rest is the
    /// runtime's.
    pub(crate) fn shrink(&self) {
        for account in &self.accounts {
            account.open.iter().for_each(|table| lock(table).shrink_to_fit());
        }
    }

    /// The number of entries that were crossed out, of all kinds.
    pub(crate) fn closed(&self) -> u64 {
        self.accounts.iter().map(|account| account.closed.load(Relaxed)).sum()
    }

    pub(crate) fn closed_of(&self, kind: Kind) -> u64 {
        self.accounts[kind as usize].closed.load(Relaxed)
    }

    fn close(&self, kind: Kind, number: u64, is_settled: bool) {
        let account = &self.accounts[kind as usize];
        let answers = account.table(number).remove(&number);
        account.closed.fetch_add(1, Relaxed);
        let rule = ACCOUNTS[kind as usize].2;
        match (rule, answers) {
            (_, None) => self.fault(format!("{kind:?} {number} has ended twice")),
            (Rule::Answered | Rule::Settled, _) if !is_settled => {
                self.fault(format!("{kind:?} {number} was dropped before it was settled"));
            }
            (Rule::Answered, Some(0)) => self.fault(format!("{kind:?} {number} was settled without an answer")),
            _ => {}
        }
    }
}

impl Account {
    /// The table of the entry `number`.
    fn table(&self, number: u64) -> MutexGuard<'_, HashMap<u64, u32>> {
        lock(&self.open[number as usize % TABLES])
    }

    /// How many entries are open, and the first of them.
    fn open_entries(&self) -> Option<(usize, u64)> {
        let tables = self.open.iter().map(|table| {
            let table = lock(table);
            (table.len(), table.keys().min().copied())
        });
        let (counts, firsts): (Vec<usize>, Vec<Option<u64>>) = tables.unzip();
        firsts.into_iter().flatten().min().map(|first| (counts.into_iter().sum(), first))
    }
}

/// A panic under the lock leaves the table as it is.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Entry {
    pub(crate) fn settle(mut self) {
        self.is_settled = true;
    }

    /// Settles it as answered by this call.
    pub(crate) fn settle_answered(self) {
        self.ledger.answer(self.kind, self.number);
        self.settle();
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.ledger.close(self.kind, self.number, self.is_settled);
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, name, _) in ACCOUNTS {
            let account = &self.accounts[kind as usize];
            let (opened, closed) = (account.opened.load(Relaxed), account.closed.load(Relaxed));
            writeln!(f, "{name:<28} {closed:>12} of {opened:>12}")?;
        }
        write!(f, "{:<28} {:>12}", "faults", self.fault_count.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_the_account_at_its_index() {
        for (index, (kind, _, _)) in ACCOUNTS.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
        }
    }

    #[test]
    fn a_request_answered_once_and_settled_balances() {
        let ledger = Arc::new(Ledger::default());
        let entry = ledger.open(Kind::Request);
        assert_eq!(ledger.complaints(), ["Request: 1 entries are open, the first of them 1"]);
        ledger.answer(Kind::Request, entry.number);
        entry.settle();
        assert_eq!(ledger.complaints(), [""; 0]);
    }

    #[test]
    fn a_second_answer_and_a_missing_one_are_faults() {
        let ledger = Arc::new(Ledger::default());
        let twice = ledger.open(Kind::Request);
        ledger.answer(Kind::Request, twice.number);
        ledger.answer(Kind::Request, twice.number);
        twice.settle();
        ledger.open(Kind::Request).settle();
        drop(ledger.open(Kind::Echo));
        ledger.answer(Kind::Request, 7);
        assert_eq!(
            ledger.complaints(),
            [
                "Request 1 was answered twice",
                "Request 2 was settled without an answer",
                "Echo 1 was dropped before it was settled",
                "Request 7 was answered, and is not open",
            ]
        );
    }

    #[test]
    fn a_task_may_be_dropped_and_not_twice() {
        let ledger = Arc::new(Ledger::default());
        drop(ledger.open(Kind::Task));
        assert_eq!(ledger.complaints(), [""; 0]);
        ledger.close(Kind::Task, 1, false);
        assert_eq!(ledger.complaints(), ["Task 1 has ended twice"]);
    }
}
