//! Peers are kept, by name, through restarts and without the network.

use crate::{
    fake::{Kind, Script, Server},
    world::{Scripted, abilities, ask},
};
use baton_peers::{
    CardReadOutcome, Credential, FetchedCard, LocalPeerRegistry, PeerConfig, PeerConnector, PeerHub, PeerInterface,
    PeerRegistryOptions,
};
use baton_ports::{AgentSource, BoxFuture, NewPeer, PeerError, PeerGateway as _, PeerRegistry as _, PeerRegistryError};
use baton_types::{AgentName, AgentSpec, ErrorCode, McpTransport, ModelSpec};
use baton_wire::a2a::v1::{AgentCard, AgentSkill};
use parking_lot::Mutex;
use std::{future::ready, path::Path, sync::Arc, time::Duration};

/// Cards by script; without one the peer is away.
#[derive(Default)]
struct Cards {
    card: Mutex<Option<AgentCard>>,
    reads: Mutex<Vec<Option<String>>>,
}

impl PeerConnector for Cards {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        last: Option<&'a FetchedCard>,
    ) -> BoxFuture<'a, Result<CardReadOutcome, PeerRegistryError>> {
        let etag = last.and_then(|last| last.etag.clone());
        self.reads.lock().push(etag.clone());
        let url = format!("{}/.well-known/agent-card.json", config.url);
        Box::pin(ready(match self.card.lock().clone() {
            None => Err(PeerRegistryError { code: ErrorCode::PEER_UNREACHABLE, detail: "nobody is there".to_owned() }),
            Some(card) if etag.as_ref() == Some(&card.version) => Ok(CardReadOutcome::Unchanged),
            Some(card) => {
                let etag = Some(card.version.clone());
                Ok(CardReadOutcome::Read(Box::new(FetchedCard { card, url, etag, signed_by: Some("key".to_owned()) })))
            }
        }))
    }

    fn bind(&self, config: &PeerConfig, _: &AgentCard) -> Result<PeerInterface, PeerRegistryError> {
        let server = Server::new(Kind::Snapshot, Script::short());
        let can = abilities(Kind::Snapshot);
        Scripted { server, abilities: can, name: String::new() }.bind(config, &AgentCard::default())
    }
}

fn card(name: &str, version: &str) -> AgentCard {
    let skill = AgentSkill { id: "s".to_owned(), name: "Skill".to_owned(), ..AgentSkill::default() };
    AgentCard {
        name: name.to_owned(),
        description: "Knows the weather.\u{202e}".to_owned(),
        version: version.to_owned(),
        default_input_modes: vec!["image/png".to_owned()],
        skills: vec![skill],
        ..AgentCard::default()
    }
}

/// One agent that is served here.
struct Local;

impl AgentSource for Local {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        Vec::new()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        let spec = LocalPeerRegistry::open(PeerRegistryOptions {
            configured: vec![PeerConfig { name: Some("local".into()), ..PeerConfig::at("https://x.example") }],
            file: None,
            locals: None,
            connector: Arc::new(Cards::default()),
        });
        spec.ok()?.agents().into_iter().find(|agent| agent.name == *name)
    }
}

fn open(file: &Path, configured: Vec<PeerConfig>, reach: &Arc<Cards>) -> Result<LocalPeerRegistry, PeerRegistryError> {
    let reach = Arc::clone(reach) as Arc<dyn PeerConnector>;
    LocalPeerRegistry::open(PeerRegistryOptions {
        configured,
        file: Some(file.to_owned()),
        locals: Some(Arc::new(Local)),
        connector: reach,
    })
}

fn new_peer(url: &str) -> NewPeer {
    NewPeer { url: url.to_owned(), ..NewPeer::default() }
}

