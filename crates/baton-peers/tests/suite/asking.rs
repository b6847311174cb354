//! Words are said once: every place where a send can break, against every kind of peer.

use crate::{
    fake::{Cut, Kind, Script, SendFault, Server, status},
    world::{abilities, able, ask, hub_of, paused, refusal},
};
use baton_peers::{CallError, PeerCapabilities};
use baton_ports::{PeerError, PeerEvent, PeerGateway as _, PeerOutcome, PeerRequest};
use baton_types::{ErrorCode, TaskState as State};
use baton_wire::a2a::v1::TaskState;
use futures_util::StreamExt as _;
use std::sync::Arc;

/// What a peer lets us do about words whose arrival is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    Idempotent,
    Lists,
    Neither,
}

impl Means {
    fn of(self, kind: Kind) -> PeerCapabilities {
        let lists = self != Self::Neither;
        PeerCapabilities { idempotent: self == Self::Idempotent, lists_tasks: lists, ..abilities(kind) }
    }
}

async fn settled(
    server: &Arc<Server>,
    abilities: PeerCapabilities,
    ask: PeerRequest,
) -> Result<PeerOutcome, PeerError> {
    let hub = hub_of(server, abilities, None);
    heard(hub.send_message(&"peer".into(), ask).await?).await
}

async fn heard(mut stream: baton_ports::PeerStream) -> Result<PeerOutcome, PeerError> {
    let mut last = None;
    while let Some(event) = stream.next().await {
        last = Some(event?);
    }
    match last {
        Some(PeerEvent::Settled(outcome)) => Ok(*outcome),
        other => panic!("ended with {other:?}"),
    }
}

#[test]
fn a_send_that_breaks_is_never_said_twice_to_a_peer_that_would_take_it_twice() {
    use Means::{Idempotent, Lists, Neither};
    use SendFault::{AnswerLost, Busy, Gateway, NotSent, RequestLost, Unavailable};
    // Where it breaks, what the peer offers, how it ends (and with it how often it was said).
    let rows = [
        (vec![], Neither, "done", 1),
        (vec![NotSent; 3], Neither, "done", 4),
        (vec![Busy, Unavailable, NotSent], Neither, "done", 4),
        (vec![NotSent; 1000], Neither, "unreached", usize::MAX),
        (vec![Busy; 1000], Lists, "unreached", usize::MAX),
        (vec![AnswerLost], Idempotent, "done", 2),
        (vec![AnswerLost], Lists, "done", 1),
        (vec![AnswerLost], Neither, "in doubt", 1),
        (vec![RequestLost], Idempotent, "done", 2),
        (vec![RequestLost], Lists, "in doubt", 1),
        (vec![RequestLost], Neither, "in doubt", 1),
        (vec![Gateway], Idempotent, "done", 2),
        (vec![Gateway], Lists, "done", 1),
        (vec![Gateway], Neither, "in doubt", 1),
        (vec![NotSent, AnswerLost], Lists, "done", 2),
        (vec![AnswerLost, NotSent, RequestLost, AnswerLost, Busy], Idempotent, "done", 6),
        (vec![AnswerLost, NotSent], Neither, "in doubt", 1),
        (vec![SendFault::Refused], Idempotent, "refused", 1),
        (vec![SendFault::Refused], Neither, "refused", 1),
        (vec![RequestLost; 2000], Idempotent, "in doubt", usize::MAX),
    ];
    for kind in [Kind::Numbered, Kind::Snapshot, Kind::Silent] {
        for (faults, means, expected, sends) in &rows {
            let row = format!("{kind:?} {means:?} {:?}", &faults[..faults.len().min(6)]);
            let server = Server::new(kind, Script::short());
            server.fail_sends(faults.iter().copied());
            let ended = match paused(settled(&server, means.of(kind), ask("hello"))) {
                Ok(outcome) => {
                    assert_eq!(outcome.state, State::Completed, "{row}");
                    assert_eq!(server.tasks(), 1, "{row}: the work is done once");
                    "done"
                }
                Err(PeerError::Unreachable { code, .. }) => {
                    assert_eq!(code, ErrorCode::PEER_UNREACHABLE, "{row}");
                    assert_eq!(server.tasks(), 0, "{row}: nothing was said");
                    "unreached"
                }
                Err(PeerError::InDoubt(_)) => "in doubt",
                Err(PeerError::Refused(words)) => {
                    assert!(words.contains("refused with -32602"), "{row}: the peer's words: {words}");
                    "refused"
                }
                Err(error) => panic!("{row}: {error:?}"),
            };
            assert_eq!(ended, *expected, "{row}");
            if *sends != usize::MAX {
                assert_eq!(server.calls("send"), *sends, "{row}");
            }
            let key = server.last_call("send").is_some_and(|call| call.contains("our-words"));
            assert_eq!(key, *means == Idempotent, "{row}: the key goes to those who know it");
        }
    }
}

