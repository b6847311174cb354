//! Agents that are made while a program runs, kept in memory and by the program itself.

use crate::{made::make_bob, served::said};
use baton_sdk::{
    Agent, Baton, ErrorCode,
    manage::{
        AgentFiles, AgentLocation, AgentStorage, AgentStorageError, CreateAgent, Digest, ManageRole, MemoryStorage,
    },
};
use std::{collections::BTreeMap, sync::Arc};

const PAGE: &str = include_str!("../../../../docs/rust-sdk.md");
const EXAMPLE: &str = include_str!("made.rs");

#[tokio::test]
async fn the_example_of_the_page_makes_an_agent_that_answers() {
    assert!(PAGE.contains(EXAMPLE), "docs/rust-sdk.md shows another program than made.rs");
    let running = Baton::new().storage(MemoryStorage::new()).start("127.0.0.1:0").await.unwrap();
    let bob = make_bob(&running).await.unwrap();
    assert_eq!(said(&running, bob.as_str(), "hi").await, "Good day!");
    let again = make_bob(&running).await.unwrap_err();
    assert_eq!(again.code(), ErrorCode::NAME_TAKEN);
    running.stop().await;
}

/// What a program keeps wherever it likes; here it is what another storage keeps, as a database would.
#[derive(Clone, Default)]
struct Own(Arc<MemoryStorage>);

impl AgentStorage for Own {
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
async fn agents_live_in_a_storage_of_the_program_beside_its_own() {
    let own = Own::default();
    let coded = || Agent::new("coded").playbook("rules: [{ say: 'I am code.' }]");
    let running = Baton::new().agent(coded()).storage(own.clone()).start("127.0.0.1:0").await.unwrap();
    make_bob(&running).await.unwrap();
    let manager = running.manager();
    assert_eq!(manager.definition(&"bob".into()).await.unwrap().place, AgentLocation::Storage);
    let named = |name: &str| CreateAgent { name: Some(name.to_owned()), ..CreateAgent::default() };
    let taken = manager.create(named("coded"), ManageRole::Owner).await.unwrap_err();
    assert_eq!(taken.code, ErrorCode::NAME_TAKEN);
    let fixed = manager.delete(&"coded".into(), None).await.unwrap_err();
    assert_eq!(fixed.code, ErrorCode::AGENT_NOT_CHANGED);
    running.stop().await;
    assert_eq!(own.keys().unwrap(), ["bob"]);

    let running = Baton::new().agent(coded()).storage(own.clone()).start("127.0.0.1:0").await.unwrap();
    assert_eq!(said(&running, "bob", "hi").await, "Good day!", "it is there at the next start");
    assert_eq!(said(&running, "coded", "hi").await, "I am code.");
    running.manager().delete(&"bob".into(), None).await.unwrap();
    assert_eq!(own.keys().unwrap(), [""; 0]);
    running.stop().await;
}
