//! Signature payloads of a 0.3 card.

use super::{AgentCard, PROTOCOL_VERSION};
use crate::a2a::v1::{SIGNATURES, without_empty};
use baton_encoding::{CanonicalJsonError, CanonicalValue};
use baton_types::Json;
use std::fmt::Write as _;

impl AgentCard {
    /// The texts to sign for this card: its canonical JSON without signatures, as specified, and the form of the
    /// official Python client of 0.3.
    pub fn signature_payloads(&self) -> Result<Vec<String>, CanonicalJsonError> {
        let json = Json::from_serializable(self).map_err(|error| CanonicalJsonError::NotJson(error.to_string()))?;
        let mut specified = CanonicalValue::read(json.as_str())?;
        specified.remove(|name, _| name == SIGNATURES);
        let mut payloads = vec![specified.to_text()];
        payloads.extend(python_form(specified).filter(|text| *text != payloads[0]));
        Ok(payloads)
    }
}

/// The form of the official Python client of 0.3: without members that have their default value, without empty members,
/// and with all non-ASCII characters escaped.
fn python_form(mut card: CanonicalValue) -> Option<String> {
    let is = |value: &CanonicalValue, text: &str| matches!(value, CanonicalValue::Text(known) if known == text);
    card.remove(|name, value| match name {
        "protocolVersion" => is(value, PROTOCOL_VERSION),
        "preferredTransport" => is(value, "JSONRPC"),
        _ => false,
    });
    // The type of a scheme is the default of its class.
    card.inside_mut("securitySchemes").for_each(|scheme| scheme.remove(|name, _| name == "type"));
    Some(escape_non_ascii(&without_empty(card)?.to_text()))
}

fn escape_non_ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, ' '..='~') {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}
