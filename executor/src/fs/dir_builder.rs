//! Creating directories in more ways than one.

use std::io;
use std::path::Path;

use super::call::on_path;

/// Creates directories, with what was set before.
///
/// # Examples
///
/// ```
/// use std::os::unix::fs::PermissionsExt;
/// use wsrt::fs::DirBuilder;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-dir-builder-{}", std::process::id()));
/// DirBuilder::new().recursive(true).mode(0o700).create(path.join("private")).await?;
/// assert_eq!(wsrt::fs::metadata(path.join("private")).await?.permissions().mode() & 0o777, 0o700);
/// wsrt::fs::remove_dir_all(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DirBuilder {
    recursive: bool,
    #[cfg(unix)]
    mode: Option<u32>,
}

impl DirBuilder {
    /// Begins with what [`create_dir`](super::create_dir) does.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the directories above too, and is content if the directory is there. Off at first.
    pub fn recursive(&mut self, recursive: bool) -> &mut Self {
        self.recursive = recursive;
        self
    }

    /// Sets the permissions of what is created, of which the system takes the process's `umask`
    /// away. 0o777 at first. On Unix only.
    #[cfg(unix)]
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        self.mode = Some(mode);
        self
    }

    /// Creates a directory.
    ///
    /// # Errors
    ///
    /// When something is in the way, a directory above is missing, or the system refuses.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: dropped while it waits, it leaves open whether it happens.
    pub async fn create(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let builder = self.to_std();
        on_path("DirBuilder::create", path.as_ref(), move |path| builder.create(path)).await
    }

    /// The standard library's is not Clone.
    fn to_std(&self) -> std::fs::DirBuilder {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(self.recursive);
        #[cfg(unix)]
        if let Some(mode) = self.mode {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
        }
        builder
    }
}
