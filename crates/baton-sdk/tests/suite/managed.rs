//! Agents that are created at run time, stored in memory or by the program.

use crate::{made::make_bob, served::ask_agent};
use baton_sdk::{
    Agent, Baton, error_codes,
    manage::{
        AgentFiles, AgentLocation, AgentStorage, AgentStorageError, CreateAgent, Digest, ManageRole, MemoryStorage,
    },
};
use std::{collections::BTreeMap, sync::Arc};

const PAGE: &str = include_str!("../../../../docs/rust-sdk.md");
const EXAMPLE: &str = include_str!("made.rs");

#[tokio::test]
async fn documented_example_creates_an_agent_that_answers() {
    assert!(PAGE.contains(EXAMPLE), "docs/rust-sdk.md shows another program than made.rs");
    let running = Baton::new().storage(MemoryStorage::new()).start("127.0.0.1:0").await.unwrap();
    let bob = make_bob(&running).await.unwrap();
    assert_eq!(ask_agent(&running, bob.as_str(), "hi").await, "Good day!");
    let again = make_bob(&running).await.unwrap_err();
    assert_eq!(again.code(), error_codes::NAME_TAKEN);
    running.stop().await;
}

/// A storage of the program; this one delegates to memory storage.
#[derive(Clone, Default)]
struct CustomStorage(Arc<MemoryStorage>);

impl AgentStorage for CustomStorage {
    fn keys(&self) -> Result<Vec<String>, AgentStorageError> {
        self.0.keys()
    }

    fn read(&self, key: &str) -> Result<(AgentFiles, Digest), AgentStorageError> {
        self.0.read(key)
    }

    fn replace(
        &self,
        key: &str,
        expected: &Digest,
        changes: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Digest, AgentStorageError> {
        self.0.replace(key, expected, changes)
    }

    fn create(&self, key: &str, files: &AgentFiles) -> Result<Digest, AgentStorageError> {
        self.0.create(key, files)
    }

    fn remove(&self, key: &str) -> Result<(), AgentStorageError> {
        self.0.remove(key)
    }
}

#[tokio::test]
async fn stored_agents_run_beside_agents_in_code() {
    let own = CustomStorage::default();
    let coded = || Agent::new("coded").playbook("rules: [{ say: 'I am code.' }]");
    let running = Baton::new().agent(coded()).storage(own.clone()).start("127.0.0.1:0").await.unwrap();
    make_bob(&running).await.unwrap();
    let manager = running.manager();
    assert_eq!(manager.definition(&"bob".into()).await.unwrap().location, AgentLocation::Storage);
    let named = |name: &str| CreateAgent { name: Some(name.to_owned()), ..CreateAgent::default() };
    let taken = manager.create(named("coded"), ManageRole::Owner).await.unwrap_err();
    assert_eq!(taken.code, error_codes::NAME_TAKEN);
    let fixed = manager.delete(&"coded".into(), None).await.unwrap_err();
    assert_eq!(fixed.code, error_codes::AGENT_NOT_CHANGED);
    running.stop().await;
    assert_eq!(own.keys().unwrap(), ["bob"]);

    let running = Baton::new().agent(coded()).storage(own.clone()).start("127.0.0.1:0").await.unwrap();
    assert_eq!(ask_agent(&running, "bob", "hi").await, "Good day!", "the agent survives a restart");
    assert_eq!(ask_agent(&running, "coded", "hi").await, "I am code.");
    running.manager().delete(&"bob".into(), None).await.unwrap();
    assert_eq!(own.keys().unwrap(), [""; 0]);
    running.stop().await;
}
