//! The two encodings of OTLP over HTTP.

/// How a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Binary protobuf.
    Protobuf,
    /// JSON, as OTLP maps it.
    Json,
}

impl Encoding {
    /// The encoding of a media type; parameters do not matter.
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let is = |name: &str| essence.eq_ignore_ascii_case(name);
        if is("application/x-protobuf") || is("application/protobuf") {
            return Some(Self::Protobuf);
        }
        is("application/json").then_some(Self::Json)
    }

    /// The media type that answers have.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Protobuf => "application/x-protobuf",
            Self::Json => "application/json",
        }
    }
}
