//! URL template of an HTTP tool. An argument cannot escape its placeholder.

use super::arguments::{self, HttpArgumentError, HttpArguments};
use baton_outbound::Target;
use std::fmt::Write as _;

/// A URL with `{name}` placeholders in the path or the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlTemplate {
    /// Scheme and authority, as written.
    origin: String,
    /// The host alone, an IPv6 address without brackets.
    host: String,
    segments: Vec<Vec<TemplatePart>>,
    pairs: Vec<Vec<TemplatePart>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Literal(String),
    Argument(String),
}

/// Invalid URL template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The fixed part is not a valid URL.
    #[error("the address {0}")]
    Address(String),
    /// A placeholder in the scheme, host or port.
    #[error("arguments are allowed only in the path and the query of the address")]
    Host,
    /// A fragment, which is never sent.
    #[error("the address has a fragment; remove the part from # on")]
    Fragment,
    /// An unbalanced brace, or an invalid placeholder name.
    #[error("a brace in the address is not closed or has no valid name; write {{name}}")]
    Brace,
    /// `.` or `..` as a segment.
    #[error("the address has the path segment '{0}'; write the path without dot segments")]
    Dots(String),
}

impl UrlTemplate {
    /// Parses a URL template.
    pub fn parse(url: &str) -> Result<Self, TemplateError> {
        if url.contains('#') {
            return Err(TemplateError::Fragment);
        }
        let after = url.find("://").map_or(0, |at| at + 3);
        let end = url[after..].find(['/', '?']).map_or(url.len(), |at| after + at);
        let (origin, rest) = url.split_at(end);
        if origin.contains(['{', '}']) {
            return Err(TemplateError::Host);
        }
        let target = Target::parse(origin).map_err(|error| TemplateError::Address(without_subject(&error)))?;
        let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
        let segments: Vec<_> =
            path.strip_prefix('/').unwrap_or(path).split('/').map(parse_parts).collect::<Result<_, _>>()?;
        let pairs: Vec<_> = query
            .into_iter()
            .flat_map(|query| query.split('&'))
            .filter(|pair| !pair.is_empty())
            .map(parse_parts)
            .collect::<Result<_, _>>()?;
        for segment in &segments {
            if let [TemplatePart::Literal(literal)] = segment.as_slice()
                && is_dots(literal)
            {
                return Err(TemplateError::Dots(literal.clone()));
            }
        }
        // The other fixed text must be valid in a URL as well.
        let literals = segments.iter().chain(&pairs).flatten().filter_map(TemplatePart::literal);
        Target::parse(&format!("{origin}/{}", literals.collect::<String>()))
            .map_err(|error| TemplateError::Address(without_subject(&error)))?;
        Ok(Self { origin: origin.to_owned(), host: target.host(), segments, pairs })
    }

    /// The host, an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The names of the placeholders.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().chain(&self.pairs).flatten().filter_map(|piece| match piece {
            TemplatePart::Argument(name) => Some(name.as_str()),
            TemplatePart::Literal(_) => None,
        })
    }

    /// The URL with the arguments filled in. A query parameter whose argument is missing is omitted; the parameters in
    /// `more` are appended.
    pub(super) fn fill(&self, arguments: &HttpArguments, more: &[(&str, String)]) -> Result<String, HttpArgumentError> {
        let mut url = self.origin.clone();
        for segment in &self.segments {
            url.push('/');
            let start = url.len();
            let mut has_argument = false;
            for piece in segment {
                match piece {
                    TemplatePart::Literal(literal) => url.push_str(literal),
                    TemplatePart::Argument(name) => {
                        has_argument = true;
                        let text =
                            arguments::plain(arguments, name)?.ok_or_else(|| HttpArgumentError::missing(name))?;
                        encode(&mut url, &text);
                    }
                }
            }
            let names = || segment.iter().find_map(TemplatePart::argument).unwrap_or_default();
            // An empty or dot segment would address another resource than the definition intends.
            if has_argument && url.len() == start {
                return Err(HttpArgumentError::empty(names()));
            }
            if has_argument && is_dots(&url[start..]) {
                return Err(HttpArgumentError::dots(names()));
            }
        }
        let mut mark = '?';
        for pair in &self.pairs {
            let mut text = String::new();
            let mut is_complete = true;
            for piece in pair {
                match piece {
                    TemplatePart::Literal(literal) => text.push_str(literal),
                    TemplatePart::Argument(name) => match arguments::plain(arguments, name)? {
                        Some(value) => encode(&mut text, &value),
                        None => is_complete = false,
                    },
                }
            }
            if is_complete {
                url.push(mark);
                url.push_str(&text);
                mark = '&';
            }
        }
        for (name, value) in more {
            url.push(mark);
            encode(&mut url, name);
            url.push('=');
            encode(&mut url, value);
            mark = '&';
        }
        Ok(url)
    }
}

impl TemplatePart {
    fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(literal) => Some(literal),
            Self::Argument(_) => None,
        }
    }

    fn argument(&self) -> Option<&str> {
        match self {
            Self::Argument(name) => Some(name),
            Self::Literal(_) => None,
        }
    }
}

fn parse_parts(text: &str) -> Result<Vec<TemplatePart>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (literal, opened) = rest.split_at(at);
        let (name, after) =
            opened.strip_prefix('{').and_then(|name| name.split_once('}')).ok_or(TemplateError::Brace)?;
        let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty() || !name.chars().all(is_allowed) {
            return Err(TemplateError::Brace);
        }
        if !literal.is_empty() {
            pieces.push(TemplatePart::Literal(literal.to_owned()));
        }
        pieces.push(TemplatePart::Argument(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(TemplatePart::Literal(rest.to_owned()));
    }
    Ok(pieces)
}

/// Percent-encodes all reserved characters.
fn encode(out: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// Whether a segment is `.` or `..`, also in encoded form.
fn is_dots(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

/// Error text without its subject "the URL".
fn without_subject(error: &baton_outbound::OutboundError) -> String {
    let text = error.to_string();
    text.strip_prefix("the URL ").unwrap_or(&text).to_owned()
}
