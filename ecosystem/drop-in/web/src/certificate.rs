//! A self-signed certificate that clients are configured to trust.

use std::fs;

use wsrt_ecosystem_testing::Scratch;

/// A self-signed certificate for `localhost` and its private key, both in PEM format, stored in a
/// temporary folder.
#[derive(Debug)]
pub struct Certificate {
    /// The certificate in PEM format.
    pub certificate: String,
    /// The private key in PEM format.
    pub key: String,
    folder: Scratch,
}

impl Certificate {
    /// Creates a certificate and a key, and writes both to files.
    ///
    /// # Panics
    ///
    /// Panics if the files cannot be written.
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

    /// Returns the path of the certificate file.
    #[must_use]
    pub fn certificate_file(&self) -> String {
        self.folder.file("certificate.pem")
    }

    /// Returns the path of the private key file.
    #[must_use]
    pub fn key_file(&self) -> String {
        self.folder.file("key.pem")
    }

    /// Returns the folder that contains both files.
    #[must_use]
    pub fn folder(&self) -> &Scratch {
        &self.folder
    }
}
