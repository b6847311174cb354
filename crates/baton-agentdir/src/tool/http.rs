//! HTTP tools: requests to a fixed host, built from the arguments of a call.

use super::{DEFAULT_MAX_OUTPUT, DEFAULT_TIMEOUT, DeclaredParameters};
use crate::{
    mcp::is_header,
    raw::{RawHttp, RawTool},
    template::placeholders,
};
use baton_document::{DocumentReader, LocatedValue, SourceLocation};
use baton_types::{Effects, GuardRunner, HttpBody, HttpTool};

const MAX_URL: usize = 4096;
const MAX_HEADERS: usize = 64;
/// Headers controlled by the connection.
const CONNECTION_HEADERS: [&str; 8] =
    ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect"];
/// Substrings of header names that carry secrets.
const SECRET_WORDS: [&str; 7] = ["authorization", "cookie", "token", "secret", "password", "api-key", "apikey"];

/// The tool, and its default effects.
pub(super) fn resolve(
    reader: &mut DocumentReader,
    raw: &RawTool,
    http: LocatedValue<RawHttp>,
    declared: &DeclaredParameters<'_>,
) -> Option<(HttpTool, Effects)> {
    let RawHttp { method, url, headers, body } = http.value;
    let url = url.and_then(|url| address(reader, url, declared));
    let headers = checked(reader, http.location, headers);
    let method = method.unwrap_or("GET");
    if method == "GET" && body.is_some_and(|body| body != HttpBody::None) {
        reader.error(http.location, "a GET request has no body", "write `method: POST`, or leave body out");
    }
    let (effects, default_body) = match method {
        "GET" => (Effects::ReadOnly, HttpBody::None),
        "PUT" => (Effects::Idempotent, HttpBody::Json),
        "DELETE" => (Effects::Idempotent, HttpBody::None),
        _ => (Effects::Unknown, HttpBody::Json),
    };
    let tool = HttpTool {
        method: method.to_owned(),
        url: url?,
        headers,
        body: body.unwrap_or(default_body),
        timeout: raw.timeout.unwrap_or(DEFAULT_TIMEOUT),
        max_output: raw.max_output.unwrap_or(DEFAULT_MAX_OUTPUT),
    };
    Some((tool, effects))
}

/// The service of a guardrail, which always receives JSON.
pub(crate) fn guard_request(reader: &mut DocumentReader, http: LocatedValue<RawHttp>) -> Option<GuardRunner> {
    let RawHttp { method, url, headers, body } = http.value;
    if method.is_some_and(|method| method != "POST") || body.is_some_and(|body| body != HttpBody::Json) {
        reader.error(http.location, "a guardrail is always called with POST and JSON", "remove method and body");
    }
    let url = url.and_then(|url| address(reader, url, &DeclaredParameters(&serde_json::Value::Null)));
    let headers = checked(reader, http.location, headers);
    Some(GuardRunner::Http { url: url?, headers })
}

/// The URL; arguments cannot change its scheme, host and port.
fn address(
    reader: &mut DocumentReader,
    url: LocatedValue<String>,
    declared: &DeclaredParameters<'_>,
) -> Option<String> {
    let LocatedValue { location, value: url } = url;
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let Some(rest) = rest.filter(|_| url.len() <= MAX_URL) else {
        let hint = format!("write https://host/path, at most {MAX_URL} characters");
        reader.error(location, "the url is not a web address", hint);
        return None;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains(['{', '}']) {
        let hint = "write the host literally; arguments are allowed only in the path and the query";
        reader.error(location, "the host cannot be chosen by the model", hint);
        return None;
    }
    if !is_authority(host) {
        let hint = "write a host and an optional port, such as api.example.com:8443";
        reader.error(location, "the url has no valid host", hint);
        return None;
    }
    let printable = |c: char| c.is_ascii_graphic() && !matches!(c, '#' | '"' | '<' | '>' | '\\' | '^' | '`' | '|');
    if !url.chars().all(printable) {
        let hint = "percent-encode spaces and special characters, and remove #";
        reader.error(location, "the url has invalid characters", hint);
        return None;
    }
    let path = rest[host.len()..].split('?').next().unwrap_or_default();
    if let Some(dots) = path.split('/').find(|segment| matches!(*segment, "." | "..")) {
        reader.error(location, format!("the url has the path segment {dots:?}"), "write the path without dot segments");
        return None;
    }
    let balanced = url.matches('{').count() == url.matches('}').count() && !url.contains("{{");
    let Some(names) = placeholders(&url).filter(|_| balanced) else {
        let hint = "write {name} for an argument; percent-encode a brace as %7B or %7D";
        reader.error(location, "a brace in the url is not closed or encloses no valid name", hint);
        return None;
    };
    for name in names {
        if !declared.has(name) {
            let message = format!("the url uses the argument {name:?}, which parameters do not declare");
            reader.error(location, message, format!("add {name} under parameters.properties"));
        } else if !declared.requires(name) && path.contains(&format!("{{{name}}}")) {
            let message = format!("the path of the url uses the argument {name:?}, which is not required");
            reader.warning(
                location,
                message,
                format!("add {name} to parameters.required; only query arguments can be optional"),
            );
        }
    }
    Some(url)
}

pub(crate) fn is_authority(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match bracketed {
        Some(address) => !address.is_empty() && address.chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c == '.'),
        None => !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')),
    };
    is_host && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0) && !port.starts_with('+'))
}

/// Headers are stored with every run, so they must not contain a secret, only a reference to one.
fn checked(
    reader: &mut DocumentReader,
    location: SourceLocation,
    headers: Vec<(LocatedValue<String>, String)>,
) -> Vec<(String, String)> {
    if headers.len() > MAX_HEADERS {
        reader.error(location, format!("headers has {} entries", headers.len()), format!("keep it to {MAX_HEADERS}"));
        return Vec::new();
    }
    let mut good: Vec<(String, String)> = Vec::new();
    for (name, value) in headers {
        let LocatedValue { location, value: name } = name;
        let lower = name.to_ascii_lowercase();
        if !is_header(&name) || CONNECTION_HEADERS.contains(&lower.as_str()) {
            let hint = "use letters, digits and dashes, such as X-Api-Key; headers such as Host are set by Baton";
            reader.error(location, format!("a header cannot be named {name:?}"), hint);
        } else if value.chars().any(char::is_control) {
            reader.error(location, format!("the header {name:?} has control characters"), "write it on one line");
        } else if SECRET_WORDS.iter().any(|word| lower.contains(word)) && !value.contains("env://") {
            let message = format!("the header {name:?} must be a reference to the secret, not the secret itself");
            reader.error(location, message, "write env://NAME for it, as in \"Bearer env://API_TOKEN\"");
        } else if good.iter().any(|(other, _)| other.eq_ignore_ascii_case(&name)) {
            reader.error(location, format!("the header {name:?} is given twice"), "keep one of them");
        } else {
            good.push((name, value));
        }
    }
    good
}
