//! The disks of hosts, as seen by the test around the hosts.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::Sim;
use wsrt_world::Disks;

/// A handle to a host's disk, for reading and writing its files from outside the host and for
/// injecting disk faults. Returned by [`Sim::disk`].
///
/// On a host, [`wsrt::fs`](crate::fs) uses the host's disk: directories and files in memory. A call
/// takes some microseconds of virtual time, a sync some milliseconds. After a crash, the disk
/// contains:
///
/// * **Bytes** that were written before the last successful [`sync_all`](crate::fs::File::sync_all)
///   or [`sync_data`](crate::fs::File::sync_data) of their file. Each later write is kept, lost or
///   torn, as the seed determines, independently of the order of the writes. Of a torn write, the
///   first sectors of 512 bytes are kept. A single sector is never torn.
/// * **Names** that were created, changed or removed before the last `sync_all` of their directory,
///   which [`File::open`](crate::fs::File::open) can open as well. Later changes of names are kept
///   or lost in order: if a change is kept, all changes before it are kept too. A rename is
///   therefore kept completely or not at all. If a file is renamed before its contents were synced,
///   the name may refer to a file without contents.
///
/// After a failed sync, the bytes that were to be synced may be lost, even if a second sync
/// succeeds. If the host crashes during a call, the call has no effect.
///
/// A disk has room for 1 GiB, has no symbolic links, and contains the directory `/tmp`. Relative
/// paths start at `/`. Permissions are stored but not enforced.
#[derive(Debug, Clone)]
pub struct Disk {
    disks: Arc<Disks>,
    host: usize,
}

impl Sim {
    /// Returns a handle to a host's disk. The disk survives crashes of the host.
    ///
    /// # Panics
    ///
    /// Panics if no host has this name.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::fs::{self, File};
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", || async {
    ///         let mut file = File::create("/log").await?;
    ///         File::open("/").await?.sync_all().await?;
    ///         file.write_all(b"safe").await?;
    ///         file.sync_all().await?;
    ///         file.write_all(b", or lost").await?;
    ///         file.flush().await?;
    ///         std::future::pending::<std::io::Result<()>>().await
    ///     });
    ///     wsrt::time::sleep(Duration::from_secs(1)).await;
    ///     let disk = sim.disk("node");
    ///     assert_eq!(disk.read("/log").unwrap(), b"safe, or lost");
    ///     assert_eq!(disk.read_durable("/log").unwrap(), b"safe");
    ///     sim.crash("node");
    ///     assert!(disk.read("/log").unwrap().starts_with(b"safe"));
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn disk(&self, name: &str) -> Disk {
        Disk { disks: self.simulation().world().disks().counted(), host: self.find(name) }
    }
}

impl Disk {
    /// Returns the contents of a file, as a program on the host would read them now. The call takes
    /// no virtual time, and can be used in an invariant.
    ///
    /// # Errors
    ///
    /// Returns the disk's error if the file does not exist.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", std::future::pending::<()>);
    ///     let disk = sim.disk("node");
    ///     disk.write("/log", "entry")?;
    ///     assert_eq!(disk.read("/log")?, b"entry");
    ///     std::io::Result::Ok(())
    /// })
    /// # .unwrap();
    /// ```
    pub fn read(&self, path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        self.disks.read(self.host, path.as_ref(), false)
    }

    /// Returns the contents of a file that are certain to survive a crash: the contents at the
    /// file's last sync, found by names that were synced.
    ///
    /// # Errors
    ///
    /// Returns the disk's error if no such file is certain to survive.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", std::future::pending::<()>);
    ///     let disk = sim.disk("node");
    ///     disk.write("/log", "entry")?;
    ///     assert_eq!(disk.read_durable("/log")?, b"entry");
    ///     std::io::Result::Ok(())
    /// })
    /// # .unwrap();
    /// ```
    pub fn read_durable(&self, path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        self.disks.read(self.host, path.as_ref(), true)
    }

    /// Writes a file to the disk, replacing an existing file, and creates missing directories. The
    /// file, and all earlier changes of names, are durable: they survive a crash.
    ///
    /// # Errors
    ///
    /// Returns the disk's error if the disk is full or the path is a directory.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", || async {
    ///         wsrt::time::sleep(std::time::Duration::from_secs(1)).await;
    ///         assert_eq!(wsrt::fs::read("/etc/node.conf").await.unwrap(), b"port = 80");
    ///     });
    ///     sim.disk("node").write("/etc/node.conf", "port = 80")?;
    ///     wsrt::time::sleep(std::time::Duration::from_secs(2)).await;
    ///     std::io::Result::Ok(())
    /// })
    /// # .unwrap();
    /// ```
    pub fn write(&self, path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
        self.disks.put(self.host, path.as_ref(), contents.as_ref())
    }

    /// Removes all files and directories, as if the host had a new disk. The disk's faults and
    /// capacity do not change. Operations on files that are open fail from now on.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", || std::future::pending::<()>());
    ///     let disk = sim.disk("node");
    ///     disk.write("/data/log", "entries")?;
    ///     disk.wipe();
    ///     assert!(disk.read("/data/log").is_err());
    ///     std::io::Result::Ok(())
    /// })
    /// # .unwrap();
    /// ```
    pub fn wipe(&self) {
        self.disks.wipe(self.host);
    }

    /// Sets the number of bytes of file contents that fit on the disk. The default is 1 GiB. Writes
    /// that exceed the capacity fail with [`StorageFull`](io::ErrorKind::StorageFull) (`ENOSPC`). A
    /// single file is never larger than 4 GiB, because the contents are kept in memory.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", || std::future::pending::<()>());
    ///     let disk = sim.disk("node");
    ///     disk.set_capacity(4);
    ///     assert_eq!(disk.write("/log", "entries").unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    /// });
    /// ```
    pub fn set_capacity(&self, bytes: u64) {
        self.disks.set_capacity(self.host, bytes);
    }

    /// Sets the share of reads, writes and syncs that fail with `EIO`, from 0.0 to 1.0.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", || async {
    ///         wsrt::time::sleep(std::time::Duration::from_secs(1)).await;
    ///         assert!(wsrt::fs::write("/log", "entry").await.is_err());
    ///     });
    ///     sim.disk("node").set_failing(1.0);
    ///     wsrt::time::sleep(std::time::Duration::from_secs(2)).await;
    /// });
    /// ```
    pub fn set_failing(&self, share: f64) {
        self.disks.set_failing(self.host, share);
    }

    /// Makes each call take `factor` times as long as usual.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", || async {
    ///         wsrt::time::sleep(std::time::Duration::from_secs(1)).await;
    ///         let begun = wsrt::time::Instant::now();
    ///         wsrt::fs::write("/log", "entry").await.unwrap();
    ///         assert!(begun.elapsed() >= std::time::Duration::from_millis(100));
    ///     });
    ///     sim.disk("node").set_slowness(100_000);
    ///     wsrt::time::sleep(std::time::Duration::from_secs(5)).await;
    /// });
    /// ```
    pub fn set_slowness(&self, factor: u32) {
        self.disks.set_slowness(self.host, factor);
    }
}
