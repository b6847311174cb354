//! Agent card in its response format.

use super::CardForm;
use baton_encoding::CanonicalJsonError;
use baton_wire::a2a::{
    v1::{AgentCard, AgentCardSignature},
    v03::{self, UnionCard},
};
use serde::{Serialize, Serializer};

/// Agent card in one of its formats.
#[derive(Clone, Debug)]
pub(crate) enum CardDocument {
    /// The members of both versions.
    Union(Box<AgentCard>),
    /// A2A 1.0 card.
    V1(Box<AgentCard>),
    /// A2A 0.3 card.
    V03(Box<v03::AgentCard>),
}

impl CardDocument {
    /// Builds the document of a card that lists the interfaces of both versions. A card without an interface of the
    /// requested version falls back to the union, which lists the available versions.
    pub(crate) fn new(card: AgentCard, form: CardForm) -> Self {
        match form {
            CardForm::V1 => Self::V1(Box::new(card.without_older_interfaces())),
            CardForm::V03 if card.has_older_interface() => Self::V03(Box::new(card.into())),
            CardForm::V03 | CardForm::Union => Self::Union(Box::new(card)),
        }
    }

    /// Canonical payloads to sign. For the union, only the 1.0 members are signed.
    pub(crate) fn payloads(&self) -> Result<Vec<String>, CanonicalJsonError> {
        match self {
            Self::Union(card) | Self::V1(card) => card.signature_payloads(),
            Self::V03(card) => card.signature_payloads(),
        }
    }

    /// The 1.0 card, for bindings that do not carry JSON.
    pub(crate) fn into_v1(self) -> AgentCard {
        match self {
            Self::Union(card) | Self::V1(card) => *card,
            Self::V03(card) => card.into_v1(),
        }
    }

    /// Sets the signatures.
    pub(crate) fn set_signatures(&mut self, signatures: Vec<AgentCardSignature>) {
        match self {
            Self::Union(card) | Self::V1(card) => card.signatures = signatures,
            Self::V03(card) => card.signatures = signatures,
        }
    }
}

impl Serialize for CardDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Union(card) => UnionCard::new(card).serialize(serializer),
            Self::V1(card) => card.serialize(serializer),
            Self::V03(card) => card.serialize(serializer),
        }
    }
}
