//! Resources, environment variables and local servers.

use baton_model_registry::{EnvironmentVariables, LocalServer, LocalServerProbe, ServedModel};
use baton_ports::BoxFuture;
use baton_types::{AgentResources, AgentVariables, ProviderEntry};
use std::path::Path;

/// The value of every secret.
pub(crate) const SECRET: &str = "sk-planted-0123456789";

pub(crate) fn entry(id: &str, keys: &[(&str, &str)]) -> ProviderEntry {
    let keys = keys.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    ProviderEntry { id: id.to_owned(), keys }
}

pub(crate) fn resources(providers: &[ProviderEntry], variables: &[(&str, &str)]) -> AgentResources {
    let all = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    AgentResources { providers: providers.to_vec(), variables: AgentVariables(all), ..AgentResources::default() }
}

pub(crate) fn environment(all: &[(&str, &str)]) -> EnvironmentVariables {
    let all: Vec<(String, String)> =
        all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    EnvironmentVariables::from_fn(move |name| {
        all.iter().find(|(there, _)| there == name).map(|(_, value)| value.clone())
    })
}

/// The same with a profile file: one profile has a key pair, one has none.
pub(crate) fn with_profiles(environment: EnvironmentVariables) -> EnvironmentVariables {
    environment.with_files(|path| {
        let text = format!(
            "[work]\naws_access_key_id = work-id\naws_secret_access_key = {SECRET}\n[sso]\nsso_session = mine\n"
        );
        (path == Path::new("/people/me/.aws/credentials")).then_some(text)
    })
}

/// Running local servers.
#[derive(Default)]
pub(crate) struct ScriptedProbe(pub(crate) Vec<(LocalServer, &'static str, &'static [&'static str])>);

impl LocalServerProbe for ScriptedProbe {
    fn models(&self, server: LocalServer, url: String) -> BoxFuture<'_, Option<Vec<ServedModel>>> {
        let there = self.0.iter().find(|(known, at, _)| *known == server && *at == url);
        let models = there.map(|(_, _, ids)| ids.iter().map(|id| ServedModel { id: (*id).to_owned() }).collect());
        Box::pin(std::future::ready(models))
    }
}
