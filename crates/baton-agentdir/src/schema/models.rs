//! Schemas of providers, answer format, guardrails and budgets.

use super::parts::{count, duration, list, object, one_of, text, texts, with};
use crate::raw::{MAX_BUDGET_COUNT, MAX_DOLLARS, MAX_ENTRIES, MAX_REPAIRS, ON_FAILURE};
use baton_types::{COMMON_PROVIDER_KEYS, GuardStage, PROVIDER_KINDS, PROVIDERS, ProviderKey, ProviderSetting};
use serde_json::{Map, Value, json};

/// The key `providers`, identical in `agent.yaml` and `baton.yaml`.
pub fn providers() -> Value {
    let mut properties = Map::new();
    for provider in PROVIDERS {
        let about = format!("{}.", provider.title);
        for id in [provider.id].iter().chain(provider.aliases) {
            properties.insert((*id).to_owned(), one(&about, provider.keys));
        }
    }
    let mut custom = one("A custom server; base_url is required.", &[]);
    custom["properties"]["BASE_URL"] = text("Alias of base_url.");
    custom["properties"]["API_KEY"] = text("Alias of api_key.");
    custom["anyOf"] = json!([{"required": ["base_url"]}, {"required": ["BASE_URL"]}]);
    json!({"type": "object", "maxProperties": 64, "properties": properties, "additionalProperties": custom,
        "description": "Model providers; a value is a literal, or env://NAME."})
}

fn one(about: &str, own: &[ProviderKey]) -> Value {
    let mut properties = Map::new();
    for key in own.iter().chain(&COMMON_PROVIDER_KEYS) {
        properties.insert(key.name.to_owned(), setting(key.setting));
    }
    properties.insert(
        "headers".to_owned(),
        json!({"type": "object", "maxProperties": 32, "additionalProperties": {"type": "string"},
            "description": "Headers of every request; a value may be env://NAME."}),
    );
    let mut provider = object(about, &Value::Object(properties));
    provider["type"] = json!(["object", "null"]);
    provider
}

fn setting(setting: ProviderSetting) -> Value {
    match setting {
        ProviderSetting::ApiKey => text("API key, or env://NAME of the variable that contains it."),
        ProviderSetting::BaseUrl => text("Base URL of the service."),
        ProviderSetting::AccessKeyId => text("Access key id, or env://NAME."),
        ProviderSetting::SecretAccessKey => text("Secret access key, or env://NAME."),
        ProviderSetting::SessionToken => text("Session token of temporary credentials, or env://NAME."),
        ProviderSetting::Region => text("The region, such as eu-central-1."),
        ProviderSetting::Profile => text("Name of a local credentials profile."),
        ProviderSetting::Directory => text("Directory of model files; Baton does not run them."),
        ProviderSetting::Kind => one_of("Protocol; default openai.", &PROVIDER_KINDS.map(|kind| kind.rules().name)),
        ProviderSetting::Concurrency => count("Maximum number of concurrent calls.", 1, 100_000),
        ProviderSetting::PerMinute => count("Maximum number of calls per minute.", 1, 100_000),
        ProviderSetting::FirstByteTimeout => duration("Timeout for the first chunk of a response, 10ms to 1h."),
        ProviderSetting::IdleTimeout => duration("Timeout between two chunks of a response, 10ms to 1h."),
        ProviderSetting::ConnectTimeout => duration("Connection timeout, 10ms to 1h."),
    }
}

pub(super) fn answer() -> Value {
    let answer = object(
        "Format of answers that are not plain text.",
        &json!({
            "schema": {"type": "object", "description": "JSON Schema of answers."},
            "repairs": count("Maximum number of attempts to repair an invalid answer; default 2.", 0, MAX_REPAIRS),
        }),
    );
    with(answer, &["schema"])
}

pub(super) fn guardrails() -> Value {
    let stages = GuardStage::ALL.map(GuardStage::as_str);
    let http = object(
        "A service that receives JSON with POST.",
        &json!({
            "url": text("URL of the service."),
            "method": {"enum": ["POST", "post"], "description": "Always POST."},
            "body": one_of("Always JSON.", &["json"]),
            "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Request headers; env://NAME is replaced by that environment variable."},
        }),
    );
    let mut guardrail = object(
        "One guardrail.",
        &json!({
            "name": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Name of the guardrail."},
            "on": {"oneOf": [{"enum": stages}, {"type": "array", "items": {"enum": stages}}],
                "description": "Stages that it checks."},
            "command": texts("A program that reads JSON and writes its verdict."),
            "http": with(http, &["url"]),
            "timeout": duration("Timeout; default 10s, at most 10m."),
            "on_failure": one_of("Behaviour if it is unavailable; default block.", &ON_FAILURE.map(|(name, _)| name)),
        }),
    );
    guardrail["oneOf"] = json!([{"required": ["command"]}, {"required": ["http"]}]);
    list("Guardrails on input and output, applied in this order.", MAX_ENTRIES, &with(guardrail, &["name", "on"]))
}

pub(super) fn budgets() -> Value {
    let budget = |about: &str| {
        object(
            about,
            &json!({
                "tokens": count("Input and output tokens.", 0, MAX_BUDGET_COUNT),
                "dollars": {"type": "number", "minimum": 0, "maximum": MAX_DOLLARS, "description": "Cost in dollars."},
                "tool_calls": count("Tool calls.", 0, MAX_BUDGET_COUNT),
            }),
        )
    };
    object(
        "Budgets; a call that would exceed one is not made.",
        &json!({
            "run": budget("Budget of one run."),
            "session": budget("Budget of one session."),
            "month": budget("Budget of the agent per calendar month."),
        }),
    )
}
