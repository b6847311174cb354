//! A client that follows a stream, interrupted at any point, ends with the result of `GetTask`.

use crate::sample::{answer, at, calls, context_id, task_id};
use baton_types::{AnswerPlacement, Artifact, MessageId, TaskEvent, TaskState, TextDelivery, Usage};
use baton_wire::a2a::v1::{
    CallVisibility, Presentation, StreamProjection, StreamProjector, StreamResponse, TaskState as Shown,
};
use proptest::prelude::*;
use std::{borrow::Cow, collections::BTreeMap};

/// State of a client: the text of each non-empty artifact.
#[derive(Default)]
struct Client(BTreeMap<String, String>);

impl Client {
    fn apply_item(&mut self, item: &StreamResponse<'_>) {
        let Some(update) = &item.artifact_update else { return };
        let text: String = update.artifact.parts.iter().filter_map(|part| part.text.as_deref()).collect();
        let id = update.artifact.artifact_id.clone().into_owned();
        if update.append {
            self.0.get_mut(&id).expect("append to a known artifact").push_str(&text);
        } else {
            self.0.insert(id, text);
        }
    }

    fn apply(&mut self, projected: &StreamProjection<'_>) {
        projected.retraction.iter().chain(&projected.item).for_each(|item| self.apply_item(item));
    }

    fn texts(&self) -> Vec<(&str, &str)> {
        let texts = self.0.iter().map(|(id, text)| (id.as_str(), text.as_str()));
        texts.filter(|(_, text)| !text.is_empty()).collect()
    }
}

#[derive(Clone, Debug)]
enum FeedItem {
    Event(u64, TaskEvent),
    Delta(MessageId, usize, String),
}

/// End of a turn.
#[derive(Clone, Copy, Debug)]
enum TurnEnd {
    Tools,
    Answer,
    Failure,
}

/// A complete feed of a task: turns with abandoned attempts, then tools, an answer or a failure.
fn feed() -> impl Strategy<Value = Vec<FeedItem>> {
    let attempt = proptest::collection::vec("[a-z]{1,3}", 0..3);
    let turn = (proptest::collection::vec(attempt, 1..3), any::<bool>());
    let last = prop_oneof![Just(TurnEnd::Answer), Just(TurnEnd::Failure)];
    (proptest::collection::vec(turn, 1..4), last).prop_map(|(turns, last)| {
        let count = turns.len();
        let mut feed = vec![];
        let mut number = 0;
        let mut event = |feed: &mut Vec<FeedItem>, event| {
            number += 1;
            feed.push(FeedItem::Event(number, event));
        };
        event(&mut feed, crate::sample::events().remove(1));
        for (index, (attempts, same_message)) in turns.into_iter().enumerate() {
            let mut message = MessageId::from(format!("turn-{index}"));
            for (attempt, pieces) in attempts.into_iter().enumerate() {
                if !same_message {
                    message = format!("turn-{index}-{attempt}").into();
                }
                let (turn, attempt) = (index as u32 + 1, attempt as u32 + 1);
                event(&mut feed, TaskEvent::AttemptStarted { message: message.clone(), turn, attempt });
                let mut offset = 0;
                for piece in pieces {
                    feed.push(FeedItem::Delta(message.clone(), offset, piece.clone()));
                    offset += piece.len();
                }
            }
            let ending = if index + 1 < count { TurnEnd::Tools } else { last };
            let usage = Usage::default();
            match ending {
                TurnEnd::Tools => {
                    let message = baton_types::Message { id: message, ..calls() };
                    event(&mut feed, TaskEvent::ToolsCalled { message, calls: Vec::new(), usage });
                }
                TurnEnd::Answer => {
                    let message = baton_types::Message { id: message, ..answer() };
                    event(&mut feed, TaskEvent::Answered { message: message.clone(), usage });
                    let state = TaskState::Completed;
                    event(&mut feed, TaskEvent::StatusChanged { state, message: Some(message), reason: None });
                }
                TurnEnd::Failure => {
                    let state = TaskState::Failed;
                    event(&mut feed, TaskEvent::StatusChanged { state, message: None, reason: None });
                }
            }
        }
        feed
    })
}

