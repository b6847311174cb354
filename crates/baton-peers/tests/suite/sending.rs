//! A message is sent once: every point at which a send can fail, against every kind of peer.

use crate::{
    fake::{Cut, Kind, Script, SendFault, Server, status},
    fixtures::{block_on_paused, capabilities, client_with, hub_of, peer_request, refusal},
};
use baton_peers::{CallError, PeerCapabilities};
use baton_ports::{PeerError, PeerEvent, PeerGateway as _, PeerOutcome, PeerRequest};
use baton_types::{ErrorCode, TaskState as State};
use baton_wire::a2a::v1::TaskState;
use futures_util::StreamExt as _;
use std::sync::Arc;

/// Ways in which the peer allows recovery of a send with unknown outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SendRecovery {
    Idempotent,
    Lists,
    Neither,
}

impl SendRecovery {
    fn capabilities(self, kind: Kind) -> PeerCapabilities {
        let lists = self != Self::Neither;
        PeerCapabilities { idempotent: self == Self::Idempotent, lists_tasks: lists, ..capabilities(kind) }
    }
}

async fn send_and_settle(
    server: &Arc<Server>,
    capabilities: PeerCapabilities,
    peer_request: PeerRequest,
) -> Result<PeerOutcome, PeerError> {
    let hub = hub_of(server, capabilities, None);
    last_outcome(hub.send_message(&"peer".into(), peer_request).await?).await
}