#[test]
fn a_stream_that_breaks_after_it_began_is_followed_and_nothing_is_sent_again() {
    for means in [Means::Idempotent, Means::Lists, Means::Neither] {
        for after in 0..6 {
            let server = Server::new(Kind::Snapshot, Script::short());
            server.cut([Cut { after, meanwhile: 1, clean: after % 2 == 0 }]);
            let ended = paused(settled(&server, means.of(Kind::Snapshot), ask("hello")));
            match (after, means) {
                // Nobody heard that the peer took it.
                (0, Means::Neither) => assert!(matches!(ended, Err(PeerError::InDoubt(_))), "{ended:?}"),
                _ => assert_eq!(ended.expect("an outcome").state, State::Completed),
            }
            let sends = if after == 0 && means == Means::Idempotent { 2 } else { 1 };
            assert_eq!((server.calls("send"), server.tasks()), (sends, 1), "{means:?} {after}");
        }
    }
}

#[test]
fn after_a_crash_words_are_found_or_said_once_more_to_those_who_take_them_once() {
    let resume = |server: &Arc<Server>, means: Means, task: Option<&str>, ask: PeerRequest| {
        paused(async {
            let hub = hub_of(server, means.of(server.kind), None);
            heard(hub.resume(&"peer".into(), ask, task.map(str::to_owned)).await?).await
        })
    };
    let done = |outcome: Result<PeerOutcome, PeerError>| outcome.is_ok_and(|outcome| outcome.state == State::Completed);
    let in_doubt = |outcome: Result<PeerOutcome, PeerError>| matches!(outcome, Err(PeerError::InDoubt(_)));

    for (means, arrived) in [
        (Means::Idempotent, true),
        (Means::Idempotent, false),
        (Means::Lists, true),
        (Means::Lists, false),
        (Means::Neither, true),
    ] {
        let server = Server::new(Kind::Snapshot, Script::short());
        // Other words of the same conversation, older and newer, and the same words elsewhere.
        server.place("older", "context", "other-words", 1);
        if arrived {
            server.place("ours", "context", "our-words", 2);
        }
        server.place("newer", "context", "more-words", 1);
        server.place("foreign", "elsewhere", "our-words", 1);
        let tasks = server.tasks();
        let ended = resume(&server, means, None, ask("hello"));
        match (means, arrived) {
            (Means::Lists, true) | (Means::Idempotent, _) => assert!(done(ended), "{means:?} {arrived}"),
            _ => assert!(in_doubt(ended), "{means:?} {arrived}"),
        }
        let said = means == Means::Idempotent && !arrived;
        assert_eq!((server.calls("send"), server.tasks() - tasks), (usize::from(said), usize::from(said)));
    }

    let server = Server::new(Kind::Snapshot, Script::short());
    server.place("ours", "context", "our-words", 2);
    assert!(done(resume(&server, Means::Neither, Some("ours"), ask("hello"))), "a task that is known is followed");
    assert_eq!(server.calls("send") + server.calls("list"), 0);

    // A message to a task that exists: its history tells.
    for (said, found) in [("our-words", true), ("earlier-words", false)] {
        let server = Server::new(Kind::Snapshot, Script::short());
        server.place("continued", "context", said, 2);
        let answer = PeerRequest { task: Some("continued".to_owned()), ..ask("hello") };
        let ended = resume(&server, Means::Neither, None, answer);
        assert!(if found { done(ended) } else { in_doubt(ended) }, "{said}");
        assert_eq!(server.calls("send"), 0);
    }

    // A peer that is starting is waited for.
    let server = Server::new(Kind::Snapshot, Script::short());
    server.place("ours", "context", "our-words", 2);
    server.fail_requests(std::iter::repeat_n(CallError::NotSent("refused".to_owned()), 20));
    assert!(done(resume(&server, Means::Lists, None, ask("hello"))));
}

