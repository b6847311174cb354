//! `settings` and `providers` of TeamSpark.

use super::value;
use crate::{
    permission::APPROVAL_MODE_KEYWORDS,
    provider,
    raw::{MAX_TOKENS, MAX_TOP_K, MAX_TOP_N, MAX_TURNS, RawContext},
    resolve,
};
use baton_document::{DocumentNode, DocumentReader, Fields};
use baton_types::{ApprovalMode, GenerationSettings, ProviderEntry, RelevanceLimits, RunLimits};

/// Settings that apply unless a session overrides them.
#[derive(Default)]
pub(super) struct TeamSparkSettings {
    pub(super) limits: RunLimits,
    pub(super) writing: GenerationSettings,
    pub(super) ask: ApprovalMode,
    pub(super) relevance: RelevanceLimits,
    /// `NOTIFICATIONS_PATH` of programs that do not define it.
    pub(super) system_path: Option<String>,
    /// Model providers.
    pub(super) providers: Vec<ProviderEntry>,
}

impl TeamSparkSettings {
    /// Reads settings and providers; invalid values are replaced by defaults.
    pub(super) fn read(
        reader: &mut DocumentReader,
        settings: Option<DocumentNode>,
        providers: Option<DocumentNode>,
    ) -> Self {
        let is_installed = providers.is_some();
        let providers = provider::read_lenient(reader, providers);
        let Some(mut fields) = settings.and_then(|node| Fields::open(reader, "settings", node)) else {
            return Self { providers, ..Self::default() };
        };
        let model = model(reader, &mut fields, is_installed.then_some(&providers[..]));
        let turns = value::integer(reader, &mut fields, "maxChatTurns", MAX_TURNS);
        let tokens = value::integer(reader, &mut fields, "maxOutputTokens", MAX_TOKENS);
        let ask = fields
            .take("toolPermission")
            .and_then(|node| reader.choice("toolPermission", &node, &APPROVAL_MODE_KEYWORDS));
        let writing = GenerationSettings {
            max_output_tokens: tokens.and_then(|tokens| u32::try_from(tokens).ok()),
            temperature: value::fraction(reader, &mut fields, "temperature", 2.0),
            top_p: value::fraction(reader, &mut fields, "topP", 1.0),
            model,
            ..GenerationSettings::default()
        };
        let context = RawContext {
            top_k: value::integer(reader, &mut fields, "contextTopK", MAX_TOP_K),
            top_n: value::integer(reader, &mut fields, "contextTopN", MAX_TOP_N),
            include_score: value::fraction(reader, &mut fields, "contextIncludeScore", 1.0),
        };
        let system_path = value::field(reader, &mut fields, "systemPath");
        // `theme` is a UI setting; `maxTurns` was never read by any version.
        let _ = [fields.take("theme"), fields.take("maxTurns")];
        fields.finish_lenient(reader);
        let usual = RunLimits::default();
        let max_turns = turns.and_then(|turns| u32::try_from(turns).ok()).unwrap_or(usual.max_turns);
        Self {
            limits: RunLimits { max_turns, ..usual },
            writing,
            ask: ask.unwrap_or_default(),
            relevance: resolve::relevance(&context),
            system_path,
            providers,
        }
    }
}

/// The model, from its current or its earlier key.
fn model(reader: &mut DocumentReader, fields: &mut Fields, providers: Option<&[ProviderEntry]>) -> Option<String> {
    let (now, earlier) = (fields.take("model"), fields.take("mostRecentModel"));
    let node = now.or(earlier)?;
    let location = node.location;
    let text = value::text(reader, "model", &node)?.trim().to_owned();
    if text.is_empty() {
        return None;
    }
    let Some(named) = resolve::named_model(&text) else {
        reader.error(location, "model is not a provider and a model", "write it as provider:model");
        return None;
    };
    let provider = named.split_once(':').map(|(provider, _)| provider);
    let is_missing = |provider: &str| providers.is_some_and(|all| !all.iter().any(|there| there.id == provider));
    if let Some(provider) = provider.filter(|provider| is_missing(provider)) {
        let message = format!("the model's provider {provider:?} is not listed under providers");
        reader.warning(location, message, format!("add `{provider}: {{}}` under providers, or choose another model"));
    }
    Some(named)
}
