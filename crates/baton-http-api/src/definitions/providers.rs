//! `/api/v1/agents/{agent}/providers`: model providers of an agent, without secrets.

use super::part::DefinitionCollection;
use baton_api::AgentProviderList;
use baton_manage::{
    Definition, ManageError, available_providers, provider, provider_change, providers, shown_provider,
};
use baton_types::{AgentChange, Json};
use serde::Serialize;
use serde_json::{Map, Value};

pub(super) struct Providers;

impl DefinitionCollection for Providers {
    const PATH: &'static str = "providers";
    const PARAMETER: &'static str = "provider";
    const NOUN: &'static str = "provider";
    const ID: &'static str = "AgentProvider";
    const PUT_NOTE: &'static str = "Replaces the entry. A value sent in its redacted form keeps the stored value.";
    type Body = Json;
    type List = AgentProviderList;
    type Entry = Map<String, Value>;

    fn all(of: &Definition) -> Self::List {
        let available = available_providers();
        AgentProviderList { providers: providers(of), available, digest: of.digest.to_string() }
    }

    fn one(of: &Definition, name: &str) -> Option<impl Serialize> {
        provider(of, name).map(shown_provider)
    }

    /// Replaces the entry. A value sent in its redacted form keeps the stored value.
    fn put(now: &Definition, name: &str, body: &Json) -> Result<AgentChange, ManageError> {
        provider_change(Some(now), name, body)
    }

    fn removal(name: String) -> AgentChange {
        AgentChange::Provider { id: name, entry: None }
    }
}
