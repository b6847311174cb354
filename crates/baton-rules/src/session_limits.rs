//! Limits of session settings.

use baton_types::{SessionOverrides, Thousandths};

/// Maximum length of a model name.
const MAX_MODEL_NAME_LEN: usize = 256;

/// Maximum length of a title.
const MAX_TITLE_LEN: usize = 256;

/// Error for a setting that is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{setting} {detail}")]
pub struct InvalidSetting {
    /// Name of the setting.
    pub setting: &'static str,
    /// Allowed values.
    pub detail: String,
}

/// Rejects settings that are out of range.
pub fn check_settings(settings: &SessionOverrides) -> Result<(), InvalidSetting> {
    let SessionOverrides { max_turns, max_output_tokens, context_top_k, context_top_n, .. } = settings;
    let wrong = |setting, detail: String| Err(InvalidSetting { setting, detail });
    if let Some(model) = &settings.model {
        let named = model.split_once(':').is_some_and(|(provider, model)| !provider.is_empty() && !model.is_empty());
        if !named || model.len() > MAX_MODEL_NAME_LEN || model.chars().any(char::is_control) {
            return wrong("model", "must be a provider and a model, such as openai:gpt-5".to_owned());
        }
    }
    let counts = [
        ("max_turns", *max_turns, 500),
        ("max_output_tokens", *max_output_tokens, 1_000_000),
        ("context_top_k", context_top_k.map(u32::from), 100),
        ("context_top_n", context_top_n.map(u32::from), 50),
    ];
    for (setting, value, max) in counts {
        if value.is_some_and(|value| !(1..=max).contains(&value)) {
            return wrong(setting, format!("must be from 1 to {max}"));
        }
    }
    let shares = [
        ("temperature", settings.temperature, Thousandths(2000)),
        ("top_p", settings.top_p, Thousandths(1000)),
        ("context_include_score", settings.context_include_score, Thousandths(1000)),
    ];
    for (setting, value, max) in shares {
        if value.is_some_and(|value| value > max) {
            return wrong(setting, format!("must be from 0 to {max}"));
        }
    }
    Ok(())
}

/// Validates and trims a title; an empty one is none.
pub fn check_title(title: Option<&str>) -> Result<Option<String>, InvalidSetting> {
    let Some(title) = title.map(str::trim).filter(|title| !title.is_empty()) else { return Ok(None) };
    if title.len() > MAX_TITLE_LEN || title.chars().any(char::is_control) {
        let detail = format!("must be one line of at most {MAX_TITLE_LEN} bytes");
        return Err(InvalidSetting { setting: "title", detail });
    }
    Ok(Some(title.to_owned()))
}
