//! Changes of settings, keys and local servers apply to the next call.

use crate::fixtures::{SECRET, ScriptedProbe, entry, environment, resources};
use baton_agentdir::{parse, scaffold};
use baton_model_registry::{
    EnvironmentVariables, LocalServer, ModelRegistry, ModelRegistryParts, ModelSettings, no_environment,
};
use baton_models::{ModelCatalog, PlaybookModels};
use baton_ports::{AgentSource, ModelError, ModelResolver};
use baton_types::{AgentName, AgentResources, AgentSpec, Clock, Timestamp};
use parking_lot::RwLock;
use std::sync::Arc;

/// One agent with changing resources.
struct ChangingAgent {
    agent: Arc<AgentSpec>,
    resources: RwLock<Arc<AgentResources>>,
}

impl AgentSource for ChangingAgent {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        vec![Arc::clone(&self.agent)]
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        (self.agent.name == *name).then(|| Arc::clone(&self.agent))
    }

    fn agent_resources(&self, _: &AgentName) -> Arc<AgentResources> {
        Arc::clone(&self.resources.read())
    }
}

struct NoonClock;

impl Clock for NoonClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000)
    }
}

fn agent(model: Option<&str>) -> AgentSpec {
    let files = scaffold("desk").into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
    let mut agent = parse(&files, "/agents/desk").agent.expect("an agent");
    agent.writing.model = model.map(str::to_owned);
    agent
}

fn open_registry(
    agent: AgentSpec,
    settings: ModelSettings,
    environment: EnvironmentVariables,
    probe: ScriptedProbe,
) -> (Arc<ChangingAgent>, Arc<ModelRegistry>) {
    let agents = Arc::new(ChangingAgent { agent: Arc::new(agent), resources: RwLock::default() });
    let registry = ModelRegistry::new(ModelRegistryParts {
        agents: agents.clone(),
        playbooks: Arc::new(PlaybookModels::new()),
        settings,
        environment,
        probe: Arc::new(probe),
        catalog: Arc::new(ModelCatalog::default()),
        clock: Arc::new(NoonClock),
    });
    (agents, registry)
}

fn detection_enabled() -> ModelSettings {
    ModelSettings { detects: true, ..ModelSettings::default() }
}

/// The name of the selected model, or the error.
fn selected_model(registry: &ModelRegistry, agent: &AgentSpec) -> Result<String, ModelError> {
    registry.model(agent).map(|model| model.name().to_owned())
}

#[test]
fn key_added_later_applies_without_restart() {
    let (agents, registry) = open_registry(
        agent(Some("openai:gpt-5-mini")),
        detection_enabled(),
        no_environment(),
        ScriptedProbe::default(),
    );
    let wrong = selected_model(&registry, &agents.agent).expect_err("no key").to_string();
    assert!(wrong.contains("OPENAI_API_KEY"), "{wrong}");
    *agents.resources.write() = Arc::new(resources(&[], &[("OPENAI_API_KEY", SECRET)]));
    assert_eq!(selected_model(&registry, &agents.agent).as_deref(), Ok("openai:gpt-5-mini"));
    *agents.resources.write() = Arc::new(resources(&[entry("openai", &[("api_key", "env://ELSEWHERE")])], &[]));
    let wrong = selected_model(&registry, &agents.agent).expect_err("unset").to_string();
    assert!(wrong.contains("ELSEWHERE") && !wrong.contains(SECRET), "{wrong}");
}

#[test]
fn session_can_switch_models_and_sees_its_own_error() {
    let environment = environment(&[("ANTHROPIC_API_KEY", SECRET)]);
    let (agents, registry) = open_registry(agent(None), detection_enabled(), environment, ScriptedProbe::default());
    assert_eq!(selected_model(&registry, &agents.agent).as_deref(), Ok("claude:claude-sonnet-4-5"), "detected model");
    assert_eq!(selected_model(&registry, &agent(Some("playbook"))).as_deref(), Ok("playbook"));
    assert_eq!(selected_model(&registry, &agent(Some("anthropic:other"))).as_deref(), Ok("claude:other"));
    assert!(selected_model(&registry, &agent(Some("gemini:g"))).is_err(), "no silent substitution");
    let mut chained = agent(Some("claude:one"));
    chained.writing.fallbacks = vec!["playbook".to_owned()];
    assert_eq!(selected_model(&registry, &chained).as_deref(), Ok("claude:one"));
    chained.writing.fallbacks = vec!["gemini:g".to_owned()];
    assert!(selected_model(&registry, &chained).is_err(), "an unusable fallback is reported before it is needed");
}

#[tokio::test]
async fn started_server_is_found_by_the_next_detection() {
    let ollama = ScriptedProbe(vec![(LocalServer::Ollama, "http://127.0.0.1:11434", &["qwen3:8b"])]);
    let (agents, registry) = open_registry(agent(None), detection_enabled(), no_environment(), ollama);
    assert_eq!(selected_model(&registry, &agents.agent).as_deref(), Ok("playbook"), "nothing was detected yet");
    // That call detects in the background; this one waits.
    registry.detect().await;
    assert_eq!(selected_model(&registry, &agents.agent).as_deref(), Ok("ollama:qwen3:8b"));
    let standing = registry.selection(&agents.agent).expect("a selection");
    assert!(!standing.is_playbook());
}
