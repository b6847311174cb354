//! Who answers: the models of all agents, and what people are told about them.

use super::baton::Baton;
use crate::{
    answering::{Answering, Finding, OwnModel},
    config::Settings,
    failure::Failure,
};
use baton_engine::Engine;
use baton_lineup::{Lineup, LineupError, Loopback, Parts, Reason, process_environment};
use baton_local::{SystemClock, VectorFiles};
use baton_models::{Catalog, PlaybookModels, Rates};
use baton_ports::AgentSource;
use baton_types::{AgentKit, ErrorCode};
use std::{path::Path, sync::Arc};

/// Agents whose models are looked at before a start; more would tell nobody more.
const MOST_LOOKED_AT: usize = 50;

/// The models of these agents, as the settings say; nothing was looked for yet.
pub(crate) fn lineup(settings: &Settings, agents: Arc<dyn AgentSource>, playbooks: Arc<PlaybookModels>) -> Arc<Lineup> {
    let own = settings.prices.iter().map(|price| {
        let dollars = |part: Option<crate::money::Money>| part.unwrap_or(price.input).dollars();
        let rates = Rates {
            input: price.input.dollars(),
            output: price.output.dollars(),
            cached: dollars(price.cached),
            cache_write: dollars(price.cache_write),
        };
        (price.model.clone(), rates)
    });
    Lineup::new(Parts {
        agents,
        playbooks,
        settings: settings.models.clone(),
        environment: process_environment(),
        probe: Arc::new(Loopback),
        catalog: Arc::new(Catalog::new(own)),
        clock: Arc::new(SystemClock),
    })
}

/// Who answers for agents that name nobody, and for those that do.
pub(super) fn answering(lineup: &Lineup, agents: &dyn AgentSource) -> Result<Answering, Failure> {
    // Lists need no definitions; these few do.
    let listed = agents.listed();
    let agents: Vec<_> = listed.iter().take(MOST_LOOKED_AT).filter_map(|entry| agents.agent(&entry.name)).collect();
    let settings = lineup.settings();
    let candidates = lineup.candidates(&AgentKit::default());
    if let Some(model) = &settings.model {
        let id = model.split_once(':').map(|(id, _)| id);
        id.map_or(Ok(()), |id| lineup.provider(id, &AgentKit::default()).map(drop)).map_err(|error| unready(&error))?;
    }
    let (model, why) = match (&settings.model, candidates.first()) {
        (Some(model), _) => (model.clone(), None),
        (None, Some(found)) => (found.model.clone(), Some(found.why.clone())),
        (None, None) => ("playbook".to_owned(), None),
    };
    let mut own = Vec::new();
    for agent in agents.iter().filter(|agent| !agent.is_peer()) {
        match lineup.standing(agent) {
            Err(error @ LineupError::Production(_)) => return Err(unready(&error)),
            Err(error) => own.push(OwnModel {
                agent: agent.name.to_string(),
                model: agent.writing.model.clone().unwrap_or_else(|| model.clone()),
                trouble: Some(error.to_string()),
            }),
            Ok(standing) => {
                let answers = standing.choice.models.first().cloned().unwrap_or_default();
                if standing.choice.reason == Reason::Agent || answers != model {
                    own.push(OwnModel { agent: agent.name.to_string(), model: answers, trouble: None });
                }
            }
        }
    }
    let others = candidates.iter().filter(|candidate| candidate.model != model);
    let others =
        others.map(|candidate| Finding { model: candidate.model.clone(), why: candidate.why.clone() }).collect();
    let first = agents.iter().find(|agent| !agent.is_peer()).map(|agent| agent.name.to_string());
    Ok(Answering { model, why, others, own, first })
}

/// The engine, choosing by vectors when somebody is named who makes them.
pub(super) fn with_vectors(engine: Engine, lineup: &Lineup, data: &Path) -> Result<Engine, Failure> {
    let embedder = lineup.embedder().map_err(|error| {
        Failure::new(ErrorCode::CONFIG_INVALID, format!("embeddings: {error}"))
            .hint("`baton models` shows which providers are ready and what the others need.")
    })?;
    Ok(match embedder {
        Some(embedder) => engine.with_embedder(embedder, Arc::new(VectorFiles::new(&data.join("vectors")))),
        None => engine,
    })
}

fn unready(error: &LineupError) -> Failure {
    Failure::new(ErrorCode::CONFIG_INVALID, error.to_string())
        .hint("`baton models` shows which providers are ready and what the others need.")
}

impl Baton {
    /// Looks again where agents and models come from whenever the process is told to (SIGHUP), in the background.
    #[cfg(unix)]
    pub(crate) fn look_again_when_told(&self) {
        use tokio::signal::unix::{SignalKind, signal};
        let (agents, models) = (Arc::clone(&self.agents), Arc::clone(self.models()));
        let mut told = match signal(SignalKind::hangup()) {
            Ok(told) => told,
            Err(error) => {
                tracing::warn!(%error, "SIGHUP cannot be heard; a restart looks again, too");
                return;
            }
        };
        tokio::spawn(self.stopping.clone().run_until_cancelled_owned(async move {
            while told.recv().await.is_some() {
                let unusable = agents.refresh().await;
                models.look().await;
                let found = models.candidates(&AgentKit::default());
                let model = found.first().map_or("playbook", |found| found.model.as_str());
                tracing::info!(unusable = unusable.len(), model, "looked again where agents and models come from");
            }
        }));
    }

    /// Looks again where agents and models come from when the process is told to, which it cannot be here.
    #[cfg(not(unix))]
    pub(crate) fn look_again_when_told(&self) {}
}
