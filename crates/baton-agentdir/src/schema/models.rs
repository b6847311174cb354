//! Schemas of providers, answer format, guardrails and budgets.

use super::parts::{count, duration, list, object, text, texts, with, words};
use crate::raw::{MAX_BUDGET_COUNT, MAX_DOLLARS, MAX_ENTRIES, MAX_REPAIRS, ON_FAILURE};
use baton_types::{COMMON_PROVIDER_KEYS, GuardStage, PROVIDER_KINDS, PROVIDERS, ProviderKey, ProviderSetting};
use serde_json::{Map, Value, json};

/// The key `providers`, identical in `agent.yaml` and `baton.yaml`.
pub fn providers() -> Value {
    let mut known = Map::new();
    for provider in PROVIDERS {
        let about = format!("{}.", provider.title);
        for id in [provider.id].iter().chain(provider.aliases) {
            known.insert((*id).to_owned(), one(&about, provider.keys));
        }
    }
    let mut other = one("A server of your own; base_url is needed.", &[]);
    other["properties"]["BASE_URL"] = text("The same as base_url.");
    other["properties"]["API_KEY"] = text("The same as api_key.");
    other["anyOf"] = json!([{"required": ["base_url"]}, {"required": ["BASE_URL"]}]);
    json!({"type": "object", "maxProperties": 64, "properties": known, "additionalProperties": other,
        "description": "Services that models are reached through; a value is a literal, or env://NAME."})
}

fn one(about: &str, own: &[ProviderKey]) -> Value {
    let mut properties = Map::new();
    for key in own.iter().chain(&COMMON_PROVIDER_KEYS) {
        properties.insert(key.name.to_owned(), setting(key.setting));
    }
    properties.insert(
        "headers".to_owned(),
        json!({"type": "object", "maxProperties": 32, "additionalProperties": {"type": "string"},
            "description": "Sent with every request; a value may be env://NAME."}),
    );
    let mut provider = object(about, &Value::Object(properties));
    provider["type"] = json!(["object", "null"]);
    provider
}

fn setting(setting: ProviderSetting) -> Value {
    match setting {
        ProviderSetting::ApiKey => text("The key, or env://NAME of the variable that holds it."),
        ProviderSetting::BaseUrl => text("Where the service is."),
        ProviderSetting::AccessKeyId => text("The first half of a pair of keys, or env://NAME."),
        ProviderSetting::SecretAccessKey => text("The second half, or env://NAME."),
        ProviderSetting::SessionToken => text("What makes the pair temporary, or env://NAME."),
        ProviderSetting::Region => text("The region, such as eu-central-1."),
        ProviderSetting::Profile => text("A named set of keys of this machine."),
        ProviderSetting::Directory => text("A folder of weights; Baton does not run them."),
        ProviderSetting::Kind => words("What it speaks; openai when left out.", &PROVIDER_KINDS.map(|(word, _)| word)),
        ProviderSetting::Concurrency => count("Calls at the same time.", 1, 100_000),
        ProviderSetting::PerMinute => count("Calls in a minute.", 1, 100_000),
        ProviderSetting::FirstByteTimeout => duration("Until the first piece of an answer, 10ms to 1h."),
        ProviderSetting::IdleTimeout => duration("Between two pieces of an answer, 10ms to 1h."),
        ProviderSetting::ConnectTimeout => duration("For the connection, 10ms to 1h."),
    }
}

pub(super) fn answer() -> Value {
    let answer = object(
        "The form of every answer, when it is not words.",
        &json!({
            "schema": {"type": "object", "description": "JSON Schema of it."},
            "repairs": count("How often the model may repair an answer that does not fit; 2 when left out.", 0, MAX_REPAIRS),
        }),
    );
    with(answer, &["schema"])
}

pub(super) fn guardrails() -> Value {
    let stages = GuardStage::ALL.map(GuardStage::as_str);
    let http = object(
        "A service that is sent JSON with POST.",
        &json!({
            "url": text("The address."),
            "method": {"enum": ["POST", "post"], "description": "Always POST."},
            "body": words("Always JSON.", &["json"]),
            "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Sent along; env://NAME is replaced by that environment variable."},
        }),
    );
    let mut guardrail = object(
        "One guardrail.",
        &json!({
            "name": {"type": "string", "minLength": 1, "maxLength": 64, "description": "What it is called."},
            "on": {"oneOf": [{"enum": stages}, {"type": "array", "items": {"enum": stages}}],
                "description": "What it looks at."},
            "command": texts("A program that reads JSON and writes its verdict."),
            "http": with(http, &["url"]),
            "timeout": duration("10s when left out, at most 10m."),
            "on_failure": words("What happens when it cannot be asked; block when left out.", &ON_FAILURE.map(|(word, _)| word)),
        }),
    );
    guardrail["oneOf"] = json!([{"required": ["command"]}, {"required": ["http"]}]);
    list("Who looks at what goes in and out, in this order.", MAX_ENTRIES, &with(guardrail, &["name", "on"]))
}

pub(super) fn budgets() -> Value {
    let budget = |about: &str| {
        object(
            about,
            &json!({
                "tokens": count("Tokens, read and written.", 0, MAX_BUDGET_COUNT),
                "dollars": {"type": "number", "minimum": 0, "maximum": MAX_DOLLARS, "description": "Dollars."},
                "tool_calls": count("Calls of tools.", 0, MAX_BUDGET_COUNT),
            }),
        )
    };
    object(
        "What may be used up; the call that would exceed it is not made.",
        &json!({
            "run": budget("By one run."),
            "session": budget("By one session."),
            "month": budget("By the agent in a calendar month."),
        }),
    )
}
