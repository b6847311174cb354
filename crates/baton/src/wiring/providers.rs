//! Every provider, whether it is ready, and its models.

use super::{
    agents::{self, Wanted},
    models::lineup,
};
use crate::{config::Settings, failure::Failure, wiring::now};
use baton_lineup::{Choice, Lineup};
use baton_models::PlaybookModels;
use baton_ports::AgentSource;
use baton_types::{AgentKit, AgentName, ErrorCode, KnownProvider, PROVIDERS, ProviderKind};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// How long a provider may take to say what it has.
const PATIENCE: Duration = Duration::from_secs(10);
/// Models of one provider that are told.
const MOST_MODELS: usize = 2_000;

/// Whether providers are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Only what is configured is told.
    Nobody,
    /// Each that is configured is asked for its models.
    Everybody,
}

/// All providers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    /// Who answers now.
    pub(crate) model: String,
    /// How it was found.
    pub(crate) why: Option<String>,
    pub(crate) providers: Vec<ProviderReport>,
}

/// One provider.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProviderReport {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) readiness: Readiness,
    /// The name of what holds its key, or its address.
    pub(crate) from: Option<String>,
    pub(crate) models: Vec<ModelReport>,
}

/// Whether a provider answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// It is configured; `live` when it has answered just now.
    Ready { live: bool },
    /// What it needs.
    Missing(String),
    /// Why it does not answer.
    Trouble(String),
}

/// One model; dollars are for a million tokens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModelReport {
    pub(crate) id: String,
    pub(crate) window: Option<u64>,
    pub(crate) max_output: Option<u64>,
    pub(crate) input: Option<f64>,
    pub(crate) output: Option<f64>,
}

impl ProviderReport {
    /// For programs.
    pub(crate) fn to_json(&self) -> Value {
        let (status, detail) = match &self.readiness {
            Readiness::Ready { live: true } => ("ready", None),
            Readiness::Ready { live: false } => ("configured", None),
            Readiness::Missing(what) => ("missing", Some(what)),
            Readiness::Trouble(what) => ("failing", Some(what)),
        };
        let models: Vec<_> = self
            .models
            .iter()
            .map(|model| {
                json!({ "id": model.id, "window": model.window, "max_output": model.max_output,
                    "input": model.input, "output": model.output })
            })
            .collect();
        json!({ "id": self.id, "title": self.title, "status": status, "detail": detail, "from": self.from, "models": models })
    }
}

/// Looks at all providers, or at one, as this agent reaches them.
pub(crate) async fn report(
    settings: &Settings,
    agent: Option<&str>,
    only: Option<&str>,
    asks: Asks,
) -> Result<Report, Failure> {
    let (locals, _) = agents::open(Wanted::all(settings))?;
    let locals: Arc<dyn AgentSource> = Arc::new(locals);
    let lineup = lineup(settings, Arc::clone(&locals), Arc::new(PlaybookModels::new()));
    if asks == Asks::Everybody {
        lineup.look().await;
    }
    let kit = match agent {
        Some(name) => {
            let name = AgentName::from(name);
            let missing = || Failure::new(ErrorCode::AGENT_NOT_FOUND, format!("there is no agent '{name}' here"));
            locals.agent(&name).ok_or_else(missing)?;
            locals.kit(&name)
        }
        None => Arc::new(AgentKit::default()),
    };
    let candidates = lineup.candidates(&kit);
    let found = candidates.first();
    let own = agent.and_then(|name| locals.agent(&AgentName::from(name)));
    let chosen = own.and_then(|agent| Choice::of(&agent, lineup.settings(), &candidates).ok());
    let house = || lineup.settings().model.clone().or_else(|| found.map(|found| found.model.clone()));
    let model = chosen.and_then(|choice| choice.models.first().cloned()).or_else(house);
    let model = model.unwrap_or_else(|| "playbook".to_owned());
    let why = found.filter(|found| found.model == model).map(|found| found.why.clone());
    let known = PROVIDERS.iter().filter(|known| !matches!(known.kind, ProviderKind::Playbook | ProviderKind::Local));
    let mut ids: Vec<&str> = known.map(|known| known.id).collect();
    let entries = kit.providers.iter().chain(&lineup.settings().providers);
    for id in entries.map(|entry| entry.id.as_str()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if let Some(only) = only {
        let only = KnownProvider::of(only).map_or(only, |known| known.id);
        ids.retain(|id| *id == only);
    }
    let providers = join_all(ids.into_iter().map(|id| provider(&lineup, id, &kit, asks))).await;
    Ok(Report { model, why, providers })
}

async fn provider(lineup: &Lineup, id: &str, kit: &AgentKit, asks: Asks) -> ProviderReport {
    let title = KnownProvider::of(id).map_or("a server of your own", |known| known.title).to_owned();
    let mut report = ProviderReport {
        id: id.to_owned(),
        title,
        readiness: Readiness::Ready { live: false },
        from: None,
        models: Vec::new(),
    };
    let reached = match lineup.provider(id, kit) {
        Ok(reached) => reached,
        Err(error) => return ProviderReport { readiness: Readiness::Missing(error.to_string()), ..report },
    };
    report.from = lineup.key_source(id, kit);
    if asks == Asks::Nobody {
        return report;
    }
    let listed = match tokio::time::timeout(PATIENCE, reached.list()).await {
        // Nobody said that it should be there.
        Ok(Err(_)) | Err(_)
            if report.from.is_none() && KnownProvider::of(id).is_some_and(|known| known.base_url.is_some()) =>
        {
            let nobody = "nobody answers where it usually is; start it, or set OLLAMA_HOST".to_owned();
            return ProviderReport { readiness: Readiness::Missing(nobody), ..report };
        }
        listed => listed,
    };
    match listed {
        Ok(Ok(listed)) => {
            report.readiness = Readiness::Ready { live: true };
            let models = listed.into_iter().take(MOST_MODELS);
            report.models = models.map(|model| described(lineup, id, model)).collect();
        }
        Ok(Err(error)) => report.readiness = Readiness::Trouble(error.to_string()),
        Err(_) => report.readiness = Readiness::Trouble("it does not answer".to_owned()),
    }
    report
}

fn described(lineup: &Lineup, id: &str, model: baton_providers::ListedModel) -> ModelReport {
    let name = format!("{id}:{}", model.id);
    let catalog = lineup.catalog();
    let known = catalog.knows_window(&name).then(|| catalog.about(&name));
    let rates = catalog.rates(&name, now());
    ModelReport {
        window: model.window.or_else(|| known.as_ref().and_then(|about| about.window)),
        max_output: model.max_output.or_else(|| known.as_ref().and_then(|about| about.max_output)),
        input: rates.map(|rates| rates.input),
        output: rates.map(|rates| rates.output),
        id: model.id,
    }
}