#[tokio::test(start_paused = true)]
async fn words_that_are_still_on_their_way_are_waited_for() {
    let server = Server::new(Kind::Snapshot, Script::short());
    let hub = hub_of(&server, Means::Lists.of(Kind::Snapshot), None);
    let late = async {
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        server.place("ours", "context", "our-words", 2);
    };
    let peer = "peer".into();
    let (resumed, ()) = tokio::join!(hub.resume(&peer, ask("hello"), None), late);
    assert!(heard(resumed.expect("found")).await.is_ok());
}

#[test]
fn a_question_from_before_is_not_taken_for_an_answer() {
    // The task waited when our words came, and the peer shows it so until it has read them.
    let script = Script::of(vec![
        status(0, TaskState::InputRequired, Some("which city?")),
        status(1, TaskState::Working, None),
        status(2, TaskState::InputRequired, Some("which day?")),
    ]);
    for kind in [Kind::Snapshot, Kind::Silent] {
        let server = Server::new(kind, script.clone());
        server.place("task", "context", "m0", 1);
        let answer = PeerRequest { task: Some("task".to_owned()), ..ask("Paris") };
        let outcome = paused(settled(&server, abilities(kind), answer)).expect("an outcome");
        assert_eq!(outcome.state, State::InputRequired);
        assert_eq!(outcome.message.map(|message| message.text()).as_deref(), Some("which day?"), "{kind:?}");
    }
}

#[test]
fn cancel_is_tried_for_a_while_and_an_ended_task_is_as_good() {
    let refused = || CallError::NotSent("refused".to_owned());
    let run = |position: usize, troubles: Vec<CallError>| {
        let server = Server::new(Kind::Snapshot, Script::short());
        server.place("task", "context", "words", position);
        server.fail_requests(troubles);
        let result = paused(able(&server, abilities(Kind::Snapshot)).cancel("task"));
        (result, server.calls("cancel"))
    };
    assert_eq!(run(1, vec![]), (Ok(()), 1));
    assert_eq!(run(5, vec![]), (Ok(()), 1), "it has ended");
    assert_eq!(run(1, vec![refused(), CallError::ConnectionLost("reset".to_owned()), refused()]), (Ok(()), 4));
    assert!(matches!(run(1, vec![refused(); 1000]).0, Err(PeerError::Unreachable { .. })));
    assert_eq!(run(1, vec![refusal(-32600, 403)]), (Err(PeerError::Refused("it denied access: no".to_owned())), 1));
    assert_eq!(
        run(1, vec![refusal(-32600, 401)]),
        (Err(PeerError::Refused("it requires credentials: no".to_owned())), 1)
    );
}

#[tokio::test(start_paused = true)]
async fn a_notification_wakes_whoever_looks_and_only_with_its_token() {
    let server = Server::new(Kind::Silent, Script::short());
    let can = PeerCapabilities { push: true, ..abilities(Kind::Silent) };
    let hub = hub_of(&server, can, Some("https://baton.example/"));
    let peer = "peer".into();
    let mut stream = hub.send_message(&peer, ask("hello")).await.expect("the words arrive");
    assert!(matches!(stream.next().await, Some(Ok(PeerEvent::Accepted { .. }))));
    // The peer is busy for now, so that nobody looks for a while.
    server.fail_requests([CallError::Refused {
        code: -32600,
        status: 429,
        message: "later".to_owned(),
        retry_after: Some(std::time::Duration::from_secs(300)),
    }]);
    let follower = tokio::spawn(async move { stream.map(|event| event.expect("heard")).collect::<Vec<_>>().await });
    while server.calls("get") == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let asked = server.last_call("push").expect("it was asked to notify");
    let mut words = asked.split(' ').skip(1);
    let (url, token) = (words.next().expect("a URL"), words.next().expect("a token"));
    let registration = url.strip_prefix("https://baton.example/api/v1/peers/notifications/").expect("our address");
    assert!(
        !hub.handle_notification(registration, None).await && !hub.handle_notification(registration, Some("x")).await
    );
    assert!(!hub.handle_notification("other", Some(token)).await);
    let before = tokio::time::Instant::now();
    assert!(hub.handle_notification(registration, Some(token)).await);
    let events = follower.await.expect("it ends");
    assert!(before.elapsed() < std::time::Duration::from_secs(60), "nobody waits for the time to pass");
    assert!(matches!(events.last(), Some(PeerEvent::Settled(_))));
    assert!(hub.handle_notification(registration, Some(token)).await, "the last word may come late");
    tokio::time::advance(std::time::Duration::from_secs(11 * 60)).await;
    assert!(!hub.handle_notification(registration, Some(token)).await, "but not for ever");
}