async fn last_outcome(mut stream: baton_ports::PeerStream) -> Result<PeerOutcome, PeerError> {
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
fn failed_send_is_not_repeated_without_idempotency() {
    use SendFault::{Busy, Gateway, NotSent, RequestLost, ResponseLost, Unavailable};
    use SendRecovery::{Idempotent, Lists, Neither};
    // Faults, recovery of the peer, expected end, expected number of sends.
    let rows = [
        (vec![], Neither, "done", 1),
        (vec![NotSent; 3], Neither, "done", 4),
        (vec![Busy, Unavailable, NotSent], Neither, "done", 4),
        (vec![NotSent; 1000], Neither, "unreached", usize::MAX),
        (vec![Busy; 1000], Lists, "unreached", usize::MAX),
        (vec![ResponseLost], Idempotent, "done", 2),
        (vec![ResponseLost], Lists, "done", 1),
        (vec![ResponseLost], Neither, "in doubt", 1),
        (vec![RequestLost], Idempotent, "done", 2),
        (vec![RequestLost], Lists, "in doubt", 1),
        (vec![RequestLost], Neither, "in doubt", 1),
        (vec![Gateway], Idempotent, "done", 2),
        (vec![Gateway], Lists, "done", 1),
        (vec![Gateway], Neither, "in doubt", 1),
        (vec![NotSent, ResponseLost], Lists, "done", 2),
        (vec![ResponseLost, NotSent, RequestLost, ResponseLost, Busy], Idempotent, "done", 6),
        (vec![ResponseLost, NotSent], Neither, "in doubt", 1),
        (vec![SendFault::Refused], Idempotent, "refused", 1),
        (vec![SendFault::Refused], Neither, "refused", 1),
        (vec![RequestLost; 2000], Idempotent, "in doubt", usize::MAX),
    ];
    for kind in [Kind::Numbered, Kind::Snapshot, Kind::Silent] {
        for (faults, recovery, expected, sends) in &rows {
            let row = format!("{kind:?} {recovery:?} {:?}", &faults[..faults.len().min(6)]);
            let server = Server::new(kind, Script::short());
            server.fail_sends(faults.iter().copied());
            let ended =
                match block_on_paused(send_and_settle(&server, recovery.capabilities(kind), peer_request("hello"))) {
                    Ok(outcome) => {
                        assert_eq!(outcome.state, State::Completed, "{row}");
                        assert_eq!(server.tasks(), 1, "{row}: the task is created once");
                        "done"
                    }
                    Err(PeerError::Unreachable { code, .. }) => {
                        assert_eq!(code, ErrorCode::PEER_UNREACHABLE, "{row}");
                        assert_eq!(server.tasks(), 0, "{row}: nothing was sent");
                        "unreached"
                    }
                    Err(PeerError::InDoubt(_)) => "in doubt",
                    Err(PeerError::Refused(words)) => {
                        assert!(words.contains("refused with -32602"), "{row}: message of the peer: {words}");
                        "refused"
                    }
                    Err(error) => panic!("{row}: {error:?}"),
                };
            assert_eq!(ended, *expected, "{row}");
            if *sends != usize::MAX {
                assert_eq!(server.calls("send"), *sends, "{row}");
            }
            let key = server.last_call("send").is_some_and(|call| call.contains("our-words"));
            assert_eq!(key, *recovery == Idempotent, "{row}: only peers that support the key get it");
        }
    }
}

#[test]
fn broken_stream_is_resumed_without_a_second_send() {
    for recovery in [SendRecovery::Idempotent, SendRecovery::Lists, SendRecovery::Neither] {
        for after in 0..6 {
            let server = Server::new(Kind::Snapshot, Script::short());
            server.cut([Cut { after, meanwhile: 1, clean: after % 2 == 0 }]);
            let ended =
                block_on_paused(send_and_settle(&server, recovery.capabilities(Kind::Snapshot), peer_request("hello")));
            match (after, recovery) {
                // The client does not know that the peer accepted the message.
                (0, SendRecovery::Neither) => assert!(matches!(ended, Err(PeerError::InDoubt(_))), "{ended:?}"),
                _ => assert_eq!(ended.expect("an outcome").state, State::Completed),
            }
            let sends = if after == 0 && recovery == SendRecovery::Idempotent { 2 } else { 1 };
            assert_eq!((server.calls("send"), server.tasks()), (sends, 1), "{recovery:?} {after}");
        }
    }
}

#[test]
fn unknown_send_is_found_or_repeated_idempotently_after_crash() {
    let resume = |server: &Arc<Server>, recovery: SendRecovery, task: Option<&str>, peer_request: PeerRequest| {
        block_on_paused(async {
            let hub = hub_of(server, recovery.capabilities(server.kind), None);
            last_outcome(hub.resume(&"peer".into(), peer_request, task.map(str::to_owned)).await?).await
        })
    };
    let done = |outcome: Result<PeerOutcome, PeerError>| outcome.is_ok_and(|outcome| outcome.state == State::Completed);
    let in_doubt = |outcome: Result<PeerOutcome, PeerError>| matches!(outcome, Err(PeerError::InDoubt(_)));

    for (recovery, arrived) in [
        (SendRecovery::Idempotent, true),
        (SendRecovery::Idempotent, false),
        (SendRecovery::Lists, true),
        (SendRecovery::Lists, false),
        (SendRecovery::Neither, true),
    ] {
        let server = Server::new(Kind::Snapshot, Script::short());
        // Other messages of the same context, older and newer, and the same message in another context.
        server.place("older", "context", "other-words", 1);
        if arrived {
            server.place("ours", "context", "our-words", 2);
        }
        server.place("newer", "context", "more-words", 1);
        server.place("foreign", "elsewhere", "our-words", 1);
        let tasks = server.tasks();
        let ended = resume(&server, recovery, None, peer_request("hello"));
        match (recovery, arrived) {
            (SendRecovery::Lists, true) | (SendRecovery::Idempotent, _) => {
                assert!(done(ended), "{recovery:?} {arrived}");
            }
            _ => assert!(in_doubt(ended), "{recovery:?} {arrived}"),
        }
        let said = recovery == SendRecovery::Idempotent && !arrived;
        assert_eq!((server.calls("send"), server.tasks() - tasks), (usize::from(said), usize::from(said)));
    }

    let server = Server::new(Kind::Snapshot, Script::short());
    server.place("ours", "context", "our-words", 2);
    assert!(
        done(resume(&server, SendRecovery::Neither, Some("ours"), peer_request("hello"))),
        "a known task is followed"
    );
    assert_eq!(server.calls("send") + server.calls("list"), 0);

    // For a message to an existing task, the history decides.
    for (said, found) in [("our-words", true), ("earlier-words", false)] {
        let server = Server::new(Kind::Snapshot, Script::short());
        server.place("continued", "context", said, 2);
        let answer = PeerRequest { task: Some("continued".to_owned()), ..peer_request("hello") };
        let ended = resume(&server, SendRecovery::Neither, None, answer);
        assert!(if found { done(ended) } else { in_doubt(ended) }, "{said}");
        assert_eq!(server.calls("send"), 0);
    }

    // A peer that is starting is retried.
    let server = Server::new(Kind::Snapshot, Script::short());
    server.place("ours", "context", "our-words", 2);
    server.fail_requests(std::iter::repeat_n(CallError::NotSent("refused".to_owned()), 20));
    assert!(done(resume(&server, SendRecovery::Lists, None, peer_request("hello"))));
}

#[tokio::test(start_paused = true)]
async fn message_in_transit_is_found_later() {
    let server = Server::new(Kind::Snapshot, Script::short());
    let hub = hub_of(&server, SendRecovery::Lists.capabilities(Kind::Snapshot), None);
    let late = async {
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        server.place("ours", "context", "our-words", 2);
    };
    let peer = "peer".into();
    let (resumed, ()) = tokio::join!(hub.resume(&peer, peer_request("hello"), None), late);
    assert!(last_outcome(resumed.expect("found")).await.is_ok());
}

#[test]
fn earlier_question_is_not_taken_for_the_answer() {
    // The task was waiting for input when the message arrived, and the peer reports so until it has read the message.
    let script = Script::of(vec![
        status(0, TaskState::InputRequired, Some("which city?")),
        status(1, TaskState::Working, None),
        status(2, TaskState::InputRequired, Some("which day?")),
    ]);
    for kind in [Kind::Snapshot, Kind::Silent] {
        let server = Server::new(kind, script.clone());
        server.place("task", "context", "m0", 1);
        let answer = PeerRequest { task: Some("task".to_owned()), ..peer_request("Paris") };
        let outcome = block_on_paused(send_and_settle(&server, capabilities(kind), answer)).expect("an outcome");
        assert_eq!(outcome.state, State::InputRequired);
        assert_eq!(outcome.message.map(|message| message.text()).as_deref(), Some("which day?"), "{kind:?}");
    }
}

#[test]
fn cancel_is_retried_and_ended_task_counts_as_success() {
    let refused = || CallError::NotSent("refused".to_owned());
    let run = |position: usize, troubles: Vec<CallError>| {
        let server = Server::new(Kind::Snapshot, Script::short());
        server.place("task", "context", "words", position);
        server.fail_requests(troubles);
        let result = block_on_paused(client_with(&server, capabilities(Kind::Snapshot)).cancel("task"));
        (result, server.calls("cancel"))
    };
    assert_eq!(run(1, vec![]), (Ok(()), 1));
    assert_eq!(run(5, vec![]), (Ok(()), 1), "the task has ended");
    assert_eq!(run(1, vec![refused(), CallError::ConnectionLost("reset".to_owned()), refused()]), (Ok(()), 4));
    assert!(matches!(run(1, vec![refused(); 1000]).0, Err(PeerError::Unreachable { .. })));
    assert_eq!(run(1, vec![refusal(-32600, 403)]), (Err(PeerError::Refused("it denied access: no".to_owned())), 1));
    assert_eq!(
        run(1, vec![refusal(-32600, 401)]),
        (Err(PeerError::Refused("it requires credentials: no".to_owned())), 1)
    );
}

#[tokio::test(start_paused = true)]
async fn notification_wakes_the_poller_only_with_its_token() {
    let server = Server::new(Kind::Silent, Script::short());
    let can = PeerCapabilities { push: true, ..capabilities(Kind::Silent) };
    let hub = hub_of(&server, can, Some("https://baton.example/"));
    let peer = "peer".into();
    let mut stream = hub.send_message(&peer, peer_request("hello")).await.expect("the message is sent");
    assert!(matches!(stream.next().await, Some(Ok(PeerEvent::Accepted { .. }))));
    // The peer is busy, so the next poll is far away.
    server.fail_requests([CallError::Refused {
        code: -32600,
        status: 429,
        message: "later".to_owned(),
        retry_after: Some(std::time::Duration::from_secs(300)),
    }]);
    let follower = tokio::spawn(async move { stream.map(|event| event.expect("an event")).collect::<Vec<_>>().await });
    while server.calls("get") == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let asked = server.last_call("push").expect("a push configuration was created");
    let mut words = asked.split(' ').skip(1);
    let (url, token) = (words.next().expect("a URL"), words.next().expect("a token"));
    let registration = url.strip_prefix("https://baton.example/api/v1/peers/notifications/").expect("our address");
    assert!(
        !hub.handle_notification(registration, None).await && !hub.handle_notification(registration, Some("x")).await
    );
    assert!(!hub.handle_notification("other", Some(token)).await);
    let before = tokio::time::Instant::now();
    assert!(hub.handle_notification(registration, Some(token)).await);
    let events = follower.await.expect("the follower ends");
    assert!(before.elapsed() < std::time::Duration::from_secs(60), "the notification interrupts the wait");
    assert!(matches!(events.last(), Some(PeerEvent::Settled(_))));
    assert!(hub.handle_notification(registration, Some(token)).await, "late notifications are accepted");
    tokio::time::advance(std::time::Duration::from_secs(11 * 60)).await;
    assert!(!hub.handle_notification(registration, Some(token)).await, "late notifications expire");
}
