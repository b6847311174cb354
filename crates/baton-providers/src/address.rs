//! Addresses of providers.

use crate::protocol::ProviderProtocol;

/// Completes a configured base address: the scheme and the version may be missing.
pub(crate) fn complete_base(protocol: &dyn ProviderProtocol, written: &str) -> String {
    let written = written.trim();
    let with_scheme = if written.contains("://") { written.to_owned() } else { protocol.host_address(written) };
    let (address, query) = match with_scheme.split_once('?') {
        Some((address, query)) => (address, format!("?{query}")),
        None => (with_scheme.as_str(), String::new()),
    };
    let address = address.trim_end_matches('/');
    let path = address.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
    format!("{}{query}", protocol.complete_base(address, path))
}

/// The address with a version, unless it has a path.
pub(crate) fn with_version(address: &str, path: &str, version: &str) -> String {
    if path.is_empty() { format!("{address}/{version}") } else { address.to_owned() }
}

/// An address without its user name and password, and these two.
pub(crate) fn without_login(written: &str) -> (String, Option<(String, String)>) {
    let (scheme, rest) = match written.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), written),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let Some((login, host)) = rest[..end].rsplit_once('@') else { return (written.to_owned(), None) };
    let (name, password) = login.split_once(':').unwrap_or((login, ""));
    (format!("{scheme}{host}{}", &rest[end..]), Some((percent_decode(name), percent_decode(password))))
}

/// Values of the query parameters of an address.
pub(crate) fn query_values(url: &str) -> impl Iterator<Item = &str> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    query.split('&').filter_map(|pair| pair.split_once('=').map(|(_, value)| value))
}

/// Percent-decodes a text; invalid sequences stay unchanged.
fn percent_decode(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An endpoint below a base; the query of the base stays at the end.
pub(crate) fn join_path(base: &str, path: &str) -> String {
    let (base, query) = base.split_once('?').unwrap_or((base, ""));
    match (query.is_empty(), path.contains('?')) {
        (true, _) => format!("{base}/{path}"),
        (false, true) => format!("{base}/{path}&{query}"),
        (false, false) => format!("{base}/{path}?{query}"),
    }
}

/// Percent-encodes a name as one path segment.
pub(crate) fn encode_segment(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::protocol_for;
    use baton_types::ProviderKind::{self, Anthropic, Bedrock, Compatible, Gemini, Ollama, OpenAi};

    #[test]
    fn base_urls_are_completed() {
        for (kind, written, whole) in [
            (Ollama, "127.0.0.1:11434", "http://127.0.0.1:11434"),
            (Ollama, "0.0.0.0", "http://127.0.0.1:11434"),
            (Ollama, "https://box.example/v1/", "https://box.example"),
            (Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1"),
            (Anthropic, "https://gate.example/anthropic/v1", "https://gate.example/anthropic/v1"),
            (OpenAi, "https://gate.example", "https://gate.example/v1"),
            (OpenAi, "gate.example/openai/", "https://gate.example/openai"),
            (Compatible, "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
            (Gemini, "https://g.example", "https://g.example/v1beta"),
            (Compatible, "https://a.example/d/x/?api-version=2", "https://a.example/d/x?api-version=2"),
        ] {
            assert_eq!(complete_base(protocol_for(kind), written), whole, "{written}");
        }
    }

    #[test]
    fn logins_are_removed_from_urls() {
        for (written, url, login) in [
            ("https://a.example/v1", "https://a.example/v1", None),
            ("https://me:p%40ss@a.example/v1?k=v@w", "https://a.example/v1?k=v@w", Some(("me", "p@ss"))),
            ("me@127.0.0.1:11434", "127.0.0.1:11434", Some(("me", ""))),
            ("http://a.example/@v1", "http://a.example/@v1", None),
            ("http://u:100%@h", "http://h", Some(("u", "100%"))),
        ] {
            let login = login.map(|(name, password): (&str, &str)| (name.to_owned(), password.to_owned()));
            assert_eq!(without_login(written), (url.to_owned(), login), "{written}");
        }
        assert_eq!(query_values("https://a.example/d?v=2&key=abc").collect::<Vec<_>>(), ["2", "abc"]);
    }

    #[test]
    fn endpoints_keep_model_names_and_queries() {
        let chat =
            |kind: ProviderKind, base: &str, model: &str| join_path(base, &protocol_for(kind).chat_path(model, true));
        let bedrock = chat(Bedrock, "https://b.example", "anthropic.claude-v1:0");
        assert_eq!(bedrock, "https://b.example/model/anthropic.claude-v1%3A0/converse-stream");
        assert_eq!(chat(OpenAi, "https://a.example/d?v=2", "m"), "https://a.example/d/chat/completions?v=2");
        assert_eq!(
            chat(Gemini, "https://g.example/v1beta", "qq-max"),
            "https://g.example/v1beta/models/qq-max:streamGenerateContent?alt=sse"
        );
        assert_eq!(
            protocol_for(Bedrock).models_url("https://bedrock-runtime.eu-west-1.amazonaws.com"),
            "https://bedrock.eu-west-1.amazonaws.com/foundation-models?byOutputModality=TEXT"
        );
    }
}
