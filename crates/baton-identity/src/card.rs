//! Whether a card says what its signer made it say.

use crate::{
    jws::{self, SignatureHeader},
    keys::{CardAlgorithm, TrustedKeys},
};
use baton_types::Json;
use baton_wire::a2a::v1::{AgentCardSignature, signed_forms};
use serde::Deserialize;

/// Largest card that is looked at, in bytes.
const MAX_CARD: usize = 1024 * 1024;
/// More signatures than this only cost time.
const MAX_SIGNATURES: usize = 16;

/// A card that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The key that vouches for it.
    pub kid: String,
    /// What the signature was made with.
    pub alg: CardAlgorithm,
    /// The card as it was signed. Read this, not the document that it came in: the document may have members beside it
    /// that nobody vouches for, such as the address for clients of 0.3.
    pub card: Json,
}

/// Why a card is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardDistrust {
    /// It is not JSON that has one meaning, or it is too large.
    #[error("the card cannot be read: {0}")]
    Unreadable(String),
    /// Nobody vouches for it.
    #[error("the card is not signed")]
    Unsigned,
    /// It has more signatures than are looked at.
    #[error("the card has {0} signatures; at most {MAX_SIGNATURES} are looked at")]
    TooManySignatures(usize),
    /// No signature can be understood.
    #[error("the card's signature cannot be used: {0}")]
    Header(&'static str),
    /// Its signatures are made with something that is not accepted, or not with what their key is for.
    #[error("the card's signature is made with {0:?}, which is not accepted for its key")]
    Algorithm(String),
    /// None of its signers is trusted.
    #[error("the card is signed with the key {0:?}, which is not trusted")]
    UnknownKey(String),
    /// It was changed, or somebody else signed it.
    #[error("the card's signature with the key {0:?} does not hold: the card was changed, or signed by somebody else")]
    BadSignature(String),
}

impl CardDistrust {
    /// Of several signatures that do not hold, the one that came closest is told about.
    fn rank(&self) -> u8 {
        match self {
            Self::BadSignature(_) => 3,
            Self::Algorithm(_) => 2,
            Self::UnknownKey(_) => 1,
            _ => 0,
        }
    }
}

/// Checks a card against the keys that the caller trusts; one signature that holds is enough.
pub fn verify_card(card: &str, trusted: &TrustedKeys) -> Result<Verified, CardDistrust> {
    let signatures = signatures(card)?;
    // Signers disagree about which form of a card is signed. Trying each is safe: the signature decides, and the card
    // that is given back is the very text that was signed, in whichever form.
    let forms = signed_forms(card).map_err(|error| CardDistrust::Unreadable(error.to_string()))?;
    let mut closest: Option<CardDistrust> = None;
    for signature in &signatures {
        match verify(signature, &forms, trusted) {
            Ok(verified) => return Ok(verified),
            Err(distrust) if closest.as_ref().is_none_or(|other| other.rank() < distrust.rank()) => {
                closest = Some(distrust);
            }
            Err(_) => {}
        }
    }
    Err(closest.unwrap_or(CardDistrust::Unsigned))
}

/// What the signatures of a card say of themselves, as far as they can be understood: a caller that trusts a `jku`
/// fetches its keys before it verifies.
pub fn signature_headers(card: &str) -> Result<Vec<SignatureHeader>, CardDistrust> {
    let signatures = signatures(card)?;
    Ok(signatures.iter().filter_map(|signature| SignatureHeader::read(&signature.protected).ok()).collect())
}

fn signatures(card: &str) -> Result<Vec<AgentCardSignature>, CardDistrust> {
    #[derive(Deserialize)]
    struct Signed {
        #[serde(default)]
        signatures: Option<Vec<AgentCardSignature>>,
    }
    if card.len() > MAX_CARD {
        return Err(CardDistrust::Unreadable(format!("it has more than {MAX_CARD} bytes")));
    }
    // Derived readers would take a list of values as well.
    if !card.trim_ascii_start().starts_with('{') {
        return Err(CardDistrust::Unreadable("it is no object".to_owned()));
    }
    let signed: Signed = serde_json::from_str(card).map_err(|error| CardDistrust::Unreadable(error.to_string()))?;
    match signed.signatures.unwrap_or_default() {
        none if none.is_empty() => Err(CardDistrust::Unsigned),
        many if many.len() > MAX_SIGNATURES => Err(CardDistrust::TooManySignatures(many.len())),
        some => Ok(some),
    }
}

fn verify(signature: &AgentCardSignature, forms: &[String], trusted: &TrustedKeys) -> Result<Verified, CardDistrust> {
    // Only what is protected counts: anybody can write an unprotected header.
    let header = SignatureHeader::read(&signature.protected).map_err(CardDistrust::Header)?;
    let SignatureHeader { alg, kid, .. } = &header;
    let accepted = CardAlgorithm::named(alg).ok_or_else(|| CardDistrust::Algorithm(short(alg)))?;
    let mut keys = trusted.find(kid).peekable();
    if keys.peek().is_none() {
        return Err(CardDistrust::UnknownKey(short(kid)));
    }
    let mut keys = keys.filter(|key| key.algorithm == accepted).peekable();
    if keys.peek().is_none() {
        return Err(CardDistrust::Algorithm(short(alg)));
    }
    let bad = || CardDistrust::BadSignature(short(kid));
    let signed = jws::decode(&signature.signature).ok_or_else(bad)?;
    for key in keys {
        for form in forms {
            if key.verifies(jws::signing_input(&signature.protected, form.as_bytes()).as_bytes(), &signed) {
                let card = Json::parse(form).map_err(|error| CardDistrust::Unreadable(error.to_string()))?;
                return Ok(Verified { kid: kid.clone(), alg: accepted, card });
            }
        }
    }
    Err(bad())
}

/// Words of strangers, short enough for a line.
fn short(text: &str) -> String {
    text.chars().take(64).collect()
}
