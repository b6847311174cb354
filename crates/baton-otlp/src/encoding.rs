//! The two encodings of OTLP over HTTP.

/// Encoding of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Binary protobuf.
    Protobuf,
    /// OTLP JSON.
    Json,
}

impl Encoding {
    /// Encoding for a media type; parameters are ignored.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let is = |name: &str| essence.eq_ignore_ascii_case(name);
        if is("application/x-protobuf") || is("application/protobuf") {
            return Some(Self::Protobuf);
        }
        is("application/json").then_some(Self::Json)
    }

    /// Media type of responses.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Protobuf => "application/x-protobuf",
            Self::Json => "application/json",
        }
    }
}
