//! Text with places for arguments: `{name}` is one, `{{` is a brace.

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// `{` without its end, or around something that is no name.
    #[error("a `{{` is not closed or names nothing")]
    Malformed,
    /// An argument that the text needs is not there.
    #[error("the argument '{0}' is missing")]
    Missing(String),
}

/// A text that was taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template<'a> {
    pieces: Vec<Piece<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Literal(&'a str),
    Name(&'a str),
}

impl<'a> Template<'a> {
    /// Takes a text apart.
    pub fn parse(text: &'a str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (literal, inner) = (&rest[..at], &rest[at + 1..]);
            if let Some(behind) = inner.strip_prefix('{') {
                pieces.push(Piece::Literal(&rest[..=at]));
                rest = behind;
                continue;
            }
            pieces.push(Piece::Literal(literal));
            let (name, behind) = inner.split_once('}').ok_or(TemplateError::Malformed)?;
            let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            if name.is_empty() || !name.chars().all(allowed) {
                return Err(TemplateError::Malformed);
            }
            pieces.push(Piece::Name(name));
            rest = behind;
        }
        pieces.push(Piece::Literal(rest));
        Ok(Self { pieces })
    }

    /// The arguments that the text uses, as often as it does.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Name(name) => Some(*name),
            Piece::Literal(_) => None,
        })
    }

    /// The text with every name replaced by what is given for it.
    pub fn fill(&self, mut given: impl FnMut(&str) -> Option<String>) -> Result<String, TemplateError> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Name(name) => {
                    text.push_str(&given(name).ok_or_else(|| TemplateError::Missing((*name).to_owned()))?);
                }
            }
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_once() {
        let given = |name: &str| (name == "city").then(|| "{city} & {{".to_owned());
        for (text, expect) in [
            ("", Ok("")),
            ("In {city}, {city}!", Ok("In {city} & {{, {city} & {{!")),
            ("{{city} {{{city}", Ok("{city} {{city} & {{")),
            ("a } b }}", Ok("a } b }}")),
            ("{zip}", Err(TemplateError::Missing("zip".to_owned()))),
            ("{", Err(TemplateError::Malformed)),
            ("{}", Err(TemplateError::Malformed)),
            ("{ \"a\": 1 }", Err(TemplateError::Malformed)),
        ] {
            let filled = Template::parse(text).and_then(|template| template.fill(given));
            assert_eq!(filled, expect.map(str::to_owned), "{text}");
        }
        let template = Template::parse("{a}{{b}{c.d}{a}").expect("a template");
        assert_eq!(template.names().collect::<Vec<_>>(), ["a", "c.d", "a"]);
    }
}