#[tokio::test]
async fn added_peers_stay_and_a_start_needs_nobody() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("peers.json");
    let reach = Arc::new(Cards::default());
    *reach.card.lock() = Some(card("Weather Agent", "7"));
    let book = open(&file, vec![], &reach).expect("a book");
    let token = directory.path().join("token");
    std::fs::write(&token, "hunter2").expect("written");
    let bearer = format!("file://{}", token.display());
    let peer = NewPeer { listed: true, bearer: Some(bearer.clone()), ..new_peer("https://weather.example") };
    let known = book.add(peer).await.expect("added");
    assert_eq!(known.agent.name.as_str(), "weather-agent");
    assert_eq!(known.agent.title, "Weather Agent");
    assert_eq!(known.agent.description, "Knows the weather.");
    assert_eq!(known.agent.input_modes, ["image/png"]);
    assert_eq!(known.agent.limits.deadline, Duration::from_secs(3600));
    assert_eq!(known.agent.model, ModelSpec::Peer { url: "https://weather.example".to_owned(), listed: true });
    assert_eq!(
        (known.protocol.as_str(), known.signed_by.as_deref(), known.configured),
        ("JSONRPC 1.0", Some("key"), false)
    );

    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).expect("a file").permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
    let stored = std::fs::read_to_string(&file).expect("text");
    assert!(stored.contains(&bearer) && !stored.contains("hunter2"), "{stored}");

    *reach.card.lock() = None;
    let again = open(&file, vec![], &reach).expect("the same book");
    assert_eq!(again.agents(), book.agents());
    let (_, config) = again.client(&"weather-agent".into()).await.expect("a client");
    assert_eq!(config.credential, Credential::Bearer(bearer.parse().expect("a reference")));
    assert_eq!(reach.reads.lock().len(), 1, "nobody was asked a second time");

    again.remove(&"weather-agent".into()).await.expect("removed");
    assert!(again.agents().is_empty() && open(&file, vec![], &reach).expect("a book").agents().is_empty());
    assert_eq!(again.remove(&"weather-agent".into()).await.expect_err("gone").code, ErrorCode::AGENT_NOT_FOUND);
}

#[tokio::test]
async fn names_are_taken_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("peers.json");
    let reach = Arc::new(Cards::default());
    *reach.card.lock() = Some(card("Weather", "1"));
    let configured = PeerConfig { name: Some("fixed".into()), ..PeerConfig::at("https://fixed.example") };
    let book = open(&file, vec![configured.clone()], &reach).expect("a book");
    book.add(new_peer("https://one.example")).await.expect("added");
    let named = |name: &str| NewPeer { name: Some(name.into()), ..new_peer("https://two.example") };
    for (peer, code) in [
        (new_peer("https://two.example"), ErrorCode::ALREADY_EXISTS),
        (named("weather"), ErrorCode::ALREADY_EXISTS),
        (named("local"), ErrorCode::ALREADY_EXISTS),
        (named("fixed"), ErrorCode::ALREADY_EXISTS),
        (named("Not A Name"), ErrorCode::INVALID_REQUEST),
        (NewPeer { bearer: Some("hunter2".to_owned()), ..named("w") }, ErrorCode::CONFIG_INVALID),
        (NewPeer { bearer: Some("env://BATON_TEST_NOT_SET".to_owned()), ..named("w") }, ErrorCode::SECRET_MISSING),
    ] {
        assert_eq!(book.add(peer.clone()).await.expect_err("refused").code, code, "{peer:?}");
    }
    assert_eq!(book.remove(&"fixed".into()).await.expect_err("configured").code, ErrorCode::INVALID_REQUEST);
    let names: Vec<_> = book.peers().into_iter().map(|peer| peer.agent.name.to_string()).collect();
    assert_eq!(names, ["fixed", "weather"]);
    let twice = open(&file, vec![configured.clone(), configured], &reach);
    assert_eq!(twice.err().map(|error| error.code), Some(ErrorCode::CONFIG_INVALID));
}

#[tokio::test]
async fn cards_are_read_anew_and_the_last_one_counts_while_the_peer_is_away() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("peers.json");
    let reach = Arc::new(Cards::default());
    let named = PeerConfig { name: Some("fixed".into()), ..PeerConfig::at("https://fixed.example") };
    let nameless = PeerConfig::at("https://nameless.example");
    let book = Arc::new(open(&file, vec![named.clone(), nameless.clone()], &reach).expect("a book"));
    let titles = |book: &LocalPeerRegistry| book.agents().iter().map(|agent| agent.title.clone()).collect::<Vec<_>>();
    assert_eq!(titles(&book), ["fixed"], "it is there before anybody has seen it");
    let hub = PeerHub::new(Arc::clone(&book), None);
    let asked = hub.send_message(&"fixed".into(), ask("hello")).await.err();
    assert!(matches!(asked, Some(PeerError::Unreachable { code: ErrorCode::PEER_UNREACHABLE, .. })), "{asked:?}");
    let asked = hub.send_message(&"nobody".into(), ask("hello")).await.err();
    assert!(matches!(asked, Some(PeerError::Unreachable { code: ErrorCode::AGENT_NOT_FOUND, .. })), "{asked:?}");

    *reach.card.lock() = Some(card("First", "1"));
    let _ = book.refresh_all().await;
    assert_eq!(titles(&book), ["First", "First"]);
    assert!(book.peer(&"first".into()).is_some_and(|peer| peer.configured), "named by its card");
    *reach.card.lock() = Some(card("Second", "2"));
    let _ = book.refresh_all().await;
    assert_eq!(titles(&book), ["Second", "Second"], "names stay, titles change");
    let _ = book.refresh_all().await;
    assert_eq!(reach.reads.lock().last().cloned().flatten().as_deref(), Some("2"), "asked with what tells the version");
    *reach.card.lock() = None;
    let _ = book.refresh_all().await;
    assert_eq!(titles(&book), ["Second", "Second"]);

    let again = open(&file, vec![named.clone(), nameless], &reach).expect("the same book");
    assert_eq!(again.agents(), book.agents());
    // Whoever trusts other keys or hosts than before judges the card anew.
    let other_keys = PeerConfig { signers: vec!["thumbprint".to_owned()], ..named.clone() };
    let other_hosts = PeerConfig { hosts: vec!["elsewhere.example".to_owned()], ..named };
    for stricter in [other_keys, other_hosts] {
        assert_eq!(titles(&open(&file, vec![stricter], &reach).expect("a book")), ["fixed"]);
    }
}

