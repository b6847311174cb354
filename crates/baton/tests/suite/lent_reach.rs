//! An agent elsewhere that asks for work to be handed on: it reaches what was lent to it, and no more.

use crate::{
    binary::{Ended, Home},
    scripted_peer::{PeerScript, ScriptedPeer},
};

/// Two agents elsewhere; the first has its caller ask the second, by the tool of this name.
struct Peers {
    first: ScriptedPeer,
    second: ScriptedPeer,
    home: Home,
}

impl Peers {
    /// Both stand in the configuration, each with a credential of its own.
    fn with_tool(tool: &str) -> Self {
        let second = ScriptedPeer::serve(PeerScript { answer: "the second did it".to_owned(), ..Default::default() });
        let tool = Some((tool.to_owned(), Some(second.url.clone())));
        let first = ScriptedPeer::serve(PeerScript { tool, ..Default::default() });
        let home = Home::new();
        home.write("first.txt", "first-secret");
        home.write("second.txt", "second-secret");
        let peer = |name: &str, peer: &ScriptedPeer| {
            format!("  - {{ name: {name}, url: \"{}\", bearer: \"file://{name}.txt\" }}\n", peer.url)
        };
        home.write("baton.yaml", &format!("peers:\n{}{}", peer("first", &first), peer("second", &second)));
        Self { first, second, home }
    }

    fn ask(&self, options: &[&str]) -> Ended {
        self.home.run(&[&["run", self.first.url.as_str(), "go"], options].concat())
    }

    /// Nothing was sent to the second, and nothing but its own credential to the first.
    fn second_is_left_alone(&self, ended: &Ended) {
        assert!(self.second.messages().is_empty(), "{:?} {}", self.second.seen(), ended.shown());
        let shown = self.first.seen().into_iter().filter_map(|seen| seen.authorization);
        shown.for_each(|shown| assert_eq!(shown, "Bearer first-secret"));
    }
}

#[test]
fn the_command_line_lends_neither_reach_nor_credentials_unless_it_is_told_to() {
    let peers = Peers::with_tool("look");
    for options in [&[][..], &["-q"], &["--json"], &["--allow-peer", "first"], &["--allow-peer", "http://127.0.0.1:1"]]
    {
        let refused = peers.ask(options);
        peers.second_is_left_alone(&refused);
        assert!(peers.second.seen().is_empty(), "{:?}", peers.second.seen());
        assert_eq!(refused.code, Some(0), "the agent goes on without it: {}", refused.shown());
        let flag = format!("--allow-peer {}", peers.second.url);
        assert!(refused.stderr.contains("BTN-4010") && refused.stderr.contains(&flag), "{}", refused.shown());
        assert!(refused.stderr.contains("with your credential for it"), "{}", refused.shown());
    }
    for allowed in ["second", &peers.second.url, &format!("{}/", peers.second.url)] {
        let before = peers.second.messages().len();
        let answered = peers.ask(&["--allow-peer", "first", "--allow-peer", allowed]);
        assert_eq!(answered.code, Some(0), "{}", answered.shown());
        assert!(answered.stdout.contains("the second did it"), "{}", answered.shown());
        assert!(!answered.stderr.contains("BTN-4010"), "{}", answered.shown());
        assert_eq!(peers.second.messages()[before..], [Some("Bearer second-secret".to_owned())]);
    }
}

#[test]
fn an_agent_on_the_same_machine_is_not_reached_either_and_needs_the_flag() {
    let second = ScriptedPeer::serve(PeerScript { answer: "the neighbour did it".to_owned(), ..Default::default() });
    let tool = Some(("look".to_owned(), Some(second.url.clone())));
    let first = ScriptedPeer::serve(PeerScript { tool, ..Default::default() });
    let home = Home::new();
    let refused = home.run(&["run", &first.url, "go"]);
    assert!(refused.stderr.contains("BTN-4010"), "{}", refused.shown());
    assert!(second.seen().is_empty(), "{:?}", second.seen());
    let answered = home.run(&["run", &first.url, "go", "--allow-peer", &second.url]);
    assert!(answered.stdout.contains("the neighbour did it"), "{}", answered.shown());
    assert_eq!(second.messages(), [None], "nothing is shown that nobody configured");
}

