//! Telemetry settings.

/// Names to emit for attributes that have a legacy and a current name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EmitMode {
    /// Both names.
    #[default]
    Dual,
    /// Legacy names.
    Legacy,
    /// Current names.
    Otel,
}

/// Version of the GenAI conventions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schema {
    /// 1.41, which released tools support.
    #[default]
    V1_41,
    /// The upcoming version.
    Latest,
}

impl Schema {
    /// Schema URL.
    pub fn url(self) -> &'static str {
        match self {
            Self::V1_41 => "https://opentelemetry.io/schemas/1.41.0",
            Self::Latest => "https://opentelemetry.io/schemas/gen-ai/1.42.0",
        }
    }
}

/// Capture of model and tool content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContentCapture {
    /// Not captured.
    #[default]
    Hidden,
    /// Captured on spans.
    Span,
    /// Captured on span events.
    Event,
    /// Captured on both.
    Both,
}

impl ContentCapture {
    /// Whether span attributes may contain content.
    pub fn on_spans(self) -> bool {
        matches!(self, Self::Span | Self::Both)
    }
}

/// Telemetry settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelemetrySettings {
    /// Whether telemetry is enabled.
    pub enabled: bool,
    /// `service.name`.
    pub service: String,
    /// Additional resource attributes.
    pub resource: Vec<(String, String)>,
    /// Emit mode.
    pub mode: EmitMode,
    /// Source of the emit mode.
    pub mode_source: ModeSource,
    /// Version of the conventions.
    pub schema: Schema,
    /// Capture of content.
    pub content: ContentCapture,
}

/// Source of the emit mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ModeSource {
    /// A variable of Baton or ContextCore, with its value.
    Variable(String),
    /// `OTEL_SEMCONV_STABILITY_OPT_IN`, with its value.
    OptIn(String),
    /// The default.
    #[default]
    Default,
}

impl Default for TelemetrySettings {
    fn default() -> Self {
        Self {
            enabled: true,
            service: "baton".to_owned(),
            resource: Vec::new(),
            mode: EmitMode::default(),
            mode_source: ModeSource::default(),
            schema: Schema::default(),
            content: ContentCapture::default(),
        }
    }
}