#[tokio::test]
async fn a_book_that_cannot_be_written_changes_nothing_and_a_broken_one_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let reach = Arc::new(Cards::default());
    *reach.card.lock() = Some(card("Weather", "1"));
    let nowhere = directory.path().join("missing").join("peers.json");
    let book = open(&nowhere, vec![], &reach).expect("an empty book");
    let error = book.add(new_peer("https://one.example")).await.expect_err("it cannot be kept");
    assert_eq!(error.code, ErrorCode::JOURNAL_UNAVAILABLE);
    assert!(book.agents().is_empty());

    let broken = directory.path().join("peers.json");
    std::fs::write(&broken, "{").expect("written");
    assert!(open(&broken, vec![], &reach).is_err_and(|error| error.detail.contains("peers.json")));
}

#[tokio::test]
async fn peers_that_definitions_name_are_there_for_as_long_as_they_do_and_are_not_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let (file, reach) = (folder.path().join("peers.json"), Arc::new(Cards::default()));
    *reach.card.lock() = Some(card("Weather", "1"));
    let own = PeerConfig { name: Some("own".into()), push: true, ..PeerConfig::at("https://own.example/") };
    let book = open(&file, vec![own], &reach).unwrap();
    let named = |name: &str, url: &str| PeerConfig { name: Some(name.into()), ..PeerConfig::at(url) };
    let urls = || {
        let known = ["alias", "away", "own", "Not A Name"].into_iter().filter_map(|name| book.agent(&name.into()));
        known.map(|agent| format!("{} {}", agent.name, agent.model.peer_url().unwrap())).collect::<Vec<_>>()
    };
    book.set_referenced([
        named("away", "https://a.example"),
        named("away", "https://second.example"),
        named("Not A Name", "https://b.example"),
        named("own", "https://hidden.example"),
        named("alias", "https://own.example"),
    ]);
    assert_eq!(urls(), ["alias https://own.example/", "away https://a.example", "own https://own.example/"]);
    let everybodys: Vec<_> = book.agents().iter().map(|agent| agent.name.to_string()).collect();
    assert_eq!(everybodys, ["own"], "the others are there for whoever named them");
    // One that stands in the configuration under another name is reached in the same way.
    assert!(book.client(&"alias".into()).await.unwrap().1.push);
    book.client(&"away".into()).await.unwrap();
    assert_eq!(book.agent(&"away".into()).unwrap().title, "Weather");
    let reads = reach.reads.lock().len();
    book.set_referenced([named("away", "https://a.example")]);
    book.client(&"away".into()).await.unwrap();
    assert_eq!((reach.reads.lock().len(), urls().len()), (reads, 2), "the card is still known");
    let kit = book.agent_resources(&"away".into());
    let McpTransport::Http { url, headers } = &kit.servers[0].transport else { panic!("over HTTP") };
    assert_eq!((url.as_str(), headers.len(), kit.servers[0].trusted), ("https://a.example/mcp", 0, false));
    book.refresh_all().await;
    book.set_referenced([]);
    assert_eq!(urls(), ["own https://own.example/"]);
    assert!(book.agent_resources(&"away".into()).servers.is_empty());
    assert!(!std::fs::read_to_string(&file).unwrap().contains("a.example/"), "nothing of it is kept");
}
