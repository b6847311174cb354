//! What is said and how, as people set it.

/// Which names are used for what has an older and a newer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EmitMode {
    /// Both.
    #[default]
    Dual,
    /// The older ones.
    Legacy,
    /// The newer ones.
    Otel,
}

/// Which version of the GenAI conventions is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schema {
    /// 1.41, which shipping tools understand.
    #[default]
    V1_41,
    /// What is coming.
    Latest,
}

impl Schema {
    /// The address of the schema.
    pub fn url(self) -> &'static str {
        match self {
            Self::V1_41 => "https://opentelemetry.io/schemas/1.41.0",
            Self::Latest => "https://opentelemetry.io/schemas/gen-ai/1.42.0",
        }
    }
}

/// What models and tools read and wrote: where it may be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Content {
    /// Nowhere.
    #[default]
    Hidden,
    /// On spans.
    Span,
    /// On events of spans.
    Event,
    /// On both.
    Both,
}

impl Content {
    /// Whether attributes of spans may have it.
    pub fn on_spans(self) -> bool {
        matches!(self, Self::Span | Self::Both)
    }
}

/// What is said and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether anything is.
    pub enabled: bool,
    /// `service.name`.
    pub service: String,
    /// More attributes of the resource.
    pub resource: Vec<(String, String)>,
    /// Which names.
    pub mode: EmitMode,
    /// Why that mode.
    pub mode_source: ModeSource,
    /// Which conventions.
    pub schema: Schema,
    /// Where content may be seen.
    pub content: Content,
}

/// Who chose the emit mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ModeSource {
    /// A variable of Baton or ContextCore, with its value.
    Variable(String),
    /// `OTEL_SEMCONV_STABILITY_OPT_IN`, with its value.
    OptIn(String),
    /// Nobody.
    #[default]
    Default,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            service: "baton".to_owned(),
            resource: Vec::new(),
            mode: EmitMode::default(),
            mode_source: ModeSource::default(),
            schema: Schema::default(),
            content: Content::default(),
        }
    }
}
