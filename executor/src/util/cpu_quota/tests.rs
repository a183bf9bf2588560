//! Quotas in folders that look like a system's.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::*;

/// A file system with control groups, gone when it is dropped.
pub(crate) struct Root(PathBuf);

impl Root {
    fn new(groups: &str, mounts: &str) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Relaxed);
        let root = Self(std::env::temp_dir().join(format!("wsrt-cpu-quota-{}-{number}", std::process::id())));
        root.write("proc/self/cgroup", groups);
        root.write("proc/self/mountinfo", mounts);
        root
    }

    /// A container with version 2, and so many microseconds in 100 ms.
    pub(crate) fn container(quota: &str) -> Self {
        let root = Self::new("0::/\n", "32 24 0:28 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n");
        root.set_quota(quota);
        root
    }

    pub(crate) fn set_quota(&self, quota: &str) {
        self.write("sys/fs/cgroup/cpu.max", &format!("{quota} 100000\n"));
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[track_caller]
fn cores(quota: &CpuQuota) -> Option<usize> {
    quota.cores().expect("the files can be read")
}

#[test]
fn a_quota_of_version_2_counts_whole_cores() {
    let root = Root::container("250000");
    let quota = CpuQuota::find(root.path());
    assert_eq!(cores(&quota), Some(2));
    root.set_quota("50000");
    assert_eq!(cores(&quota), Some(1), "half a core is one");
    root.set_quota("max");
    assert_eq!(cores(&quota), None);
    assert!(!quota.is_absent(), "one may come");
}

#[test]
fn the_smallest_group_around_the_process_decides() {
    let mounts = "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
    let root = Root::new("0::/system.slice/server.service\n", mounts);
    root.write("sys/fs/cgroup/system.slice/cpu.max", "300000 100000\n");
    root.write("sys/fs/cgroup/system.slice/server.service/cpu.max", "800000 100000\n");
    let quota = CpuQuota::find(root.path());
    assert_eq!(cores(&quota), Some(3));
    root.write("sys/fs/cgroup/system.slice/server.service/cpu.max", "400000 200000\n");
    assert_eq!(cores(&quota), Some(2));
}

#[test]
fn a_quota_of_version_1_is_in_two_files() {
    let groups = "4:memory:/other\n3:cpu,cpuacct:/docker/abc\n0::/\n";
    let mounts = "33 32 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n\
                  34 32 0:31 /docker/abc /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n\
                  41 32 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    let root = Root::new(groups, mounts);
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "50000\n");
    let quota = CpuQuota::find(root.path());
    assert_eq!(cores(&quota), None);
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
    assert_eq!(cores(&quota), Some(4));
}

#[test]
fn a_group_outside_of_the_mount_is_the_mounted_one() {
    let mounts = "33 32 0:30 /pods/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n";
    let root = Root::new("3:cpu:/elsewhere\n", mounts);
    root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
    root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_eq!(cores(&CpuQuota::find(root.path())), Some(3));
}

#[test]
fn without_groups_there_is_no_quota() {
    let nowhere = std::env::temp_dir().join("wsrt-cpu-quota-nowhere");
    assert!(CpuQuota::find(&nowhere).is_absent());
    let root = Root::new("nonsense\n0::\n:::\n", "1 2 3 - cgroup2\n - \n\n");
    assert!(CpuQuota::find(root.path()).is_absent());
}

#[test]
fn files_that_make_no_sense_are_errors() {
    let root = Root::container("100000");
    let quota = CpuQuota::find(root.path());
    for nonsense in ["", "max", "100000 0", "-5 100000", "a b"] {
        root.write("sys/fs/cgroup/cpu.max", nonsense);
        assert!(quota.cores().is_err(), "{nonsense:?}");
    }
    fs::remove_file(root.path().join("sys/fs/cgroup/cpu.max")).expect("it is there");
    assert!(quota.cores().is_err(), "no file");
}

#[test]
fn any_text_of_the_system_is_a_quota_or_none() {
    let corpus = wsrt_fuzz::corpus("quota", &[" ", " - ", "/", ":", ",", "cpu", "max", "cgroup2", "rw", "..", "\\040"]);
    wsrt_fuzz::check(&corpus, 20_000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        assert_ne!(parse(&text), Some(Some(0)), "a process has a core at least");
        let Some(mount) = Mount::parse(&text) else { return };
        for group in ["/", "/docker/0123abc/inside", "/../outside", &text] {
            let directories = mount.directories_of(Path::new(group));
            assert!(directories.iter().all(|directory| directory.starts_with(mount.point)), "{group}: {directories:?}");
            assert!(directories.contains(&mount.point.to_owned()), "{group}: {directories:?}");
        }
    });
}
