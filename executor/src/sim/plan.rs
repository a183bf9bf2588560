//! The plan of a run's faults.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::Sim;

/// The faults of a run: the faults that [`Sim::random_faults`] has chosen, with their times, and
/// the calls of [`maybe`](fn@super::maybe) that have returned `true`.
///
/// [`Sim::plan`] returns the plan of the run so far, and a run that fails prints its plan. The
/// environment variable `WSRT_SIM_PLAN` gives a plan to a run, which replaces the faults that the
/// seed would choose. The variable contains the plan as text, or `@` and the name of a file. The
/// same plan with the same seed gives the same run. The program `wsrt-sim` searches for a smallest
/// plan with which a run still fails.
///
/// The text of a plan has one fault per line, or faults separated by semicolons:
///
/// ```text
/// # a crash, and the restart after 300 ms; without `for`, faults last to the end of the run
/// at 1.25s crash one for 300ms
/// at 2s cut one two for 500ms
/// at 2s cut one -> two for 500ms    # in one direction
/// at 3s reset one two               # the TCP streams between them
/// at 3.5s slow one two by 20 for 1s # packets take twenty times as long
/// at 4s buffers full one for 500ms  # its sockets take a few bytes at a time
/// at 4s disk full one for 500ms     # no byte more fits on it
/// at 4s disk failing one by 0.05 for 1s # a share of its reads, writes and syncs
/// at 4s disk slow one by 100 for 1s
/// at 5s clock ahead one by 90s for 1s # the calendar; or `behind`
/// at 5s clock drift one by -500 for 1s # in parts in a million
/// maybe 17 "slow commit"            # the 17th call of the point answers true
/// ```
///
/// Times count from the start of the runtime. Names that contain anything but letters, digits and
/// `._-:/` are written in quotation marks, with a backslash before each quotation mark and
/// backslash inside the name. A plan without faults is written as `nothing`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::sim::Plan;
///
/// let plan: Plan = "at 2s crash node for 1.5s".parse()?;
/// wsrt::sim::run(7, |sim| async move {
///     sim.host("node", || std::future::pending::<()>());
///     sim.inject(&plan);
///     wsrt::time::sleep(Duration::from_secs(3)).await;
///     assert!(!sim.is_up("node"));
///     wsrt::time::sleep(Duration::from_secs(1)).await;
///     assert!(sim.is_up("node"));
///     assert_eq!(sim.plan(), plan);
/// });
///
/// let error = "at noon crash node".parse::<Plan>().unwrap_err().to_string();
/// assert!(error.starts_with("line 1 of the plan, `at noon crash node`: `noon` is no time"));
/// # Ok::<(), wsrt::sim::PlanError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan(wsrt_world::FaultPlan);

impl Plan {
    /// Returns the number of faults in the plan, including calls of `maybe` that return `true`.
    ///
    /// # Examples
    ///
    /// ```
    /// let plan: wsrt::sim::Plan = "at 2s reset one two; maybe 3 commit".parse()?;
    /// assert_eq!(plan.len(), 2);
    /// # Ok::<(), wsrt::sim::PlanError>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if the plan contains no faults.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!("nothing".parse::<wsrt::sim::Plan>()?.is_empty());
    /// # Ok::<(), wsrt::sim::PlanError>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Plan {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        text.parse().map(Self).map_err(PlanError)
    }
}

/// The error for a text that is not a valid [`Plan`]. It contains the line and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError(wsrt_world::FaultPlanError);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for PlanError {}

/// Plans of faults.
impl Sim {
    /// Injects the faults of a plan, in addition to those that the seed chooses. Faults whose time
    /// has passed occur immediately. Has no effect if the run gets a plan from `WSRT_SIM_PLAN`.
    ///
    /// The run fails when a fault is due on a host that does not exist.
    ///
    /// # Examples
    ///
    /// See [`Plan`].
    pub fn inject(&self, plan: &Plan) {
        self.simulation().world().add_plan(&plan.0, self.now());
    }

    /// Returns the faults of the run so far, at most ten thousand.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Faults;
    ///
    /// let plan = wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", || std::future::pending::<()>());
    ///     sim.random_faults(Faults::new(Duration::from_secs(10)).crashes(1));
    ///     wsrt::time::sleep(Duration::from_secs(20)).await;
    ///     sim.plan()
    /// });
    /// assert!(plan.to_string().contains(" crash node for "));
    /// ```
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan(self.simulation().world().plan())
    }
}
