//! After any disconnect, every event is delivered once and the final state is right.

use crate::{
    fake::{Cut, Fold, Kind, RefusalTiming, Script, Server, chunk, status, whole},
    fixtures::{block_on_paused, client, peer_request, refusal},
};
use baton_peers::CallError;
use baton_ports::{PeerError, PeerEvent};
use baton_types::TaskState as State;
use baton_wire::a2a::v1::{StreamResponse, TaskState};
use futures_util::StreamExt as _;
use proptest::prelude::*;
use std::sync::Arc;

const EVENTS: usize = 200;

/// Stream items as the caller of the client gets them.
fn stream_items(server: &Arc<Server>) -> Vec<StreamResponse<'static>> {
    block_on_paused(async {
        let followed = client(server).send_streaming(&peer_request("hello")).await.expect("the message is sent");
        followed.map(|item| item.expect("nothing is lost")).collect().await
    })
}

/// Peer events as the engine gets them.
fn peer_events(server: &Arc<Server>) -> Vec<PeerEvent> {
    block_on_paused(async {
        let hub = crate::fixtures::hub(server);
        let stream = baton_ports::PeerGateway::send_message(&hub, &"peer".into(), peer_request("hello"))
            .await
            .expect("the message is sent");
        stream.map(|event| event.expect("nothing is lost")).collect().await
    })
}

fn check(server: &Arc<Server>, items: &[StreamResponse<'static>]) {
    let script = &server.script;
    assert!(items[0].task.is_some(), "the task comes first");
    let fold = Fold::of(items);
    let truth = script.snapshot(script.events.len(), server.kind == Kind::Numbered);
    let truth = Fold::of(&[truth.into()]);
    assert_eq!(fold.state, TaskState::Completed);
    assert_eq!(fold.message.as_deref(), Some("the answer"));
    assert_eq!(fold.outputs(), truth.outputs());
    let updates = items.iter().filter_map(|item| item.status_update.as_ref());
    let ends = updates.filter(|update| update.status.state == TaskState::Completed).count();
    assert_eq!(ends, 1, "the end is reported once");
    if server.kind == Kind::Numbered {
        let named = |item: &StreamResponse<'static>| {
            let mut item = item.clone();
            if let Some(update) = &mut item.status_update {
                (update.task_id, update.context_id) = ("task-1".into(), "context".into());
            }
            if let Some(update) = &mut item.artifact_update {
                (update.task_id, update.context_id) = ("task-1".into(), "context".into());
            }
            item
        };
        let numbered: Vec<_> =
            script.events.iter().filter(|event| !event.live).map(|event| named(&event.item)).collect();
        let shown: Vec<_> = items[1..].iter().filter(|item| numbered.contains(item)).cloned().collect();
        assert_eq!(shown, numbered, "every numbered event is shown once and in order");
    }
}

fn check_peer_events(events: &[PeerEvent]) {
    assert!(matches!(&events[0], PeerEvent::Accepted { task, context } if task == "task-1" && context == "context"));
    let (mut text, mut taken) = (String::new(), 0);
    for event in events {
        match event {
            PeerEvent::Accepted { .. } => taken += 1,
            PeerEvent::Text(more) => text.push_str(more),
            PeerEvent::TextReplaced => text.clear(),
            PeerEvent::Settled(outcome) => {
                assert_eq!(outcome.state, State::Completed);
                assert_eq!(outcome.message.as_ref().map(baton_types::Message::text).as_deref(), Some("the answer"));
                assert!(outcome.artifacts.iter().all(|artifact| artifact.id.as_str() != "answer"));
                assert!(outcome.artifacts.iter().any(|artifact| artifact.id.as_str() == "report"));
            }
        }
    }
    assert_eq!(taken, 1);
    assert_eq!(text, "the answer", "the text shown last is the answer");
    assert!(matches!(events.last(), Some(PeerEvent::Settled(_))));
}

#[test]
fn cut_at_any_boundary_loses_and_repeats_nothing() {
    for kind in Kind::ALL {
        for after in 0..=EVENTS + 1 {
            // A cut before the first item leaves it unknown whether the message arrived.
            let after = if kind == Kind::Silent { EVENTS } else { after.max(1) };
            let server = Server::with(kind, Script::long(EVENTS), after % 2 == 0);
            server.cut([Cut { after, meanwhile: after % 4, clean: after % 3 == 0 }]);
            check(&server, &stream_items(&server));
            if kind == Kind::Silent {
                break;
            }
        }
    }
}

#[test]
fn resuming_peer_gets_the_last_cursor() {
    let server = Server::new(Kind::Numbered, Script::long(EVENTS));
    server.cut([Cut { after: 50, meanwhile: 2, clean: false }]);
    check(&server, &stream_items(&server));
    let asked = server.last_call("subscribe").expect("the client resubscribed");
    assert!(asked.starts_with("subscribe Some("), "{asked}");
    assert_eq!(server.calls("get"), 0, "no task snapshot is needed");
}