#[test]
fn a_peer_to_allow_has_to_be_known_and_is_for_addresses() {
    let home = Home::new();
    for (args, words) in [
        (["run", "http://127.0.0.1:1", "hi", "--allow-peer", "nobody"], "no peer of baton.yaml has this name"),
        (["run", "http://127.0.0.1:1", "hi", "--allow-peer", "http://"], "--allow-peer http://"),
        (["run", "weather", "hi", "--allow-peer", "http://127.0.0.1:1"], "--allow-peer requires an address"),
    ] {
        let ended = home.run(&args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.shown());
        assert!(ended.stderr.contains(words), "{args:?}: {}", ended.shown());
    }
}

/// An agent that hands all that it hears to the first peer, and lists these.
fn host(home: &Home, name: &str, handoffs: &str) {
    let playbook = "rules:\n  - when: { after_tool: handoff, failed: true }\n    say: \"failed: ${result}\"\n  \
        - when: { after_tool: handoff }\n    say: \"heard: ${result./response}\"\n  \
        - when: { turn: first }\n    call: [{ tool: handoff, args: { agent_uri: first, message: \"${user}\" } }]\n";
    home.agent(name, handoffs, playbook);
}

#[test]
fn a_server_lends_what_the_first_agent_of_the_chain_lists() {
    // By sampling from within a tool, and by the name of the tool that hands work over.
    for tool in ["look", "handoff"] {
        let peers = Peers::with_tool(tool);
        let home = &peers.home;
        host(home, "narrow", "handoffs: [first]\n");
        host(home, "open", "");
        host(home, "wide", "handoffs: [first, second]\n");
        host(home, "outer", "handoffs: [wide]\n");
        home.write("outer/playbook.yaml", HANDS_TO_WIDE);
        let (_server, _) = home.up(&["narrow", "open", "wide", "outer", "--port", "0", "--config", "baton.yaml"]);
        // `first` is asked directly, by an agent that lists only it, by one that lists nobody, and by one whose own
        // list has it but not the one of whoever began.
        for agent in ["first", "narrow", "open", "outer"] {
            let refused = home.run(&["run", agent, "go", "-q"]);
            peers.second_is_left_alone(&refused);
        }
        let answered = home.run(&["run", "wide", "go", "-q"]);
        assert_eq!(answered.code, Some(0), "{tool}: {}", answered.shown());
        assert!(answered.stdout.contains("the second did it"), "{tool}: {}", answered.shown());
        assert_eq!(peers.second.messages(), [Some("Bearer second-secret".to_owned())], "{tool}");
    }
}

const HANDS_TO_WIDE: &str = "rules:
  - { when: { after_tool: handoff }, say: \"heard: ${result./response}\" }
  - { when: { turn: first }, call: [{ tool: handoff, args: { agent_uri: wide, message: \"${user}\" } }] }";

/// A person at the terminal is asked, once for each agent, and may say no.
#[test]
#[cfg(target_os = "linux")]
fn at_a_terminal_a_person_decides() {
    for (typed, sent) in [("n\n", 0), ("\n", 0), ("y\n", 1)] {
        let peers = Peers::with_tool("look");
        let command = format!("run {} go", peers.first.url);
        let (code, shown) = crate::tools::typed(&peers.home, &command, typed);
        assert_eq!(code, Some(0), "{shown}");
        let question = format!("hand off work to {}, with your credential for it. Allow it? [y/N]", peers.second.url);
        assert!(shown.contains(&question), "{shown}");
        assert_eq!(peers.second.messages().len(), sent, "{typed:?}: {shown}");
    }
}
