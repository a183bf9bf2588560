//! What is measured: a workload with its plan, for each line of the table.

use super::Options;
use crate::growth;
use crate::plan::Plan;
use crate::workloads::{self, About};

/// A workload with its plan: one line of the table, or a few where it has several metrics.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) label: String,
    pub(crate) about: About,
    pub(crate) plan: Plan,
}

/// The cases of a comparison, in the table's order.
pub(super) fn cases(options: &Options) -> Vec<Case> {
    let wanted = |about: &About| options.only.is_empty() || options.only.iter().any(|name| name == about.name);
    if options.growth {
        return growth::cases(&options.plan, wanted);
    }
    workloads::all().into_iter().filter(wanted).flat_map(|about| cases_of(about, options)).collect()
}

fn cases_of(about: About, options: &Options) -> Vec<Case> {
    if about.name != workloads::ECHO {
        return vec![Case { label: about.name.to_owned(), about, plan: options.plan.clone() }];
    }
    let with_connections = |&connections: &usize| Case {
        label: format!("{}/{connections}", about.name),
        about,
        plan: Plan { connections, ..options.plan.clone() },
    };
    options.connections.iter().map(with_connections).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_of_connections_is_a_case_of_the_echo() {
        let mut options = Options::example();
        options.connections = vec![1, 1000];
        options.only = vec![workloads::ECHO.to_owned()];
        let cases = cases(&options);
        let seen: Vec<_> = cases.iter().map(|case| (&*case.label, case.plan.connections)).collect();
        assert_eq!(seen, [("echo_tcp/1", 1), ("echo_tcp/1000", 1000)]);
    }

    #[test]
    fn without_a_choice_every_workload_is_a_case() {
        assert_eq!(cases(&Options::example()).len(), workloads::all().len());
    }
}
