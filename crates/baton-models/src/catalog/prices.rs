//! Prices that come with Baton, from the crate `genai-prices`.

use baton_ports::MicroDollars;
use baton_types::{Timestamp, Usage};
use genai_prices::{Calculator, PriceRequest, Usage as Priced, UsageKey};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Services of one's own machine, which nobody has to pay.
const FREE: &[&str] = &["ollama", "docker", "playbook", "local", "lmstudio", "llamacpp", "vllm"];
/// Tokens by which usual rates are found; few enough for no rate of long calls.
const SAMPLE: f64 = 1_000.0;
const MILLION: f64 = 1e6;

/// Dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Read.
    pub input: f64,
    /// Written.
    pub output: f64,
    /// Read from a cache.
    pub cached: f64,
    /// Read and written to a cache.
    pub cache_write: f64,
}

impl Rates {
    /// What this use costs, rounded up to the millionth of a dollar so that it is never too little.
    pub fn price(&self, usage: Usage) -> MicroDollars {
        let (cached, written) = parts(usage);
        let plain = usage.input_tokens - cached - written;
        let of = |tokens: u64, rate: f64| tokens as f64 * rate;
        // A dollar for a million tokens is a millionth of a dollar for each.
        let sum = of(plain, self.input)
            + of(cached, self.cached)
            + of(written, self.cache_write)
            + of(usage.output_tokens, self.output);
        micros(sum)
    }
}

/// Tokens of the cache, never more than were read.
fn parts(usage: Usage) -> (u64, u64) {
    let cached = usage.cached_tokens.min(usage.input_tokens);
    (cached, usage.cache_write_tokens.min(usage.input_tokens - cached))
}

fn micros(sum: f64) -> MicroDollars {
    // Binary fractions are a hair off; a hair must not become a whole part.
    (sum - 1e-6).ceil().max(0.0) as MicroDollars
}

pub(super) fn is_playbook(name: &str) -> bool {
    name == "playbook"
}

/// The provider as the data names it.
fn provider_id(provider: &str) -> &str {
    match provider {
        "claude" => "anthropic",
        "gemini" => "google",
        "bedrock" | "aws.bedrock" => "aws",
        "xai" => "x-ai",
        other => other,
    }
}

fn moment(at: Timestamp) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(at.as_millis()).unwrap_or(0))
}

fn calculate(
    (provider, model): (Option<&str>, &str),
    usage: &Priced,
    at: SystemTime,
) -> Option<genai_prices::PriceCalculation> {
    let mut request = PriceRequest::new(model, usage).with_timestamp(at);
    if let Some(provider) = provider {
        request = request.with_provider_id(provider_id(provider));
    }
    Calculator::bundled().calculate(&request).ok()
}

/// The window that the data has for a model.
pub(super) fn window(provider: Option<&str>, model: &str) -> Option<u64> {
    if provider.is_some_and(|provider| FREE.contains(&provider)) {
        // What a server of one's own was given is not what the model could have.
        return None;
    }
    let usage = Priced::from([(UsageKey::INPUT_TOKENS, SAMPLE)]);
    let found = calculate((provider, model), &usage, UNIX_EPOCH)?;
    let provider = Calculator::bundled().find_provider(Some(&found.provider_id), None).ok().flatten()?;
    provider.models().find(|model| model.id() == found.model_id)?.context_window()
}

/// The usual rates of a model.
pub(super) fn rates((provider, model): (Option<&str>, &str), at: Timestamp) -> Option<Rates> {
    if is_free(provider, model) {
        return Some(Rates::default());
    }
    let rate = |keys: &[UsageKey]| {
        let usage: Priced = keys.iter().map(|key| (key.clone(), SAMPLE)).collect();
        Some(calculate((provider, model), &usage, moment(at))?.total_price / SAMPLE * MILLION)
    };
    Some(Rates {
        input: rate(&[UsageKey::INPUT_TOKENS])?,
        output: rate(&[UsageKey::OUTPUT_TOKENS])?,
        cached: rate(&[UsageKey::INPUT_TOKENS, UsageKey::CACHE_READ_TOKENS])?,
        cache_write: rate(&[UsageKey::INPUT_TOKENS, UsageKey::CACHE_WRITE_TOKENS])?,
    })
}

/// What a call costs, with rates for long calls.
pub(super) fn price((provider, model): (Option<&str>, &str), usage: Usage, at: Timestamp) -> Option<MicroDollars> {
    if is_free(provider, model) {
        return Some(0);
    }
    let (cached, written) = parts(usage);
    let priced: Priced = [
        (UsageKey::INPUT_TOKENS, usage.input_tokens as f64),
        (UsageKey::CACHE_READ_TOKENS, cached as f64),
        (UsageKey::CACHE_WRITE_TOKENS, written as f64),
        (UsageKey::OUTPUT_TOKENS, usage.output_tokens as f64),
    ]
    .into_iter()
    .collect();
    Some(micros(calculate((provider, model), &priced, moment(at))?.total_price * MILLION))
}

fn is_free(provider: Option<&str>, model: &str) -> bool {
    provider.is_some_and(|provider| FREE.contains(&provider)) || (provider.is_none() && is_playbook(model))
}
