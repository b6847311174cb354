//! Endpoints of each kind of provider.

use crate::ProviderKind;

/// Default Bedrock region.
pub(crate) const DEFAULT_REGION: &str = "us-east-1";

/// Default base address of a kind.
pub(crate) fn default_base(kind: ProviderKind, region: Option<&str>) -> Option<String> {
    Some(match kind {
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses => "https://api.openai.com/v1".to_owned(),
        ProviderKind::Anthropic => "https://api.anthropic.com/v1".to_owned(),
        ProviderKind::Gemini => "https://generativelanguage.googleapis.com/v1beta".to_owned(),
        ProviderKind::Bedrock => {
            format!("https://bedrock-runtime.{}.amazonaws.com", region.unwrap_or(DEFAULT_REGION))
        }
        ProviderKind::Ollama => "http://127.0.0.1:11434".to_owned(),
        ProviderKind::Compatible => return None,
    })
}

/// Completes a configured address: `OLLAMA_HOST` has no scheme, `ANTHROPIC_BASE_URL` no version.
pub(crate) fn complete_base(kind: ProviderKind, written: &str) -> String {
    let written = written.trim();
    let with_scheme = if written.contains("://") {
        written.to_owned()
    } else if kind == ProviderKind::Ollama {
        // A listen address is not an address to connect to.
        let host = written.replacen("0.0.0.0", "127.0.0.1", 1);
        let authority = host.trim_end_matches('/');
        let port = if authority.contains(':') || authority.contains('/') { "" } else { ":11434" };
        format!("http://{authority}{port}")
    } else {
        format!("https://{written}")
    };
    let (address, query) = match with_scheme.split_once('?') {
        Some((address, query)) => (address, format!("?{query}")),
        None => (with_scheme.as_str(), String::new()),
    };
    let address = address.trim_end_matches('/');
    let path = address.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
    let base = match kind {
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses | ProviderKind::Compatible if path.is_empty() => {
            format!("{address}/v1")
        }
        ProviderKind::Anthropic if !path.ends_with("v1") => format!("{address}/v1"),
        ProviderKind::Gemini if path.is_empty() => format!("{address}/v1beta"),
        ProviderKind::Ollama => {
            address.strip_suffix("/v1").or(address.strip_suffix("/api")).unwrap_or(address).to_owned()
        }
        _ => address.to_owned(),
    };
    format!("{base}{query}")
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

/// Endpoint for chat completions.
pub(crate) fn chat(kind: ProviderKind, base: &str, model: &str, streaming: bool) -> String {
    let path = match (kind, streaming) {
        (ProviderKind::OpenAi | ProviderKind::Compatible, _) => "chat/completions".to_owned(),
        (ProviderKind::OpenAiResponses, _) => "responses".to_owned(),
        (ProviderKind::Anthropic, _) => "messages".to_owned(),
        (ProviderKind::Gemini, true) => format!("models/{}:streamGenerateContent?alt=sse", encode_segment(model)),
        (ProviderKind::Gemini, false) => format!("models/{}:generateContent", encode_segment(model)),
        (ProviderKind::Bedrock, true) => format!("model/{}/converse-stream", encode_segment(model)),
        (ProviderKind::Bedrock, false) => format!("model/{}/converse", encode_segment(model)),
        (ProviderKind::Ollama, _) => "api/chat".to_owned(),
    };
    join_path(base, &path)
}

/// Endpoint for embeddings.
pub(crate) fn embeddings(kind: ProviderKind, base: &str, model: &str) -> String {
    match kind {
        ProviderKind::Gemini => join_path(base, &format!("models/{}:batchEmbedContents", encode_segment(model))),
        ProviderKind::Ollama => join_path(base, "api/embed"),
        _ => join_path(base, "embeddings"),
    }
}

/// Endpoint of the model list.
pub(crate) fn models(kind: ProviderKind, base: &str) -> String {
    match kind {
        ProviderKind::Ollama => join_path(base, "api/tags"),
        ProviderKind::Gemini => join_path(base, "models?pageSize=1000"),
        ProviderKind::Anthropic => join_path(base, "models?limit=1000"),
        // The Bedrock model list is on another host than the runtime.
        ProviderKind::Bedrock => join_path(
            &base.replacen("://bedrock-runtime.", "://bedrock.", 1),
            "foundation-models?byOutputModality=TEXT",
        ),
        _ => join_path(base, "models"),
    }
}

/// Region in the host of an AWS address; a request to it must be signed for this region.
pub(crate) fn region(host: &str) -> Option<&str> {
    let inside = host.strip_suffix(".amazonaws.com").or_else(|| host.strip_suffix(".amazonaws.com.cn"))?;
    let mut labels = inside.split('.').skip_while(|label| !label.starts_with("bedrock"));
    labels.nth(1)
}

/// Percent-encodes a name as one path segment.
fn encode_segment(name: &str) -> String {
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
    use ProviderKind::{Anthropic, Bedrock, Compatible, Gemini, Ollama, OpenAi};

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
            assert_eq!(complete_base(kind, written), whole, "{written}");
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
        let bedrock = chat(Bedrock, "https://b.example", "anthropic.claude-v1:0", true);
        assert_eq!(bedrock, "https://b.example/model/anthropic.claude-v1%3A0/converse-stream");
        assert_eq!(chat(OpenAi, "https://a.example/d?v=2", "m", true), "https://a.example/d/chat/completions?v=2");
        assert_eq!(
            chat(Gemini, "https://g.example/v1beta", "qq-max", true),
            "https://g.example/v1beta/models/qq-max:streamGenerateContent?alt=sse"
        );
        assert_eq!(
            models(Bedrock, "https://bedrock-runtime.eu-west-1.amazonaws.com"),
            "https://bedrock.eu-west-1.amazonaws.com/foundation-models?byOutputModality=TEXT"
        );
    }

    #[test]
    fn aws_hosts_contain_their_region() {
        for (host, named) in [
            ("bedrock-runtime.eu-west-1.amazonaws.com", Some("eu-west-1")),
            ("bedrock.us-gov-west-1.amazonaws.com", Some("us-gov-west-1")),
            ("bedrock-runtime-fips.us-east-2.amazonaws.com", Some("us-east-2")),
            ("bedrock-runtime.cn-north-1.amazonaws.com.cn", Some("cn-north-1")),
            ("vpce-0a1-b2.bedrock-runtime.eu-central-1.vpce.amazonaws.com", Some("eu-central-1")),
            ("gate.example", None),
            ("127.0.0.1", None),
            ("s3.eu-west-1.amazonaws.com", None),
        ] {
            assert_eq!(region(host), named, "{host}");
        }
    }
}
