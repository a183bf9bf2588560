//! The disks of hosts, for the test around them.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::Sim;
use wsrt_world::Disks;

/// Looks at the disk of a host from outside, and injects its faults. Returned by [`Sim::disk`].
///
/// On a host, [`wsrt::fs`](crate::fs) is the host's disk: directories and files in memory. A call
/// takes some microseconds of virtual time, a sync some milliseconds. A crash leaves:
///
/// * **Bytes** that were written before the last [`sync_all`](crate::fs::File::sync_all) or
///   [`sync_data`](crate::fs::File::sync_data) of their file that has succeeded. Each later write
///   is kept, lost or torn, as the seed decides, in any order. A torn one leaves its first sectors
///   of 512 bytes: no sector is torn.
/// * **Names** that were made, changed or removed before the last `sync_all` of their directory,
///   which [`File::open`](crate::fs::File::open) opens as well. Later changes of names are kept or
///   lost in their order: if one is kept, so are those before it. So a rename happens or not, and
///   one before a write of the contents was synced may leave a name without contents.
///
/// After a sync that has failed, the bytes that it was to sync may be lost, though a second sync
/// succeeds. A crash between a call and its end leaves no effect of the call.
///
/// A disk has room for 1 GiB, no symbolic links, and the directory `/tmp`. Relative paths begin at
/// `/`. Permissions are kept, and not enforced.
#[derive(Debug, Clone)]
pub struct Disk {
    disks: Arc<Disks>,
    host: usize,
}

impl Sim {
    /// Returns the disk of a host, which stays when the host crashes.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of this name.
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
    /// Returns the contents of a file, as a program on the host would read them now. Takes no time,
    /// and may be called in an invariant.
    ///
    /// # Errors
    ///
    /// Returns the error of the disk when there is no such file.
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

    /// Returns the contents of a file that a crash is certain to leave: the contents at its last
    /// sync, by the names that were synced.
    ///
    /// # Errors
    ///
    /// Returns the error of the disk when there is no such file.
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

    /// Puts a file on the disk, instead of one that is there, and creates its directories. All of
    /// it is durable, and so are all changes of names before.
    ///
    /// # Errors
    ///
    /// Returns the error of the disk when it is full, or the path is a directory.
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

    /// Removes everything from the disk, as if the host had a new one. Its faults and its capacity
    /// stay. Files that are open fail from now on.
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

    /// Sets how many bytes of contents fit on the disk. Writes beyond fail with
    /// [`StorageFull`](io::ErrorKind::StorageFull), `ENOSPC`. The default is 1 GiB. No file is
    /// longer than 4 GiB, whatever the capacity: the contents are in memory.
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

    /// Sets the share of reads, writes and syncs that fail with `EIO`: 0.0 is none, 1.0 all.
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

    /// Slows each call by `factor`.
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
