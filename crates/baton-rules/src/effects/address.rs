//! Origins of addresses: the part that determines the receiver of a request.

use baton_types::AgentVariables;

/// Scheme, host and port of an address. Parsers disagree about unusual addresses, so any address without a plain host
/// and port is used whole as its origin, and every change of it is detected.
pub(super) fn origin(address: &str) -> String {
    plain_origin(address).unwrap_or_else(|| address.to_owned())
}

fn plain_origin(address: &str) -> Option<String> {
    let is_odd = |c: char| c == '\\' || c.is_whitespace() || c.is_control();
    if address.contains(is_odd) {
        return None;
    }
    let (scheme, rest) = address.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    if authority.is_empty() || !authority.chars().all(is_plain) {
        return None;
    }
    let authority = authority.to_ascii_lowercase();
    let host = authority.strip_suffix(default_port).unwrap_or(&authority);
    Some(format!("{scheme}://{host}"))
}

/// Expands references to the agent's own variables; other references are unchanged.
pub(super) fn fill_in(text: &str, variables: &AgentVariables) -> String {
    let AgentVariables(own) = variables;
    own.iter().filter(|(_, value)| !value.is_empty()).fold(text.to_owned(), |text, (name, value)| {
        let text = text.replace(&format!("${{{name}}}"), value).replace(&format!("${{env:{name}}}"), value);
        let text =
            fill_defaulted(&fill_defaulted(&text, &format!("${{{name}:-"), value), &format!("${{env:{name}:-"), value);
        if text == format!("env://{name}") { value.clone() } else { text }
    })
}

/// Expands references with a default value, from the prefix to the closing brace.
fn fill_defaulted(text: &str, mark: &str, value: &str) -> String {
    let (mut filled, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(mark) {
        let Some((_, behind)) = after.split_once('}') else { break };
        filled.push_str(before);
        filled.push_str(value);
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_equal_only_where_every_parser_agrees() {
        for (one, other, is_same) in [
            ("https://a.example/x", "https://a.example/y?z=1#w", true),
            ("https://A.example:443/x", "https://a.example", true),
            ("http://a.example:80", "HTTP://a.example/", true),
            ("https://a.example", "http://a.example", false),
            ("https://a.example", "https://a.example:8443", false),
            ("https://a.example", "https://a.example.evil", false),
            ("https://a.example/x", "https://a.example@evil/x", false),
            ("https://a.example/x", "https://a.example\\@evil/x", false),
            ("https://u:p@a.example/x", "https://u:p@a.example/y", false),
            ("https://a.example/x", "https://a.example\t.evil/x", false),
            ("https://${HOST}/x", "https://${HOST}/y", false),
            ("ftp://a.example/x", "ftp://a.example/y", false),
            ("a.example/x", "a.example/y", false),
        ] {
            assert_eq!(origin(one) == origin(other), is_same, "{one} {other}");
        }
    }

    #[test]
    fn agent_variables_fill_in_addresses() {
        let own = AgentVariables([("HOST".to_owned(), "a.example".to_owned())].into());
        for (text, filled) in [
            ("https://${HOST}/x", "https://a.example/x"),
            ("https://${env:HOST}/x", "https://a.example/x"),
            ("https://${HOST:-b.example}/${HOST:-c}", "https://a.example/a.example"),
            ("https://${HOST:-b", "https://${HOST:-b"),
            ("env://HOST", "a.example"),
            ("https://${OTHER}/x", "https://${OTHER}/x"),
        ] {
            assert_eq!(fill_in(text, &own), filled);
        }
    }
}