#[test]
fn live_text_continues_after_a_cut() {
    let mut script = Script::of(vec![
        status(0, TaskState::Working, None),
        chunk("a", "one ", false),
        chunk("a", "two ", true),
        chunk("a", "three", true),
        whole("a", "one two three"),
        status(5, TaskState::Completed, Some("one two three")),
    ]);
    for event in &mut script.events[1..4] {
        event.live = true;
    }
    let server = Server::new(Kind::Numbered, script);
    server.cut([Cut { after: 3, meanwhile: 1, clean: false }]);
    let texts: Vec<PeerEvent> = peer_events(&server)
        .into_iter()
        .filter(|event| !matches!(event, PeerEvent::Settled(_) | PeerEvent::Accepted { .. }))
        .collect();
    let text = |text: &str| PeerEvent::Text(text.to_owned());
    assert_eq!(texts, [text("one "), text("two "), text("three")]);
}

#[test]
fn ids_that_restart_per_response_are_not_cursors() {
    let cuts = [Cut { after: 1, meanwhile: 8, clean: false }, Cut { after: 52, meanwhile: 0, clean: false }];
    let server = || {
        let server = Server::with(Kind::PerResponse, Script::long(60), false);
        server.cut(cuts);
        server
    };
    let shown = server();
    check(&shown, &stream_items(&shown));
    check_peer_events(&peer_events(&server()));
}

fn cuts() -> impl Strategy<Value = Vec<Cut>> {
    let cut = (1..60_usize, 0..9_usize, any::<bool>());
    prop::collection::vec(cut.prop_map(|(after, meanwhile, clean)| Cut { after, meanwhile, clean }), 0..8)
}

fn request_faults() -> impl Strategy<Value = Vec<CallError>> {
    let trouble = prop::sample::select(vec![
        CallError::NotSent("connection refused".to_owned()),
        CallError::ConnectionLost("reset".to_owned()),
        CallError::InvalidReply("<html>".to_owned()),
        // A restarting server may not know its tasks yet.
        refusal(-32001, 404),
        refusal(-32603, 503),
    ]);
    prop::collection::vec(trouble, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cuts_and_restarts_end_with_the_right_result(
        kind in prop::sample::select(Kind::ALL.to_vec()),
        repeats in any::<bool>(),
        cuts in cuts(),
        request_faults in request_faults(),
    ) {
        let server = Server::with(kind, Script::long(60), repeats);
        server.cut(cuts.clone());
        server.fail_requests(request_faults.clone());
        check(&server, &stream_items(&server));

        let server = Server::with(kind, Script::long(60), repeats);
        server.cut(cuts);
        server.fail_requests(request_faults);
        check_peer_events(&peer_events(&server));
    }
}

#[test]
fn lost_task_and_long_outage_end_as_lost() {
    for kind in [Kind::Numbered, Kind::Old, Kind::Silent] {
        let server = Server::new(kind, Script::short());
        server.cut([Cut { after: 1, meanwhile: 0, clean: false }]);
        server.fail_requests(std::iter::repeat_n(refusal(-32001, 404), 50));
        assert!(
            matches!(stream_error(&server), PeerError::Lost(words) if words.contains("no longer has its task")),
            "{kind:?}"
        );

        let server = Server::new(kind, Script::short());
        server.cut([Cut { after: 1, meanwhile: 0, clean: false }]);
        server.fail_requests(std::iter::repeat_n(CallError::NotSent("refused".to_owned()), 10_000));
        assert!(matches!(stream_error(&server), PeerError::Lost(words) if words.contains("600 seconds")), "{kind:?}");
    }
}

#[test]
fn refused_subscription_to_ended_task_falls_back_to_get() {
    let ways = [Kind::Snapshot, Kind::Old]
        .map(|kind| [RefusalTiming::Immediate, RefusalTiming::InStream].map(|when| (kind, when)));
    for (code, http) in [(-32004, 400), (-32602, 400), (-32600, 409), (-32603, 500), (-32601, 404)] {
        for (kind, refusing) in ways.concat() {
            let server = Server::new(kind, Script::short());
            server.place("t", "context", "our-words", server.script.events.len());
            server.refuse_ended(refusal(code, http), refusing);
            let items: Vec<_> = block_on_paused(client(&server).follow("t").collect());
            let items: Vec<_> = items.into_iter().map(|item| item.expect("an item")).collect();
            assert_eq!(Fold::of(&items).state, TaskState::Completed, "{kind:?} {refusing:?} {code}");
            assert_eq!(server.calls("subscribe"), 1, "{kind:?} {refusing:?} {code}");
        }
    }
}

fn stream_error(server: &Arc<Server>) -> PeerError {
    block_on_paused(async {
        let mut followed = client(server).send_streaming(&peer_request("hello")).await.expect("the message is sent");
        loop {
            match followed.next().await {
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    assert!(followed.next().await.is_none());
                    return error;
                }
                None => panic!("the stream ended without an error"),
            }
        }
    })
}
