//! Signature payloads of a card.

use super::AgentCard;
use baton_encoding::{CanonicalJsonError, CanonicalValue};
use baton_types::Json;

pub(in crate::a2a) const SIGNATURES: &str = "signatures";

impl AgentCard {
    /// The texts to sign for this card: the specification's form, and the form of the official clients if it differs.
    ///
    /// A verifier accepts a card if one signature is valid, and supports only one of the forms. They differ in members
    /// that are required but empty, such as the scopes of a requirement or the tags of a skill.
    pub fn signature_payloads(&self) -> Result<Vec<String>, CanonicalJsonError> {
        let (specified, cleaned) = canonical_forms(self)?;
        Ok(distinct([Some(specified), cleaned]))
    }
}

/// The texts that the publisher of this document may have signed, most likely first.
///
/// The first two contain only the members of 1.0: a document may contain others for older clients, and they are not
/// signed. After verifying one of these texts, the caller must parse the card from that text, not from the document.
pub fn candidate_payloads(document: &str) -> Result<Vec<String>, CanonicalJsonError> {
    // Rejects duplicate members, so that the rest is unambiguous.
    let mut raw = CanonicalValue::read(document)?;
    raw.remove(|name, _| name == SIGNATURES);
    let (specified, cleaned) = match serde_json::from_str::<AgentCard>(document) {
        Ok(card) => canonical_forms(&card).map(|(specified, cleaned)| (Some(specified), cleaned))?,
        Err(_) => (None, None),
    };
    Ok(distinct([specified, cleaned, Some(raw.to_text())]))
}

fn distinct<const N: usize>(texts: [Option<String>; N]) -> Vec<String> {
    let mut found = Vec::with_capacity(N);
    for text in texts.into_iter().flatten() {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

fn canonical_forms(card: &AgentCard) -> Result<(String, Option<String>), CanonicalJsonError> {
    let json = Json::from_serializable(card).map_err(|error| CanonicalJsonError::NotJson(error.to_string()))?;
    let mut tree = CanonicalValue::read(json.as_str())?;
    tree.remove(|name, _| name == SIGNATURES);
    without_defaults(&mut tree);
    Ok((tree.to_text(), without_empty(tree).map(|tree| tree.to_text())))
}

/// The specification's form: of the members with default values, only required members and members with explicit
/// presence stay.
fn without_defaults(card: &mut CanonicalValue) {
    for interface in card.inside_mut("supportedInterfaces") {
        drop_defaults(interface, &["tenant"]);
    }
    for extension in card.member_mut("capabilities").into_iter().flat_map(|it| it.inside_mut("extensions")) {
        drop_defaults(extension, &["uri", "description", "required"]);
    }
    for scheme in card.inside_mut("securitySchemes").flat_map(CanonicalValue::values_mut) {
        drop_defaults(scheme, &["description", "bearerFormat", "oauth2MetadataUrl"]);
        for flow in scheme.inside_mut("flows") {
            drop_defaults(flow, &["refreshUrl", "pkceRequired"]);
        }
        // The deprecated flows have no required members.
        for name in ["implicit", "password"] {
            if let Some(flow) = scheme.member_mut("flows").and_then(|flows| flows.member_mut(name)) {
                drop_defaults(flow, &["authorizationUrl", "tokenUrl", "scopes"]);
            }
        }
    }
    without_default_requirements(card);
    card.inside_mut("skills").for_each(without_default_requirements);
}

fn without_default_requirements(holder: &mut CanonicalValue) {
    for requirement in holder.inside_mut("securityRequirements") {
        requirement.inside_mut("schemes").for_each(|scopes| drop_defaults(scopes, &["list"]));
        drop_defaults(requirement, &["schemes"]);
    }
}

fn drop_defaults(object: &mut CanonicalValue, names: &[&str]) {
    object.remove(|name, value| names.contains(&name) && value.is_default());
}

/// The form of the official Python and JavaScript clients: empty values are removed recursively until none is left.
pub(in crate::a2a) fn without_empty(tree: CanonicalValue) -> Option<CanonicalValue> {
    let tree = match tree {
        CanonicalValue::Object(members) => CanonicalValue::Object(
            members.into_iter().filter_map(|(name, value)| Some((name, without_empty(value)?))).collect(),
        ),
        CanonicalValue::List(items) => CanonicalValue::List(items.into_iter().filter_map(without_empty).collect()),
        CanonicalValue::Bool(_) => return Some(tree),
        other => other,
    };
    (!tree.is_default()).then_some(tree)
}
