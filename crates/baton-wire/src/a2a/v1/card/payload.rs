//! What the signatures of a card are made over.

use super::AgentCard;
use crate::canonical::{NotCanonical, Tree};
use baton_types::Json;

pub(in crate::a2a) const SIGNATURES: &str = "signatures";

impl AgentCard {
    /// The texts that vouch for this card when they are signed: the specification's form, and that of the official
    /// clients when it is another.
    ///
    /// A verifier takes a card when one signature holds, and knows one of the forms. They differ in members that must
    /// be there and are empty, such as the scopes of a requirement or the tags of a skill.
    pub fn payloads(&self) -> Result<Vec<String>, NotCanonical> {
        let (specified, cleaned) = forms(self)?;
        Ok(distinct([Some(specified), cleaned]))
    }
}

/// The texts that somebody may have signed who published this document as a card, likeliest first.
///
/// The first two have the members of 1.0 only: a document may carry others for older clients, and they are not signed.
/// So whoever finds that one of these texts is signed must read the card from that text, not from the document.
pub fn signed_forms(document: &str) -> Result<Vec<String>, NotCanonical> {
    // Refuses members that are there twice, so that there is one way to read the rest.
    let mut raw = Tree::read(document)?;
    raw.remove(|name, _| name == SIGNATURES);
    let (specified, cleaned) = match serde_json::from_str::<AgentCard>(document) {
        Ok(card) => forms(&card).map(|(specified, cleaned)| (Some(specified), cleaned))?,
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

fn forms(card: &AgentCard) -> Result<(String, Option<String>), NotCanonical> {
    let json = Json::of(card).map_err(|error| NotCanonical::NotJson(error.to_string()))?;
    let mut tree = Tree::read(json.as_str())?;
    tree.remove(|name, _| name == SIGNATURES);
    without_defaults(&mut tree);
    Ok((tree.to_text(), without_empty(tree).map(|tree| tree.to_text())))
}

/// The specification's form: of the members that say nothing, only those stay that must be there, and those whose
/// presence is itself said.
fn without_defaults(card: &mut Tree) {
    for interface in card.inside_mut("supportedInterfaces") {
        drop_defaults(interface, &["tenant"]);
    }
    for extension in card.member_mut("capabilities").into_iter().flat_map(|it| it.inside_mut("extensions")) {
        drop_defaults(extension, &["uri", "description", "required"]);
    }
    for scheme in card.inside_mut("securitySchemes").flat_map(Tree::values_mut) {
        drop_defaults(scheme, &["description", "bearerFormat", "oauth2MetadataUrl"]);
        for flow in scheme.inside_mut("flows") {
            drop_defaults(flow, &["refreshUrl", "pkceRequired"]);
        }
        // The deprecated flows have no member that must be there.
        for name in ["implicit", "password"] {
            if let Some(flow) = scheme.member_mut("flows").and_then(|flows| flows.member_mut(name)) {
                drop_defaults(flow, &["authorizationUrl", "tokenUrl", "scopes"]);
            }
        }
    }
    without_default_requirements(card);
    card.inside_mut("skills").for_each(without_default_requirements);
}

fn without_default_requirements(holder: &mut Tree) {
    for requirement in holder.inside_mut("securityRequirements") {
        requirement.inside_mut("schemes").for_each(|scopes| drop_defaults(scopes, &["list"]));
        drop_defaults(requirement, &["schemes"]);
    }
}

fn drop_defaults(object: &mut Tree, names: &[&str]) {
    object.remove(|name, value| names.contains(&name) && value.is_default());
}

/// The form of the official Python and JavaScript clients: whatever is empty goes, at any depth, until nothing empty
/// is left.
pub(in crate::a2a) fn without_empty(tree: Tree) -> Option<Tree> {
    let tree = match tree {
        Tree::Object(members) => {
            Tree::Object(members.into_iter().filter_map(|(name, value)| Some((name, without_empty(value)?))).collect())
        }
        Tree::List(items) => Tree::List(items.into_iter().filter_map(without_empty).collect()),
        Tree::Bool(_) => return Some(tree),
        other => other,
    };
    (!tree.is_default()).then_some(tree)
}
