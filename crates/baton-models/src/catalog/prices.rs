//! Built-in prices, from the crate `genai-prices`.

use baton_ports::MicroDollars;
use baton_types::{KnownProvider, Timestamp, Usage};
use genai_prices::{Calculator, PriceRequest, Usage as Priced, UsageKey};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Custom providers on the local machine, which cost nothing.
const FREE_PROVIDERS: &[&str] = &["playbook", "lmstudio", "llamacpp", "vllm"];
/// Token count for looking up standard rates; small enough to stay below long-context rates.
const SAMPLE_TOKENS: f64 = 1_000.0;
const MILLION: f64 = 1e6;

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TokenRates {
    /// Input tokens.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
    /// Input tokens read from the cache.
    pub cached: f64,
    /// Input tokens written to the cache.
    pub cache_write: f64,
}

impl TokenRates {
    /// Price of this usage, rounded up to a millionth of a dollar so that it is never too low.
    pub fn price(&self, usage: Usage) -> MicroDollars {
        let (cached, written) = cache_tokens(usage);
        let plain = usage.input_tokens - cached - written;
        let of = |tokens: u64, rate: f64| tokens as f64 * rate;
        // One dollar per million tokens is one millionth of a dollar per token.
        let sum = of(plain, self.input)
            + of(cached, self.cached)
            + of(written, self.cache_write)
            + of(usage.output_tokens, self.output);
        to_micro_dollars(sum)
    }
}

/// Cached and cache-write tokens, limited to the input tokens.
fn cache_tokens(usage: Usage) -> (u64, u64) {
    let cached = usage.cached_tokens.min(usage.input_tokens);
    (cached, usage.cache_write_tokens.min(usage.input_tokens - cached))
}

fn to_micro_dollars(sum: f64) -> MicroDollars {
    // The tolerance keeps a floating-point error from rounding up to the next unit.
    (sum - 1e-6).ceil().max(0.0) as MicroDollars
}

pub(super) fn is_playbook(name: &str) -> bool {
    name == "playbook"
}

/// Provider id in the price data.
fn provider_id(provider: &str) -> &str {
    match KnownProvider::find(provider).and_then(|known| known.price_id) {
        Some(id) => id,
        None if provider == "aws.bedrock" => "aws",
        None if provider == "xai" => "x-ai",
        None => provider,
    }
}

fn to_system_time(at: Timestamp) -> SystemTime {
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

/// Context window of a model in the price data.
pub(super) fn window(provider: Option<&str>, model: &str) -> Option<u64> {
    if provider.is_some_and(is_free_provider) {
        // The window configured on a local server may be smaller than the maximum of the model.
        return None;
    }
    let usage = Priced::from([(UsageKey::INPUT_TOKENS, SAMPLE_TOKENS)]);
    let found = calculate((provider, model), &usage, UNIX_EPOCH)?;
    let provider = Calculator::bundled().find_provider(Some(&found.provider_id), None).ok().flatten()?;
    provider.models().find(|model| model.id() == found.model_id)?.context_window()
}

/// Standard rates of a model.
pub(super) fn rates((provider, model): (Option<&str>, &str), at: Timestamp) -> Option<TokenRates> {
    if is_free(provider, model) {
        return Some(TokenRates::default());
    }
    let rate = |keys: &[UsageKey]| {
        let usage: Priced = keys.iter().map(|key| (key.clone(), SAMPLE_TOKENS)).collect();
        Some(calculate((provider, model), &usage, to_system_time(at))?.total_price / SAMPLE_TOKENS * MILLION)
    };
    Some(TokenRates {
        input: rate(&[UsageKey::INPUT_TOKENS])?,
        output: rate(&[UsageKey::OUTPUT_TOKENS])?,
        cached: rate(&[UsageKey::INPUT_TOKENS, UsageKey::CACHE_READ_TOKENS])?,
        cache_write: rate(&[UsageKey::INPUT_TOKENS, UsageKey::CACHE_WRITE_TOKENS])?,
    })
}

/// Price of a call, including long-context rates.
pub(super) fn price((provider, model): (Option<&str>, &str), usage: Usage, at: Timestamp) -> Option<MicroDollars> {
    if is_free(provider, model) {
        return Some(0);
    }
    let (cached, written) = cache_tokens(usage);
    let priced: Priced = [
        (UsageKey::INPUT_TOKENS, usage.input_tokens as f64),
        (UsageKey::CACHE_READ_TOKENS, cached as f64),
        (UsageKey::CACHE_WRITE_TOKENS, written as f64),
        (UsageKey::OUTPUT_TOKENS, usage.output_tokens as f64),
    ]
    .into_iter()
    .collect();
    Some(to_micro_dollars(calculate((provider, model), &priced, to_system_time(at))?.total_price * MILLION))
}

fn is_free(provider: Option<&str>, model: &str) -> bool {
    provider.is_some_and(is_free_provider) || (provider.is_none() && is_playbook(model))
}

fn is_free_provider(provider: &str) -> bool {
    KnownProvider::find(provider).is_some_and(|known| known.price_id.is_none()) || FREE_PROVIDERS.contains(&provider)
}
