//! `OpenOptions`: opens files with options.

use std::path::Path;
use std::{fmt, io};

use super::File;
use super::paths::on_path;
use crate::util::world::Wish;

/// A builder that opens files with the chosen options.
///
/// The builder has the methods of [`std::fs::OpenOptions`] and can be converted from one.
///
/// # Examples
///
/// ```
/// use wsrt::fs::OpenOptions;
/// use wsrt::io::AsyncWriteExt;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// # let path = std::env::temp_dir().join(format!("wsrt-open-options-{}", std::process::id()));
/// for line in ["one\n", "two\n"] {
///     let mut log = OpenOptions::new().append(true).create(true).open(&path).await?;
///     log.write_all(line.as_bytes()).await?;
///     log.flush().await?;
/// }
/// assert_eq!(wsrt::fs::read(&path).await?, b"one\ntwo\n");
/// # wsrt::fs::remove_file(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone)]
pub struct OpenOptions {
    std: std::fs::OpenOptions,
    wish: Wish,
}

impl OpenOptions {
    /// Creates a builder with all options disabled. Enable at least one of `read`, `write` and
    /// `append` before calling [`open`](Self::open).
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-new-{}", std::process::id()));
    /// let mut file = wsrt::fs::OpenOptions::new().write(true).create(true).open(&path).await?;
    /// file.write_all(b"hello").await?;
    /// file.flush().await?;
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self { std: std::fs::OpenOptions::new(), wish: Wish::default() }
    }

    /// Sets whether to open the file for reading.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let manifest = wsrt::fs::OpenOptions::new().read(true).open("Cargo.toml").await?;
    /// assert!(manifest.metadata().await?.is_file());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn read(&mut self, read: bool) -> &mut Self {
        self.std.read(read);
        self.wish.read = read;
        self
    }

    /// Sets whether to open the file for writing. Writes start at the beginning of the file and
    /// overwrite its contents.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-write-{}", std::process::id()));
    /// let file = wsrt::fs::OpenOptions::new().write(true).create(true).open(&path).await?;
    /// file.set_len(1024).await?;
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn write(&mut self, write: bool) -> &mut Self {
        self.std.write(write);
        self.wish.write = write;
        self
    }

    /// Sets whether to open the file for appending: every write adds bytes at the end of the file.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-append-{}", std::process::id()));
    /// for line in ["one\n", "two\n"] {
    ///     let mut log = wsrt::fs::OpenOptions::new().append(true).create(true).open(&path).await?;
    ///     log.write_all(line.as_bytes()).await?;
    ///     log.flush().await?;
    /// }
    /// assert_eq!(wsrt::fs::read_to_string(&path).await?, "one\ntwo\n");
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn append(&mut self, append: bool) -> &mut Self {
        self.std.append(append);
        self.wish.append = append;
        self
    }

    /// Sets whether to discard the contents of an existing file. Requires `write`.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-truncate-{}", std::process::id()));
    /// wsrt::fs::write(&path, "old").await?;
    /// wsrt::fs::OpenOptions::new().write(true).truncate(true).open(&path).await?;
    /// assert_eq!(wsrt::fs::metadata(&path).await?.len(), 0);
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn truncate(&mut self, truncate: bool) -> &mut Self {
        self.std.truncate(truncate);
        self.wish.truncate = truncate;
        self
    }

    /// Sets whether to create the file if it does not exist. Requires `write` or `append`.
    pub fn create(&mut self, create: bool) -> &mut Self {
        self.std.create(create);
        self.wish.create = create;
        self
    }

    /// Sets whether to create a new file and to fail if the file already exists. The options
    /// `create` and `truncate` are then ignored. Requires `write` or `append`.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// # let path = std::env::temp_dir().join(format!("wsrt-doc-create-new-{}", std::process::id()));
    /// wsrt::fs::OpenOptions::new().write(true).create_new(true).open(&path).await?;
    /// let again = wsrt::fs::OpenOptions::new().write(true).create_new(true).open(&path).await;
    /// assert_eq!(again.unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
    /// # wsrt::fs::remove_file(&path).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn create_new(&mut self, create_new: bool) -> &mut Self {
        self.std.create_new(create_new);
        self.wish.create_new = create_new;
        self
    }

    /// Sets the permission bits of a created file. The OS clears the bits that are set in the
    /// process's `umask`. The default is 0o666. Available on Unix only.
    #[cfg(unix)]
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        std::os::unix::fs::OpenOptionsExt::mode(&mut self.std, mode);
        self.wish.mode = Some(mode);
        self
    }

    /// Sets additional flags for the OS's `open` call, such as `libc::O_NOFOLLOW`. Each call
    /// replaces the flags of the previous one. Available on Unix only.
    #[cfg(unix)]
    pub fn custom_flags(&mut self, flags: i32) -> &mut Self {
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut self.std, flags);
        self.wish.flags = flags;
        self
    }

    /// Opens the file at `path` with the options of this builder.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the file cannot be opened with these options, or an error of kind
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) when the options contradict each other.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may or may not create or truncate the file.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let missing = wsrt::fs::OpenOptions::new().read(true).open("no/such/file").await;
    /// assert_eq!(missing.unwrap_err().kind(), std::io::ErrorKind::NotFound);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        self.open_for("OpenOptions::open", path.as_ref()).await
    }

    /// Opens a file on behalf of the function named `caller`.
    pub(super) async fn open_for(&self, caller: &'static str, path: &Path) -> io::Result<File> {
        let options = self.clone();
        on_path(caller, path, move |system, path| system.open(path, &options)).await.map(File::of)
    }

    pub(super) fn std(&self) -> &std::fs::OpenOptions {
        &self.std
    }

    #[allow(dead_code, reason = "only a simulated disk asks")]
    pub(super) fn wish(&self) -> &Wish {
        &self.wish
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<std::fs::OpenOptions> for OpenOptions {
    fn from(options: std::fs::OpenOptions) -> Self {
        Self { std: options, wish: Wish { is_unknown: true, ..Wish::default() } }
    }
}

impl fmt::Debug for OpenOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenOptions").field(&self.std).finish()
    }
}
