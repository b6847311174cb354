//! Settings from environment variables; the caller supplies their values.

use crate::{ContentCapture, EmitMode, ModeSource, Schema, TelemetrySettings};

/// Baton's variable first, then the one of ContextCore.
const MODES: [&str; 2] = ["BATON_EMIT_MODE", "CONTEXTCORE_EMIT_MODE"];
const OPT_IN: &str = "OTEL_SEMCONV_STABILITY_OPT_IN";
const LATEST: &str = "gen_ai_latest_experimental";
const CAPTURE: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

impl TelemetrySettings {
    /// Applies environment variables; returns a warning for each invalid value.
    pub fn apply_variables(&mut self, variable: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let value_of =
            |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let mut remarks = Vec::new();
        if let Some(enabled) = value_of("OTEL_ENABLED") {
            self.enabled = matches!(enabled.to_ascii_lowercase().as_str(), "true" | "1" | "yes" | "on");
        }
        if value_of("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            self.enabled = false;
        }
        for (key, value) in
            value_of("OTEL_RESOURCE_ATTRIBUTES").iter().flat_map(|list| list.split(',')).filter_map(pair)
        {
            match key.as_str() {
                "service.name" => self.service = value,
                _ => self.resource.push((key, value)),
            }
        }
        if let Some(service) = value_of("OTEL_SERVICE_NAME") {
            self.service = service;
        }
        let opted = value_of(OPT_IN).filter(|list| list.split(',').any(|word| word.trim() == LATEST));
        if let Some(list) = &opted {
            (self.mode, self.mode_source) = (EmitMode::Otel, ModeSource::OptIn(list.clone()));
            self.schema = Schema::Latest;
        }
        for name in MODES.iter().rev() {
            let Some(value) = value_of(name) else { continue };
            match EmitMode::parse(&value) {
                Some(mode) => (self.mode, self.mode_source) = (mode, ModeSource::Variable(value)),
                None => remarks.push(format!("{name}={value} is ignored: use dual, legacy or otel")),
            }
        }
        if let Some(value) = value_of("BATON_GENAI_SCHEMA") {
            match Schema::parse(&value) {
                Some(schema) => self.schema = schema,
                None => remarks.push(format!("BATON_GENAI_SCHEMA={value} is ignored: use 1.41 or latest")),
            }
        }
        if let Some(value) = value_of(CAPTURE) {
            match ContentCapture::parse(&value) {
                Some(content) => {
                    if matches!(content, ContentCapture::Event | ContentCapture::Both) {
                        remarks.push(format!("{CAPTURE}={value}: content is captured on spans only, not on events"));
                    }
                    self.content = content;
                }
                None => remarks.push(format!(
                    "{CAPTURE}={value} is ignored: use NO_CONTENT, SPAN_ONLY, EVENT_ONLY or SPAN_AND_EVENT"
                )),
            }
        }
        remarks
    }
}

fn pair(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once('=')?;
    let key = key.trim();
    (!key.is_empty()).then(|| (key.to_owned(), unescaped(value.trim())))
}

/// Decodes percent-encoding, as in W3C baggage.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| byte == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl EmitMode {
    /// Parses `dual`, `legacy` or `otel`, case-insensitively.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Dual, Self::Legacy, Self::Otel].into_iter().find(|mode| text.eq_ignore_ascii_case(mode.as_str()))
    }

    /// Name of the mode.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dual => "dual",
            Self::Legacy => "legacy",
            Self::Otel => "otel",
        }
    }
}

impl Schema {
    /// Parses `1.41` or `latest`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "1.41" | "1.41.0" => Some(Self::V1_41),
            "latest" => Some(Self::Latest),
            _ => None,
        }
    }
}

impl ContentCapture {
    /// Parses the values of the standard variable; `true` and `false` come from its first version.
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_uppercase().as_str() {
            "NO_CONTENT" | "FALSE" => Some(Self::Hidden),
            "SPAN_ONLY" | "TRUE" => Some(Self::Span),
            "EVENT_ONLY" => Some(Self::Event),
            "SPAN_AND_EVENT" => Some(Self::Both),
            _ => None,
        }
    }
}

impl ModeSource {
    /// Provider name in feature flag events.
    pub fn provider(&self) -> &'static str {
        match self {
            Self::Variable(_) => "contextcore-env",
            Self::OptIn(_) => "otel-env",
            Self::Default => "contextcore-default",
        }
    }

    /// Value of the variable.
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Variable(value) | Self::OptIn(value) => Some(value),
            Self::Default => None,
        }
    }
}
