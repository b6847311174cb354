//! Verification of card signatures.

use crate::{
    jws::{self, SignatureHeader},
    keys::{CardAlgorithm, TrustedKeys},
};
use baton_types::Json;
use baton_wire::a2a::v1::{AgentCardSignature, candidate_payloads};
use serde::Deserialize;

/// Maximum card size in bytes.
const MAX_CARD: usize = 1024 * 1024;
/// Maximum signatures; more would only cost time.
const MAX_SIGNATURES: usize = 16;

/// A card with a valid signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedCard {
    /// Key of the signature.
    pub kid: String,
    /// Algorithm of the signature.
    pub alg: CardAlgorithm,
    /// The card as it was signed. Use this, not the received document, which may have additional unsigned members, such
    /// as the address for 0.3 clients.
    pub card: Json,
}

/// Reason why a card is not trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardVerificationError {
    /// The card is not unambiguous JSON, or is too large.
    #[error("the card cannot be read: {0}")]
    Unreadable(String),
    /// The card has no signature.
    #[error("the card is not signed")]
    Unsigned,
    /// The card has too many signatures.
    #[error("the card has {0} signatures; at most {MAX_SIGNATURES} are checked")]
    TooManySignatures(usize),
    /// No signature header is valid.
    #[error("the card's signature cannot be used: {0}")]
    Header(&'static str),
    /// The algorithm is not accepted, or does not match the key.
    #[error("the card's signature is made with {0:?}, which is not accepted for its key")]
    Algorithm(String),
    /// None of the signing keys is trusted.
    #[error("the card is signed with the key {0:?}, which is not trusted")]
    UnknownKey(String),
    /// The card was changed, or signed with another key.
    #[error("the card's signature with the key {0:?} is invalid: the card was changed, or signed with another key")]
    BadSignature(String),
}

impl CardVerificationError {
    /// Of several invalid signatures, the error with the highest rank is reported.
    fn rank(&self) -> u8 {
        match self {
            Self::BadSignature(_) => 3,
            Self::Algorithm(_) => 2,
            Self::UnknownKey(_) => 1,
            _ => 0,
        }
    }
}

/// Verifies a card with the trusted keys; one valid signature is sufficient.
pub fn verify_card(card: &str, trusted: &TrustedKeys) -> Result<VerifiedCard, CardVerificationError> {
    let signatures = signatures(card)?;
    // Signers disagree about the signed form of a card. Trying each is safe: the signature decides, and the returned
    // card is exactly the signed text.
    let forms = candidate_payloads(card).map_err(|error| CardVerificationError::Unreadable(error.to_string()))?;
    let mut closest: Option<CardVerificationError> = None;
    for signature in &signatures {
        match verify(signature, &forms, trusted) {
            Ok(verified) => return Ok(verified),
            Err(distrust) if closest.as_ref().is_none_or(|other| other.rank() < distrust.rank()) => {
                closest = Some(distrust);
            }
            Err(_) => {}
        }
    }
    Err(closest.unwrap_or(CardVerificationError::Unsigned))
}

/// Readable signature headers of a card. A caller that trusts a `jku` fetches its keys before verification.
pub fn signature_headers(card: &str) -> Result<Vec<SignatureHeader>, CardVerificationError> {
    let signatures = signatures(card)?;
    Ok(signatures.iter().filter_map(|signature| SignatureHeader::read(&signature.protected).ok()).collect())
}

fn signatures(card: &str) -> Result<Vec<AgentCardSignature>, CardVerificationError> {
    #[derive(Deserialize)]
    struct SignedCardDocument {
        #[serde(default)]
        signatures: Option<Vec<AgentCardSignature>>,
    }
    if card.len() > MAX_CARD {
        return Err(CardVerificationError::Unreadable(format!("it has more than {MAX_CARD} bytes")));
    }
    // A derived deserializer would also accept an array.
    if !card.trim_ascii_start().starts_with('{') {
        return Err(CardVerificationError::Unreadable("it is not a JSON object".to_owned()));
    }
    let signed: SignedCardDocument =
        serde_json::from_str(card).map_err(|error| CardVerificationError::Unreadable(error.to_string()))?;
    match signed.signatures.unwrap_or_default() {
        none if none.is_empty() => Err(CardVerificationError::Unsigned),
        many if many.len() > MAX_SIGNATURES => Err(CardVerificationError::TooManySignatures(many.len())),
        some => Ok(some),
    }
}

fn verify(
    signature: &AgentCardSignature,
    forms: &[String],
    trusted: &TrustedKeys,
) -> Result<VerifiedCard, CardVerificationError> {
    // Only the protected header is used: unprotected ones can be forged.
    let header = SignatureHeader::read(&signature.protected).map_err(CardVerificationError::Header)?;
    let SignatureHeader { alg, kid, .. } = &header;
    let accepted = CardAlgorithm::from_name(alg).ok_or_else(|| CardVerificationError::Algorithm(truncate(alg)))?;
    let mut keys = trusted.find(kid).peekable();
    if keys.peek().is_none() {
        return Err(CardVerificationError::UnknownKey(truncate(kid)));
    }
    let mut keys = keys.filter(|key| key.algorithm == accepted).peekable();
    if keys.peek().is_none() {
        return Err(CardVerificationError::Algorithm(truncate(alg)));
    }
    let bad = || CardVerificationError::BadSignature(truncate(kid));
    let signed = jws::decode(&signature.signature).ok_or_else(bad)?;
    for key in keys {
        for form in forms {
            if key.verifies(jws::signing_input(&signature.protected, form.as_bytes()).as_bytes(), &signed) {
                let card = Json::parse(form).map_err(|error| CardVerificationError::Unreadable(error.to_string()))?;
                return Ok(VerifiedCard { kid: kid.clone(), alg: accepted, card });
            }
        }
    }
    Err(bad())
}

/// Truncates untrusted text for messages.
fn truncate(text: &str) -> String {
    text.chars().take(64).collect()
}
