//! Which cores the processes of the comparison run on, so that all of its subjects have the same
//! ones.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod system;

pub(crate) use system::{allowed, stay_on};

use crate::Failure;

/// The cores of one measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cores {
    /// Those that are measured.
    pub measured: Vec<usize>,
    /// Those that are left for the clients; none where there are no more.
    pub others: Vec<usize>,
}

impl Cores {
    /// Deals out the cores that this process may use: the first `count`, which `option` asks for,
    /// to the measured process.
    pub(crate) fn deal(option: &str, count: usize) -> Result<Self, Failure> {
        let mut measured = allowed()?;
        if measured.len() < count {
            return Err(format!("{option} {count}: this process may use {} cores", measured.len()).into());
        }
        let others = measured.split_off(count);
        Ok(Self { measured, others })
    }

    /// Those that the clients run on: the measured ones where there are no others.
    pub(crate) fn of_clients(&self) -> &[usize] {
        if self.others.is_empty() { &self.measured } else { &self.others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cores_than_there_are_is_an_error() {
        let message = Cores::deal("--processors", 100_000).unwrap_err().to_string();
        assert!(message.starts_with("--processors 100000: "), "{message}");
    }

    #[test]
    fn clients_share_the_cores_only_where_there_are_no_others() {
        let alone = Cores { measured: vec![0, 1], others: vec![] };
        let beside = Cores { measured: vec![0, 1], others: vec![2] };
        assert_eq!((alone.of_clients(), beside.of_clients()), (&[0, 1][..], &[2][..]));
    }
}
