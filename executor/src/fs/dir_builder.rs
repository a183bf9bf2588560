//! `DirBuilder`: creates directories with options.

use std::io;
use std::path::Path;

use super::call::on_path;

/// A builder that creates directories with the chosen options.
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
    /// Creates a builder that creates a single directory, like [`create_dir`](super::create_dir).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether to create missing parent directories and to accept a directory that already
    /// exists. The default is `false`.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let root = std::env::temp_dir().join(format!("wsrt-doc-recursive-{}", std::process::id()));
    /// wsrt::fs::DirBuilder::new().recursive(true).create(root.join("a/b")).await?;
    /// assert!(wsrt::fs::metadata(root.join("a/b")).await?.is_dir());
    /// # wsrt::fs::remove_dir_all(&root).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn recursive(&mut self, recursive: bool) -> &mut Self {
        self.recursive = recursive;
        self
    }

    /// Sets the permission bits of created directories. The OS clears the bits that are set in the
    /// process's `umask`. The default is 0o777. Available on Unix only.
    #[cfg(unix)]
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        self.mode = Some(mode);
        self
    }

    /// Creates a directory at `path` with the options of this builder.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the path already exists, its parent does not exist, or the OS
    /// refuses the call. With [`recursive`](Self::recursive), neither an existing directory nor a
    /// missing parent is an error. parent is an error.
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not take effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-dir-{}", std::process::id()));
    /// wsrt::fs::DirBuilder::new().create(&path).await?;
    /// # wsrt::fs::remove_dir(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn create(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (is_recursive, mode) = (self.recursive, self.permissions());
        on_path("DirBuilder::create", path.as_ref(), move |system, path| system.make_dir(path, is_recursive, mode))
            .await
    }

    /// Returns the permission bits that were set, if any.
    fn permissions(&self) -> Option<u32> {
        #[cfg(unix)]
        return self.mode;
        #[cfg(not(unix))]
        None
    }
}
