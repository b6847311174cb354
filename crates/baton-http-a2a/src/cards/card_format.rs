//! Selection of the card format.

use crate::version::requested as requested_version;
use http::{HeaderMap, Uri};

/// Format of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CardForm {
    /// The 1.0 members together with the 0.3 members.
    Union,
    /// Only the 1.0 members and interfaces.
    V1,
    /// Only the 0.3 members and interfaces.
    V03,
}

impl CardForm {
    /// Format for the requested version. An unsupported version gets the union: clients discover the supported versions
    /// from the card.
    pub(crate) fn from_request(headers: &HeaderMap, uri: &Uri) -> Self {
        let version = requested_version(headers, Some(uri)).unwrap_or_default();
        let mut numbers = version.split('.');
        match (numbers.next(), numbers.next()) {
            (Some("1"), _) => Self::V1,
            (Some("0"), Some("2" | "3")) => Self::V03,
            _ => Self::Union,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_their_forms() {
        for (header, uri, expect) in [
            (None, "/", CardForm::Union),
            (Some(""), "/", CardForm::Union),
            (Some("1.0"), "/", CardForm::V1),
            (Some(" 1.0.1 "), "/", CardForm::V1),
            (Some("1.1"), "/", CardForm::V1),
            (Some("1"), "/", CardForm::V1),
            (Some("0.3"), "/", CardForm::V03),
            (Some("0.3.0"), "/", CardForm::V03),
            (Some("0.2.6"), "/", CardForm::V03),
            (Some("0.1"), "/", CardForm::Union),
            (Some("10.0"), "/", CardForm::Union),
            (Some("99.0"), "/", CardForm::Union),
            (Some("one"), "/", CardForm::Union),
            (None, "/?A2A-Version=1.0", CardForm::V1),
            (Some("0.3"), "/?A2A-Version=1.0", CardForm::V03),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert("a2a-version", header.parse().unwrap());
            }
            assert_eq!(CardForm::from_request(&headers, &Uri::from_static(uri)), expect, "{header:?} {uri}");
        }
    }
}
