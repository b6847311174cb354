//! Handoffs on behalf of a remote agent: only peers that its caller allows are reached.

use crate::{
    binary::{CommandOutput, Home},
    scripted_peer::{PeerScript, ScriptedPeer},
};

/// Two remote agents; the first has its caller hand work off to the second, with a tool call.
struct PeerPair {
    first: ScriptedPeer,
    second: ScriptedPeer,
    home: Home,
}

impl PeerPair {
    /// Both peers are configured, each with its own credential.
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

    fn ask(&self, options: &[&str]) -> CommandOutput {
        self.home.run(&[&["run", self.first.url.as_str(), "go"], options].concat())
    }

    /// Checks that the second got no message and the first only its own credential.
    fn assert_second_not_called(&self, ended: &CommandOutput) {
        assert!(self.second.messages().is_empty(), "{:?} {}", self.second.seen(), ended.shown());
        let shown = self.first.seen().into_iter().filter_map(|seen| seen.authorization);
        shown.for_each(|shown| assert_eq!(shown, "Bearer first-secret"));
    }
}

#[test]
fn cli_allows_no_handoffs_and_no_credentials_by_default() {
    let peers = PeerPair::with_tool("look");
    for options in [&[][..], &["-q"], &["--json"], &["--allow-peer", "first"], &["--allow-peer", "http://127.0.0.1:1"]]
    {
        let refused = peers.ask(options);
        peers.assert_second_not_called(&refused);
        assert!(peers.second.seen().is_empty(), "{:?}", peers.second.seen());
        assert_eq!(refused.code, Some(0), "the agent continues without the handoff: {}", refused.shown());
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
fn agent_on_the_same_machine_also_requires_allow_peer() {
    let second = ScriptedPeer::serve(PeerScript { answer: "the neighbour did it".to_owned(), ..Default::default() });
    let tool = Some(("look".to_owned(), Some(second.url.clone())));
    let first = ScriptedPeer::serve(PeerScript { tool, ..Default::default() });
    let home = Home::new();
    let refused = home.run(&["run", &first.url, "go"]);
    assert!(refused.stderr.contains("BTN-4010"), "{}", refused.shown());
    assert!(second.seen().is_empty(), "{:?}", second.seen());
    let answered = home.run(&["run", &first.url, "go", "--allow-peer", &second.url]);
    assert!(answered.stdout.contains("the neighbour did it"), "{}", answered.shown());
    assert_eq!(second.messages(), [None], "no credentials are sent without configuration");
}

#[test]
fn allow_peer_requires_a_known_peer_and_a_url_target() {
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

/// An agent with this `handoffs` list that hands every message off to the first peer.
fn host(home: &Home, name: &str, handoffs: &str) {
    let playbook = "rules:\n  - when: { after_tool: handoff, failed: true }\n    say: \"failed: ${result}\"\n  \
        - when: { after_tool: handoff }\n    say: \"heard: ${result./response}\"\n  \
        - when: { turn: first }\n    call: [{ tool: handoff, args: { agent_uri: first, message: \"${user}\" } }]\n";
    home.agent(name, handoffs, playbook);
}

#[test]
fn server_allows_the_handoffs_of_the_first_agent_in_the_chain() {
    // By sampling inside of a tool call, and by the name of the handoff tool.
    for tool in ["look", "handoff"] {
        let peers = PeerPair::with_tool(tool);
        let home = &peers.home;
        host(home, "narrow", "handoffs: [first]\n");
        host(home, "open", "");
        host(home, "wide", "handoffs: [first, second]\n");
        host(home, "outer", "handoffs: [wide]\n");
        home.write("outer/playbook.yaml", HANDS_TO_WIDE);
        let (_server, _) = home.up(&["narrow", "open", "wide", "outer", "--port", "0", "--config", "baton.yaml"]);
        // `first` is called directly, by an agent that lists only `first`, by one without a list, and through `wide`,
        // which lists `second`, from `outer`, which does not.
        for agent in ["first", "narrow", "open", "outer"] {
            let refused = home.run(&["run", agent, "go", "-q"]);
            peers.assert_second_not_called(&refused);
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

/// The user at the terminal is asked once for each agent and can decline.
#[test]
#[cfg(target_os = "linux")]
fn terminal_user_decides_about_each_peer() {
    for (typed, sent) in [("n\n", 0), ("\n", 0), ("y\n", 1)] {
        let peers = PeerPair::with_tool("look");
        let command = format!("run {} go", peers.first.url);
        let (code, shown) = crate::tools::run_at_terminal(&peers.home, &command, typed);
        assert_eq!(code, Some(0), "{shown}");
        let question = format!("hand off work to {}, with your credential for it. Allow it? [y/N]", peers.second.url);
        assert!(shown.contains(&question), "{shown}");
        assert_eq!(peers.second.messages().len(), sent, "{typed:?}: {shown}");
    }
}
