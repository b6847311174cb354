//! Lexing of attribute names and scoped intrinsics.

use crate::{AttributeRef, AttributeScope, Field, lex::TokenKind, lex_words};

const SCOPES: &[(&str, AttributeScope)] = &[
    ("span", AttributeScope::Span),
    ("resource", AttributeScope::Resource),
    ("event", AttributeScope::Event),
    ("link", AttributeScope::Link),
    ("instrumentation", AttributeScope::Instrumentation),
];

type LexResult<T> = (Result<T, String>, usize);

/// Whether the character may occur in an unquoted name.
pub(crate) fn is_name_char(next: char) -> bool {
    !next.is_whitespace() && !"{}()=~!<>&|^,".contains(next)
}

/// Whether `word.` starts an attribute.
pub(crate) fn is_scope(word: &str) -> bool {
    word == "parent" || SCOPES.iter().any(|(scope, _)| *scope == word)
}

/// Whether `word:` starts an intrinsic.
pub(crate) fn has_intrinsics(word: &str) -> bool {
    matches!(word, "span" | "trace" | "event" | "link" | "instrumentation")
}

/// Reads a name, which may have quoted parts, up to the first character that cannot belong to it.
pub(crate) fn name(text: &str) -> LexResult<String> {
    let mut name = String::new();
    let mut quoted = false;
    let mut chars = text.char_indices();
    while let Some((at, next)) = chars.next() {
        match next {
            '"' => quoted = !quoted,
            '\\' if quoted => match chars.next() {
                Some((_, escaped @ ('"' | '\\'))) => name.push(escaped),
                _ => return (Err("only `\\\"` and `\\\\` can be escaped in a name".to_owned()), at),
            },
            _ if quoted || is_name_char(next) => name.push(next),
            _ => return (Ok(name), at),
        }
    }
    if quoted { (Err("unterminated quoted name".to_owned()), text.len()) } else { (Ok(name), text.len()) }
}

/// `.x`.
pub(crate) fn unscoped(text: &str) -> LexResult<TokenKind> {
    attribute(text, ".", AttributeScope::Any, false)
}

/// `span.x`, `parent.resource.x`.
pub(crate) fn scoped(text: &str) -> LexResult<TokenKind> {
    let (of_parent, rest) = match text.strip_prefix("parent.") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let scope = SCOPES
        .iter()
        .filter(|(_, scope)| !of_parent || matches!(scope, AttributeScope::Span | AttributeScope::Resource))
        .find(|(word, _)| rest.strip_prefix(word).is_some_and(|after| after.starts_with('.')));
    match (scope, of_parent) {
        (Some((word, scope)), true) => attribute(text, &format!("parent.{word}."), *scope, true),
        (Some((word, scope)), false) => attribute(text, &format!("{word}."), *scope, false),
        (None, _) => attribute(text, "parent.", AttributeScope::Any, true),
    }
}

fn attribute(text: &str, prefix: &str, scope: AttributeScope, of_parent: bool) -> LexResult<TokenKind> {
    let (read, length) = name(text.get(prefix.len()..).unwrap_or_default());
    let end = prefix.len() + length;
    match read {
        Ok(name) if name.is_empty() => (Err(format!("expected a name after `{prefix}`")), end),
        Ok(name) => (Ok(TokenKind::Field(Field::Attribute(AttributeRef { scope, of_parent, name }))), end),
        Err(error) => (Err(error), end),
    }
}

/// `span:duration`.
pub(crate) fn scoped_intrinsic(text: &str) -> LexResult<TokenKind> {
    let end = text.find(|next: char| !(next.is_alphanumeric() || next == '_' || next == ':')).unwrap_or(text.len());
    let word = text.get(..end).unwrap_or_default();
    match lex_words::scoped_intrinsic(word) {
        Some(intrinsic) => (Ok(TokenKind::Field(Field::Intrinsic(intrinsic))), end),
        None => (Err(format!("unknown intrinsic: {word}")), end),
    }
}
