//! A certificate that clients are told to trust.

use std::fs;

use wsrt_ecosystem_testing::Scratch;

/// A certificate of `localhost` that signs itself, and its key, both in PEM, in a folder.
#[derive(Debug)]
pub struct Certificate {
    /// The certificate's text.
    pub certificate: String,
    /// The key's text.
    pub key: String,
    folder: Scratch,
}

impl Certificate {
    /// Makes one.
    ///
    /// # Panics
    ///
    /// Panics if the OS refuses its files.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a default value should cost nothing")]
    pub fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is to be had");
        let folder = Scratch::new();
        let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
        fs::write(folder.file("certificate.pem"), &certificate).expect("the folder is ours");
        fs::write(folder.file("key.pem"), &key).expect("the folder is ours");
        Self { certificate, key, folder }
    }

    /// Returns the path of the certificate.
    #[must_use]
    pub fn certificate_file(&self) -> String {
        self.folder.file("certificate.pem")
    }

    /// Returns the path of the key.
    #[must_use]
    pub fn key_file(&self) -> String {
        self.folder.file("key.pem")
    }

    /// Returns the folder that holds both.
    #[must_use]
    pub fn folder(&self) -> &Scratch {
        &self.folder
    }
}
