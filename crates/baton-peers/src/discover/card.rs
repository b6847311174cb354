//! Parser of cards of any version.

use baton_encoding::depth_within;
use baton_types::{Json, MAX_JSON_DEPTH};
use baton_wire::a2a::{v1::AgentCard, v03};

/// Maximum number of interfaces considered.
const MAX_INTERFACES: usize = 64;

/// Returns the card in the form of 1.0 and the original JSON, or the reason why it is not a card.
///
/// The 1.0 members take precedence if they contain an interface: the 0.3 members of the same document are for older
/// clients.
pub(super) fn read(body: &[u8]) -> Result<(AgentCard, Json), String> {
    if !depth_within(body, MAX_JSON_DEPTH) {
        return Err(format!("it is nested deeper than {MAX_JSON_DEPTH} levels"));
    }
    let text = std::str::from_utf8(body).map_err(|_| "it is not text".to_owned())?;
    let raw = Json::parse(text).map_err(|_| "it is not JSON".to_owned())?;
    if !raw.is_object() {
        return Err("it is not a JSON object".to_owned());
    }
    let no_card = |error: &dyn std::fmt::Display| format!("it is not an agent card: {error}");
    let new: Result<AgentCard, _> = raw.read();
    let mut card = match new {
        Ok(card) if !card.supported_interfaces.is_empty() => card,
        new => match (raw.read::<v03::AgentCard>(), new) {
            (Ok(old), _) if !old.url.is_empty() => old.into_v1(),
            (_, Err(error)) => return Err(no_card(&error)),
            (Err(error), Ok(_)) => return Err(no_card(&error)),
            (Ok(_), Ok(_)) => return Err(no_card(&"neither supportedInterfaces nor url has the agent's URL")),
        },
    };
    if card.name.trim().is_empty() {
        return Err(no_card(&"it has no name"));
    }
    card.supported_interfaces.truncate(MAX_INTERFACES);
    Ok((card, raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> String {
        match read(json.as_bytes()) {
            Ok((card, _)) => {
                let one = |one: &baton_wire::a2a::v1::AgentInterface| {
                    format!("{} {} {}", one.protocol_binding, one.protocol_version, one.url)
                };
                card.supported_interfaces.iter().map(one).collect::<Vec<_>>().join(", ")
            }
            Err(reason) => reason,
        }
    }

    #[test]
    fn cards_of_every_version_are_parsed() {
        let new = r#""supportedInterfaces":[{"url":"https://a/1","protocolBinding":"GRPC","protocolVersion":"1.0"}]"#;
        let old = r#""url":"https://a/3","preferredTransport":"HTTP+JSON","protocolVersion":"0.3.0",
            "additionalInterfaces":[{"url":"https://a/g","transport":"GRPC"}]"#;
        for (json, expect) in [
            (format!(r#"{{"name":"A",{new}}}"#), "GRPC 1.0 https://a/1"),
            (format!(r#"{{"name":"A",{old}}}"#), "HTTP+JSON 0.3 https://a/3, GRPC 0.3 https://a/g"),
            (format!(r#"{{"name":"A",{old},{new}}}"#), "GRPC 1.0 https://a/1"),
            (r#"{"name":"A","url":"https://a/2"}"#.to_owned(), "JSONRPC 0.3 https://a/2"),
            (
                format!(r#"{{"name":"A","supportedInterfaces":[],{old}}}"#),
                "HTTP+JSON 0.3 https://a/3, GRPC 0.3 https://a/g",
            ),
            (format!("{{{new}}}"), "it is not an agent card: it has no name"),
            (
                r#"{"name":"A"}"#.to_owned(),
                "it is not an agent card: neither supportedInterfaces nor url has the agent's URL",
            ),
            ("[]".to_owned(), "it is not a JSON object"),
            ("<html>".to_owned(), "it is not JSON"),
            ("[".repeat(1000), "it is nested deeper than 100 levels"),
        ] {
            assert_eq!(shown(&json), expect, "{json}");
        }
        let wrong = shown(r#"{"name":"A","supportedInterfaces":7}"#);
        assert!(wrong.starts_with("it is not an agent card: "), "{wrong}");
    }
}
