//! The CPU quota of the process's control group, of either version.
//!
//! Linux limits a group, and all groups in it, to so much CPU time a period. Version 2 has both
//! numbers in one file, version 1 in two.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files that limit the process, those of all groups around it included.
#[derive(Debug)]
pub(crate) struct CpuQuota(Vec<Limit>);

#[derive(Debug)]
enum Limit {
    /// `max 100000`, or `150000 100000`.
    One(PathBuf),
    /// `-1` for no limit, and the period.
    Two { quota: PathBuf, period: PathBuf },
}

impl CpuQuota {
    /// Finds the files below `root`, the root of the file system. Without any, as on other systems,
    /// there is no quota.
    pub(crate) fn find(root: &Path) -> Self {
        let mut limits = Vec::new();
        let read = |path| fs::read_to_string(root.join(path)).unwrap_or_default();
        let mounts = read("proc/self/mountinfo");
        for line in read("proc/self/cgroup").lines() {
            let mut fields = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { continue };
            let is_second = controllers.is_empty();
            if !is_second && !has_cpu(controllers) {
                continue;
            }
            for mount in mounts.lines().filter_map(Mount::parse).filter(|mount| mount.is_second == is_second) {
                for directory in mount.directories_of(Path::new(group)) {
                    let directory = root.join(directory.strip_prefix("/").unwrap_or(&directory));
                    limits.extend(Limit::in_directory(&directory, is_second));
                }
            }
        }
        Self(limits)
    }

    /// Returns whether nothing limits the process, nor will.
    pub(crate) fn is_absent(&self) -> bool {
        self.0.is_empty()
    }

    /// How many cores the process may use all the time: the whole ones, and one at least. `None` if
    /// nothing limits it now. Reads each file anew.
    pub(crate) fn cores(&self) -> io::Result<Option<usize>> {
        let mut least = None;
        for limit in &self.0 {
            if let Some(cores) = limit.cores()? {
                least = Some(least.unwrap_or(cores).min(cores));
            }
        }
        Ok(least)
    }
}

impl Limit {
    fn in_directory(directory: &Path, is_second: bool) -> Option<Self> {
        let limit = if is_second {
            Self::One(directory.join("cpu.max"))
        } else {
            Self::Two { quota: directory.join("cpu.cfs_quota_us"), period: directory.join("cpu.cfs_period_us") }
        };
        limit.cores().is_ok().then_some(limit)
    }

    fn cores(&self) -> io::Result<Option<usize>> {
        let text = match self {
            Self::One(both) => fs::read_to_string(both)?,
            Self::Two { quota, period } => fs::read_to_string(quota)? + " " + &fs::read_to_string(period)?,
        };
        parse(&text).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
    }
}

/// Parses a quota and its period. `Some(None)` if there is no limit.
fn parse(text: &str) -> Option<Option<usize>> {
    let mut fields = text.split_ascii_whitespace();
    let (quota, period) = (fields.next()?, fields.next()?.parse::<u64>().ok()?);
    if quota == "max" || quota == "-1" {
        return Some(None);
    }
    let cores = quota.parse::<u64>().ok()?.checked_div(period)?;
    Some(Some(usize::try_from(cores).ok()?.max(1)))
}

fn has_cpu(list: &str) -> bool {
    list.split(',').any(|entry| entry == "cpu")
}

/// A mount of control groups: version 2, or the CPU controller of version 1.
struct Mount<'a> {
    is_second: bool,
    /// The group that is at the mount point.
    root: &'a Path,
    point: &'a Path,
}

impl<'a> Mount<'a> {
    /// Parses a line of `mountinfo`.
    fn parse(line: &'a str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let mut system = system.split(' ');
        let (kind, options) = (system.next()?, system.nth(1)?);
        let is_second = kind == "cgroup2";
        let is_first = kind == "cgroup" && has_cpu(options);
        if !is_first && !is_second {
            return None;
        }
        let mut fields = mount.split(' ').skip(3).map(Path::new);
        // Below a root without a name each group would be one, and its files outside the mount.
        let root = fields.next().filter(|root| root.has_root())?;
        Some(Self { is_second, root, point: fields.next()? })
    }

    /// The directories of `group` and of the groups around it, as far as they can be seen here. A
    /// group outside the mount, as in some containers, is the one that is mounted.
    fn directories_of(&self, group: &Path) -> Vec<PathBuf> {
        let inside = group.strip_prefix(self.root).unwrap_or(Path::new(""));
        inside.ancestors().map(|inside| self.point.join(inside)).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests;
