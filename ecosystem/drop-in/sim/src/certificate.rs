//! The certificate of the post office, which signs itself: the same in each run, since its length
//! is part of a handshake's.
//!
//! Its key is one of Ed25519. A signature by such a key takes no random number, and always has one
//! length; one of ECDSA's has neither.

use quinn::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};

/// The beginning of a key of Ed25519 in PKCS #8: a version, the algorithm, and the lengths.
const BEGINNING: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// No secret: it is in the source.
const KEY: [u8; 32] = [7; 32];

/// The name that the certificate is for.
pub const NAME: &str = "post";

/// Returns the certificate and its key.
///
/// # Panics
///
/// Panics if there is no Ed25519.
#[must_use]
pub fn certificate() -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    let key = PrivatePkcs8KeyDer::from([&BEGINNING[..], &KEY].concat());
    let signs = KeyPair::from_pkcs8_der_and_sign_algo(&key, &PKCS_ED25519).expect("a good key");
    let params = CertificateParams::new([NAME.to_owned()]).expect("a good name");
    let certificate = params.self_signed(&signs).expect("the key signs");
    (certificate.der().clone(), key.into())
}
