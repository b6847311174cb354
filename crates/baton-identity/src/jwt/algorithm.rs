//! Accepted signature algorithms.

use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, EdDSAParameters, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384,
    RSA_PSS_2048_8192_SHA512, RsaParameters, VerificationAlgorithm,
};
use std::fmt;

/// Signature algorithm of a token. Only public-key algorithms: the published keys of an issuer must not be sufficient
/// to forge a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// RSA with PKCS#1 padding and SHA-256.
    Rs256,
    /// RSA with PKCS#1 padding and SHA-384.
    Rs384,
    /// RSA with PKCS#1 padding and SHA-512.
    Rs512,
    /// RSA with PSS padding and SHA-256.
    Ps256,
    /// RSA with PSS padding and SHA-384.
    Ps384,
    /// RSA with PSS padding and SHA-512.
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// Ed25519.
    EdDsa,
}

/// Verification parameters for a key.
pub(super) enum VerificationMethod {
    Rsa(&'static RsaParameters),
    P256(&'static dyn VerificationAlgorithm),
    P384(&'static dyn VerificationAlgorithm),
    Ed25519(&'static EdDSAParameters),
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 9] = [
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    /// Parses the name in tokens and key sets.
    pub fn parse(name: &str) -> Option<Self> {
        // RFC 9864 names the curve instead of the family.
        let name = if name == "Ed25519" { "EdDSA" } else { name };
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }

    /// Name in tokens and key sets.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }

    pub(super) fn method(self) -> VerificationMethod {
        match self {
            Self::Rs256 => VerificationMethod::Rsa(&RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => VerificationMethod::Rsa(&RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => VerificationMethod::Rsa(&RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => VerificationMethod::Rsa(&RSA_PSS_2048_8192_SHA256),
            Self::Ps384 => VerificationMethod::Rsa(&RSA_PSS_2048_8192_SHA384),
            Self::Ps512 => VerificationMethod::Rsa(&RSA_PSS_2048_8192_SHA512),
            Self::Es256 => VerificationMethod::P256(&ECDSA_P256_SHA256_FIXED),
            Self::Es384 => VerificationMethod::P384(&ECDSA_P384_SHA384_FIXED),
            Self::EdDsa => VerificationMethod::Ed25519(&ED25519),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