/// Feeds `items`; returns the last event number that the client received.
fn play(client: &mut Client, projector: &mut StreamProjector, items: &[FeedItem]) -> Option<u64> {
    let mut cursor = None;
    for item in items {
        match item {
            FeedItem::Event(number, event) => {
                let projected = projector.event(at(0), event);
                client.apply(&projected);
                cursor = projected.item.is_some().then_some(*number).or(cursor);
            }
            FeedItem::Delta(message, offset, text) => client.apply(&projector.delta(message, *offset, text)),
        }
    }
    cursor
}

fn expected(feed: &[FeedItem]) -> Vec<(String, String)> {
    let answers = feed.iter().filter_map(|fed| match fed {
        FeedItem::Event(_, TaskEvent::Answered { message, .. }) => Some(Artifact::from_answer(message)),
        _ => None,
    });
    answers.map(|artifact| (artifact.id.to_string(), answer().text())).collect()
}

proptest! {
    #[test]
    fn text_outside_the_answer_is_retracted(feed in feed(), presentation in with_artifacts()) {
        let mut client = Client::default();
        play(&mut client, &mut StreamProjector::new(task_id(), context_id(), presentation), &feed);
        let texts: Vec<_> = client.texts().into_iter().map(|(id, text)| (id.to_owned(), text.to_owned())).collect();
        prop_assert_eq!(texts, expected(&feed));
    }

    #[test]
    fn resumed_stream_has_the_same_final_texts(
        feed in feed(), at_item in 0_usize..40, late in any::<bool>(), presentation in with_artifacts(),
    ) {
        let cut = at_item % feed.len() + 1;
        let mut client = Client::default();
        let seen = play(&mut client, &mut StreamProjector::new(task_id(), context_id(), presentation), &feed[..cut]);
        // A first item with the task contains its version, so a cursor can point to an event that is not shown.
        let last_number = feed[..cut].iter().rev().find_map(|fed| match fed {
            FeedItem::Event(number, _) => Some(*number),
            FeedItem::Delta(..) => None,
        });
        let cursor = if late { last_number } else { seen }.unwrap_or(0);
        let earlier: Vec<_> = feed.iter().filter_map(|fed| match fed {
            FeedItem::Event(number, event) if *number <= cursor => Some(event),
            _ => None,
        }).collect();
        let mut projector = StreamProjector::resumed(task_id(), context_id(), presentation, earlier);
        // Live text in between is lost; journaled events are replayed.
        let rest: Vec<_> = feed.iter().enumerate().filter(|(index, fed)| match fed {
            FeedItem::Event(number, _) => *number > cursor,
            FeedItem::Delta(..) => *index >= cut && attempt_starts_after(&feed, cut, *index),
        }).map(|(_, fed)| fed.clone()).collect();
        play(&mut client, &mut projector, &rest);
        let texts: Vec<_> = client.texts().into_iter().map(|(id, text)| (id.to_owned(), text.to_owned())).collect();
        prop_assert_eq!(texts, expected(&feed));
    }
}

/// All presentations in which answers are artifacts.
fn with_artifacts() -> impl Strategy<Value = Presentation> {
    let answer = prop_oneof![Just(AnswerPlacement::Artifact), Just(AnswerPlacement::Both)];
    let text = prop_oneof![Just(TextDelivery::Whole), Just(TextDelivery::Chunks)];
    (answer, text).prop_map(|(answer, text)| Presentation { answer, text, calls: CallVisibility::Hidden })
}

/// All items of a stream, in order.
fn shown(presentation: Presentation, feed: &[FeedItem]) -> Vec<StreamResponse<'static>> {
    let mut projector = StreamProjector::new(task_id(), context_id(), presentation);
    let mut items = Vec::new();
    for fed in feed {
        let projected = match fed {
            FeedItem::Event(_, event) => projector.event(at(0), event),
            FeedItem::Delta(message, offset, text) => projector.delta(message, *offset, text),
        };
        let all = projected.retraction.iter().chain(&projected.item);
        items.extend(all.map(|item| serde_json::from_value(serde_json::to_value(item).unwrap()).unwrap()));
    }
    items
}

