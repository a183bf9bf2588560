//! Opening files in more ways than two.

use std::io;
use std::path::Path;

use super::File;
use super::call::on_path;

/// Opens files, with what was set before.
///
/// Has the methods of [`std::fs::OpenOptions`], and can be made from one.
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
#[derive(Clone, Debug)]
pub struct OpenOptions(std::fs::OpenOptions);

impl OpenOptions {
    /// Begins with everything off: [`open`](Self::open) needs one of `read`, `write` and `append`
    /// at least.
    #[must_use]
    pub fn new() -> Self {
        Self(std::fs::OpenOptions::new())
    }

    /// Allows to read.
    pub fn read(&mut self, read: bool) -> &mut Self {
        self.0.read(read);
        self
    }

    /// Allows to write, from the beginning on and over what is there.
    pub fn write(&mut self, write: bool) -> &mut Self {
        self.0.write(write);
        self
    }

    /// Allows to write, always to the end.
    pub fn append(&mut self, append: bool) -> &mut Self {
        self.0.append(append);
        self
    }

    /// Empties a file that is there. Needs `write`.
    pub fn truncate(&mut self, truncate: bool) -> &mut Self {
        self.0.truncate(truncate);
        self
    }

    /// Creates the file if it is not there. Needs `write` or `append`.
    pub fn create(&mut self, create: bool) -> &mut Self {
        self.0.create(create);
        self
    }

    /// Creates the file, and fails if it is there; `create` and `truncate` are ignored then. Needs
    /// `write` or `append`.
    pub fn create_new(&mut self, create_new: bool) -> &mut Self {
        self.0.create_new(create_new);
        self
    }

    /// Sets the permissions of a file that is created, of which the system takes the process's
    /// `umask` away. 0o666 at first. On Unix only.
    #[cfg(unix)]
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        std::os::unix::fs::OpenOptionsExt::mode(&mut self.0, mode);
        self
    }

    /// Passes flags of the system's own to `open`, such as `libc::O_NOFOLLOW`. On Unix only.
    #[cfg(unix)]
    pub fn custom_flags(&mut self, flags: i32) -> &mut Self {
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut self.0, flags);
        self
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// When it cannot be opened in this way; of kind [`InvalidInput`](io::ErrorKind::InvalidInput)
    /// when what was set does not go together.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, it leaves open whether a file is created or emptied; a file that was
    /// opened is closed.
    pub async fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let options = self.0.clone();
        let opened = on_path("OpenOptions::open", path.as_ref(), move |path| options.open(path));
        opened.await.map(File::from_std)
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<std::fs::OpenOptions> for OpenOptions {
    fn from(options: std::fs::OpenOptions) -> Self {
        Self(options)
    }
}
