//! Matching of URIs against templates.

/// Whether a URI matches a template such as `test://items/{id}/data`; each expression matches any characters. Used only
/// to choose candidate servers; the server decides.
pub(super) fn matches_template(template: &str, uri: &str) -> bool {
    let mut pieces = literals(template).into_iter();
    let Some(first) = pieces.next() else { return false };
    let Some(mut rest) = uri.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// Literal text between the expressions.
fn literals(template: &str) -> Vec<&str> {
    let mut literals = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (literal, expression) = rest.split_at(open);
        literals.push(literal);
        let Some(close) = expression.find('}') else { return vec![template] };
        rest = &expression[close + 1..];
        if literals.len() > 64 {
            break;
        }
    }
    literals.push(rest);
    literals
}

#[cfg(test)]
mod tests {
    use super::matches_template;

    #[test]
    fn uris_match_templates() {
        for (template, uri, expect) in [
            ("test://items/{id}/data", "test://items/123/data", true),
            ("test://items/{id}/data", "test://items/123", false),
            ("test://items/{id}/data", "test://other/123/data", false),
            ("test://items/{id}", "test://items/1/2", true),
            ("test://{a}/x/{b}", "test://1/x/2", true),
            ("test://{a}/x/{b}", "test://1/y/2", false),
            ("test://plain", "test://plain", true),
            ("test://plain", "test://plainer", false),
            ("{+any}", "file:///etc", true),
            ("test://{broken", "test://{broken", true),
        ] {
            assert_eq!(matches_template(template, uri), expect, "{template} {uri}");
        }
    }
}
