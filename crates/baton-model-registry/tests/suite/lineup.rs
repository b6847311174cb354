//! What changes on disk or on this machine holds from the next call on.

use crate::sample::{SECRET, Scripted, entry, environment, kit};
use baton_agentdir::{parse, scaffold};
use baton_model_registry::{
    EnvironmentVariables, LocalServer, ModelRegistry, ModelRegistryParts, ModelSettings, no_environment,
};
use baton_models::{ModelCatalog, PlaybookModels};
use baton_ports::{AgentSource, Clock, ModelError, ModelResolver};
use baton_types::{AgentName, AgentResources, AgentSpec, Timestamp};
use parking_lot::RwLock;
use std::sync::Arc;

/// One agent, whose kit changes.
struct Desk {
    agent: Arc<AgentSpec>,
    kit: RwLock<Arc<AgentResources>>,
}

impl AgentSource for Desk {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        vec![Arc::clone(&self.agent)]
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        (self.agent.name == *name).then(|| Arc::clone(&self.agent))
    }

    fn agent_resources(&self, _: &AgentName) -> Arc<AgentResources> {
        Arc::clone(&self.kit.read())
    }
}

struct Noon;

impl Clock for Noon {
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

fn lineup(
    agent: AgentSpec,
    settings: ModelSettings,
    environment: EnvironmentVariables,
    probe: Scripted,
) -> (Arc<Desk>, Arc<ModelRegistry>) {
    let desk = Arc::new(Desk { agent: Arc::new(agent), kit: RwLock::default() });
    let lineup = ModelRegistry::new(ModelRegistryParts {
        agents: desk.clone(),
        playbooks: Arc::new(PlaybookModels::new()),
        settings,
        environment,
        probe: Arc::new(probe),
        catalog: Arc::new(ModelCatalog::default()),
        clock: Arc::new(Noon),
    });
    (desk, lineup)
}

fn finding() -> ModelSettings {
    ModelSettings { detects: true, ..ModelSettings::default() }
}

/// The name of the model that answers, or what is wrong.
fn named(lineup: &ModelRegistry, agent: &AgentSpec) -> Result<String, ModelError> {
    lineup.model(agent).map(|model| model.name().to_owned())
}

#[test]
fn a_key_that_comes_later_counts_without_a_restart() {
    let (desk, lineup) = lineup(agent(Some("openai:gpt-5-mini")), finding(), no_environment(), Scripted::default());
    let wrong = named(&lineup, &desk.agent).expect_err("no key").to_string();
    assert!(wrong.contains("OPENAI_API_KEY"), "{wrong}");
    *desk.kit.write() = Arc::new(kit(&[], &[("OPENAI_API_KEY", SECRET)]));
    assert_eq!(named(&lineup, &desk.agent).as_deref(), Ok("openai:gpt-5-mini"));
    *desk.kit.write() = Arc::new(kit(&[entry("openai", &[("api_key", "env://ELSEWHERE")])], &[]));
    let wrong = named(&lineup, &desk.agent).expect_err("unset").to_string();
    assert!(wrong.contains("ELSEWHERE") && !wrong.contains(SECRET), "{wrong}");
}

#[test]
fn a_session_switches_and_sees_its_own_error() {
    let environment = environment(&[("ANTHROPIC_API_KEY", SECRET)]);
    let (desk, lineup) = lineup(agent(None), finding(), environment, Scripted::default());
    assert_eq!(named(&lineup, &desk.agent).as_deref(), Ok("claude:claude-sonnet-4-5"), "what is found");
    assert_eq!(named(&lineup, &agent(Some("playbook"))).as_deref(), Ok("playbook"));
    assert_eq!(named(&lineup, &agent(Some("anthropic:other"))).as_deref(), Ok("claude:other"));
    assert!(named(&lineup, &agent(Some("gemini:g"))).is_err(), "never another one in silence");
    let mut chained = agent(Some("claude:one"));
    chained.writing.fallbacks = vec!["playbook".to_owned()];
    assert_eq!(named(&lineup, &chained).as_deref(), Ok("claude:one"));
    chained.writing.fallbacks = vec!["gemini:g".to_owned()];
    assert!(named(&lineup, &chained).is_err(), "a fallback that cannot work is told before it is needed");
}

#[tokio::test]
async fn a_server_that_comes_up_is_found_by_the_next_look() {
    let ollama = Scripted(vec![(LocalServer::Ollama, "http://127.0.0.1:11434", &["qwen3:8b"])]);
    let (desk, lineup) = lineup(agent(None), finding(), no_environment(), ollama);
    assert_eq!(named(&lineup, &desk.agent).as_deref(), Ok("playbook"), "nobody has looked yet");
    // That call looks in the background; this one waits for a look.
    lineup.detect().await;
    assert_eq!(named(&lineup, &desk.agent).as_deref(), Ok("ollama:qwen3:8b"));
    let standing = lineup.selection(&desk.agent).expect("somebody answers");
    assert!(!standing.is_playbook());
}
