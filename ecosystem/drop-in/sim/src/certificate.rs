//! The self-signed certificate of the post office. The certificate is the same in every run,
//! because its length affects the length of the handshake.
//!
//! The key is an Ed25519 key: its signatures use no random numbers and always have the same length,
//! unlike ECDSA signatures.

use quinn::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};

/// The beginning of a key of Ed25519 in PKCS #8: a version, the algorithm, and the lengths.
const BEGINNING: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// No secret: it is in the source.
const KEY: [u8; 32] = [7; 32];

/// The server name that the certificate is valid for.
pub const NAME: &str = "post";

/// Returns the certificate and its private key.
///
/// # Panics
///
/// Panics if Ed25519 is not available.
#[must_use]
pub fn certificate() -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    let key = PrivatePkcs8KeyDer::from([&BEGINNING[..], &KEY].concat());
    let signs = KeyPair::from_pkcs8_der_and_sign_algo(&key, &PKCS_ED25519).expect("a good key");
    let params = CertificateParams::new([NAME.to_owned()]).expect("a good name");
    let certificate = params.self_signed(&signs).expect("the key signs");
    (certificate.der().clone(), key.into())
}