/// The texts of all artifact updates and status messages, in order.
fn all_texts(items: &[StreamResponse<'static>]) -> Vec<String> {
    let artifacts =
        |item: &StreamResponse<'static>| item.artifact_update.as_ref().map(|update| update.artifact.parts.clone());
    let statuses = |item: &StreamResponse<'static>| {
        item.status_update
            .as_ref()
            .and_then(|update| update.status.message.as_ref().map(|message| message.parts.clone()))
    };
    let parts = items.iter().flat_map(|item| artifacts(item).into_iter().chain(statuses(item)).flatten());
    parts.filter_map(|part| part.text.map(Cow::into_owned)).filter(|text| !text.is_empty()).collect()
}

proptest! {
    #[test]
    fn every_complete_text_appears_once_by_default(feed in feed()) {
        let texts = all_texts(&shown(Presentation::default(), &feed));
        let complete_texts = feed.iter().filter_map(|fed| match fed {
            FeedItem::Event(_, TaskEvent::Answered { message, .. } | TaskEvent::ToolsCalled { message, .. }) => {
                Some(message.text())
            },
            _ => None,
        });
        prop_assert_eq!(texts, complete_texts.collect::<Vec<_>>());
    }

    #[test]
    fn status_text_grows_and_completed_status_has_the_answer(feed in feed()) {
        let presentation =
            Presentation { answer: AnswerPlacement::Status, text: TextDelivery::Chunks, calls: CallVisibility::Shown };
        let items = shown(presentation, &feed);
        prop_assert!(items.iter().all(|item| item.artifact_update.is_none()));
        let statuses: Vec<_> = items.iter().filter_map(|item| item.status_update.as_ref()).collect();
        let mut before: Option<(String, String)> = None;
        for status in &statuses {
            let Some(message) = &status.status.message else { continue };
            let text: String = message.parts.iter().filter_map(|part| part.text.as_deref()).collect();
            // A complete text replaces the attempt's text; here they differ.
            let complete = [answer().text(), calls().text()].contains(&text);
            if let Some((id, shorter)) = before.filter(|(id, _)| *id == message.message_id)
                && status.status.state == Shown::Working && !complete {
                let begins_anew = feed.iter().any(|fed| matches!(fed, FeedItem::Delta(of, 0, piece)
                    if of.as_str() == id && text == *piece));
                prop_assert!(text.starts_with(&shorter) || begins_anew, "{:?} after {:?}", text, shorter);
            }
            before = Some((message.message_id.clone().into_owned(), text));
        }
        let last = statuses.last().unwrap();
        let text = last.status.message.as_ref().map(|message| {
            message.parts.iter().filter_map(|part| part.text.as_deref()).collect::<String>()
        });
        let expected = expected(&feed).pop().map(|(_, text)| text);
        prop_assert_eq!(text, expected);
    }
}

/// Whether the delta's attempt begins after the cut; the engine sends open text instead of half an attempt.
fn attempt_starts_after(feed: &[FeedItem], cut: usize, index: usize) -> bool {
    feed[cut..=index].iter().any(|fed| matches!(fed, FeedItem::Event(_, TaskEvent::AttemptStarted { .. })))
}

#[test]
fn open_text_replaces_and_deltas_extend() {
    let mut projector = StreamProjector::new(task_id(), context_id(), Presentation::FULL);
    let message = MessageId::from("message-2");
    let mut shown = String::new();
    for projected in [
        serde_json::to_string(&projector.open_text(&message, "It is").item),
        serde_json::to_string(&projector.delta(&message, 5, " 72").item),
        serde_json::to_string(&projector.delta(&message, 0, "Sunny").item),
        serde_json::to_string(
            &projector.event(at(0), &TaskEvent::ToolStarted { call: "c".into(), effects: None, server: None }).item,
        ),
        serde_json::to_string(
            &projector
                .event(at(0), &TaskEvent::ToolsCalled { message: calls(), calls: vec![], usage: Usage::default() })
                .retraction,
        ),
    ] {
        shown.push_str(&projected.unwrap());
        shown.push('\n');
    }
    insta::assert_snapshot!(shown);
}
