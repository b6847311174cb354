//! Client and peer inputs: results, stream items, cards, errors, server-sent events.

use crate::{
    property::{assert_conversion, assert_conversion_with_additions, stable, to_text},
    requests::json,
};
use baton_types::Timestamp;
use baton_encoding::{depth_within, sse::SseParser};
use baton_wire::{a2a::{v03::{self, UnionCard, rest}, v1::{self, Error}}, catalog::AiCatalog, jsonrpc::RpcResponse};

/// The grammar shape of each choice.
pub(crate) const SHAPES: &[&str] = &[
    "item", "item", "tasks", "pushes", "card", "card", "item", "item", "task", "item", "item", "pushes", "error",
    "error", "envelope", "time", "name", "text", "json", "any",
];

pub(crate) fn read(choice: usize, text: &str) {
    match choice {
        0 => drop(stable::<v1::StreamResponse<'static>>(text)),
        1 => drop(stable::<v1::SendMessageResponse<'static>>(text)),
        2 => drop(stable::<v1::ListTasksResponse<'static>>(text)),
        3 => drop(stable::<v1::ListTaskPushNotificationConfigsResponse<'static>>(text)),
        4 => {
            let Some(card) = stable::<v1::AgentCard>(text) else { return };
            check_union_card(&card);
            check_old_card(v03::AgentCard::from(card));
        }
        5 => drop(stable::<v03::AgentCard>(text).map(check_old_card)),
        6 => {
            let Some(item) = stable::<v03::StreamItem<'static>>(text) else { return };
            let last = item.is_final();
            assert_conversion(item, v03::StreamItem::into_v1, |item| v03::StreamItem::from_v1(item, last));
        }
        7 => {
            let Some(answer) = stable::<v03::SendResult<'static>>(text) else { return };
            assert_conversion(answer, v03::SendResult::into_v1, v03::SendResult::from);
        }
        8 => {
            if let Some(task) = stable::<v03::Task<'static>>(text) {
                assert_conversion(task, v03::Task::into_v1, v03::Task::from);
            }
            if let Some(task) = stable::<rest::Task<'static>>(text) {
                assert_conversion(task, rest::Task::into_v1, rest::Task::from);
            }
        }
        9 => {
            let Some(item) = stable::<rest::StreamResponse<'static>>(text) else { return };
            let last = item.is_final();
            assert_conversion(item, rest::StreamResponse::into_v1, |item| rest::StreamResponse::from_v1(item, last));
        }
        10 => {
            let Some(answer) = stable::<rest::SendMessageResponse<'static>>(text) else { return };
            assert_conversion(answer, rest::SendMessageResponse::into_v1, rest::SendMessageResponse::from);
        }
        11 => {
            let ok = |list: rest::ListPushResponse<'static>| Ok::<_, Error>(list.into_v1());
            drop(stable(text).map(|list| assert_conversion(list, ok, rest::ListPushResponse::from)));
        }
        12 => {
            let Some(error) = stable::<v1::ErrorObject>(text) else { return };
            let _ = (error.baton_code(), error.hint(), error.reason(), error.violations());
        }
        13 => drop(stable::<v1::RestError>(text).map(v1::RestError::into_object)),
        14 => drop(serde_json::from_str::<RpcResponse<'_>>(text)),
        15 => check_timestamp(text.trim_matches('"')),
        16 => check_names(text.trim_matches('"')),
        17 => check_events(text.as_bytes()),
        18 => json(text),
        _ => drop((
            serde_json::from_str::<AiCatalog>(text),
            serde_json::from_str::<baton_api::AgentList>(text),
            serde_json::from_str::<baton_api::EventList>(text),
            serde_json::from_str::<baton_api::Health>(text),
        )),
    }
}

/// A card for readers of both versions must parse as the original 1.0 card.
fn check_union_card(card: &v1::AgentCard) {
    let read: v1::AgentCard =
        serde_json::from_str(&to_text(&UnionCard::new(card))).expect("the union card parses as a 1.0 card");
    assert_eq!(&read, card);
}

/// The first conversion to 1.0 drops values that 1.0 has no field for; further conversions change nothing.
fn check_old_card(card: v03::AgentCard) {
    let ok = |card: v03::AgentCard| Ok(card.into_v1());
    if let Some(card) = assert_conversion_with_additions(card, ok, v03::AgentCard::from) {
        check_union_card(&card);
    }
}

fn check_timestamp(text: &str) {
    let Ok(at) = Timestamp::parse(text) else { return };
    assert_eq!(Timestamp::parse(&at.to_string()).ok(), Some(at), "{at}");
}

fn check_names(name: &str) {
    if let Some((task, config)) = rest::parse_push_name(name) {
        assert_eq!(rest::push_name(task, config), name);
        assert_eq!(rest::parse_task_name(name), Some(task));
    }
    if let Some(task) = rest::parse_task_name(name) {
        assert!(name.starts_with(&rest::task_name(task)));
    }
    let _ = baton_types::is_idempotency_key(name);
    let _ = depth_within(name.as_bytes(), name.len() / 2);
}

/// The events are the same for every split of the bytes.
fn check_events(bytes: &[u8]) {
    let parse = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        let (mut parser, mut events) = (SseParser::new(16 * 1024 * 1024), Vec::new());
        for piece in pieces {
            let fed = parser.feed(piece);
            events.extend(std::iter::from_fn(|| parser.next()));
            if fed.is_err() {
                return (events, false);
            }
        }
        (events, true)
    };
    let whole = parse(&mut std::iter::once(bytes));
    assert_eq!(parse(&mut bytes.chunks(1)), whole);
    assert_eq!(parse(&mut bytes.chunks(7)), whole);
}
