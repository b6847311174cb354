//! Long conversations, long runs, and services that find a call too long.

use super::narrow::{FIRST, Narrow, ask, assert_paired, call_tool, compactions, say, words};
use baton_ports::{ChatMessage, ModelCall, ModelError, ModelEvent};
use baton_types::{ErrorCode, Message, Part, ReasoningBlock, TaskState};
use serde_json::json;

/// Of 8192 tokens, an eighth is for the answer and a twentieth stays free; four letters are a token.
const BUDGET: usize = 8_192 - 1_024 - 409;

fn assert_fits(call: &ModelCall) {
    let tokens = words(call).len() / 4;
    assert!(tokens <= BUDGET, "{tokens} tokens in call {}", call.message_id);
}

fn remembers(call: &ModelCall) -> bool {
    call.messages.iter().any(|message| matches!(message, ChatMessage::User { text, .. } if text.contains(FIRST)))
}

#[tokio::test(start_paused = true)]
async fn three_hundred_turns_in_a_small_window_remember_how_they_began_and_nothing_is_lost() {
    let narrow = Narrow::new(Some(8_192), |_, number| say(&format!("answer {number} {}", "so it is ".repeat(40))));
    let mut engine = narrow.engine();
    let mut tasks = Vec::new();
    for turn in 1..=300 {
        let text =
            if turn == 1 { FIRST.to_owned() } else { format!("question {turn} {}", "and what of it ".repeat(30)) };
        // Another process every now and then: what counts is in the journal.
        if turn % 50 == 0 {
            engine = narrow.engine();
        }
        let done = ask(&engine, &format!("m-{turn}"), vec![Part::text(text)]).await;
        assert_eq!(done.state, TaskState::Completed, "{done:?}");
        tasks.push(done);
    }
    let calls = narrow.calls.lock().unwrap().clone();
    assert_eq!(calls.len(), 300);
    for (turn, call) in (1..).zip(&calls) {
        assert_fits(call);
        assert!(remembers(call), "call {turn} does not know how it began");
        let asked = format!("question {turn} ");
        assert!(turn == 1 || words(call).contains(&asked), "call {turn} does not know what is asked");
    }
    // It is compacted now and then, not with every call, and each summary is written from the one before.
    let summaries = narrow.summaries.lock().unwrap().clone();
    assert!((5..60).contains(&summaries.len()), "{} summaries", summaries.len());
    assert!(words(summaries.last().unwrap()).contains(&format!("notes {}", summaries.len() - 1)));
    summaries.iter().for_each(assert_fits);
    let mut compacted = 0;
    for (turn, task) in (1..).zip(&tasks) {
        for compaction in compactions(&engine, task).await {
            compacted += 1;
            assert!(compaction.tokens_after < compaction.tokens_before);
            assert_eq!(compaction.first.unwrap().text, FIRST);
            assert_eq!(compaction.usage.input_tokens, 10);
        }
        // The record of every turn is whole.
        assert_eq!(task.history.len(), 2, "turn {turn}");
        assert!(task.history[1].text().starts_with(&format!("answer {turn} ")));
    }
    assert_eq!(compacted, summaries.len());
}

#[tokio::test(start_paused = true)]
async fn a_run_of_three_hundred_calls_keeps_pairs_thoughts_and_the_question() {
    let narrow = Narrow::new(Some(8_192), |call, number| match number {
        300 => say("all done"),
        _ => {
            let reasoning = ReasoningBlock {
                model: "test:narrow".to_owned(),
                text: format!("thought {}", call.message_id),
                replay: Some(json!({"sealed": call.message_id.as_str()}).into()),
                after_text: false,
            };
            let mut answer = call_tool(call, "look", json!({"number": number}));
            answer.insert(0, Ok(ModelEvent::ReasoningComplete(reasoning)));
            answer
        }
    });
    *narrow.output.lock().unwrap() = "row after row ".repeat(200);
    let engine = narrow.engine();
    let done = ask(&engine, "m-1", vec![Part::text(FIRST)]).await;
    assert_eq!(done.state, TaskState::Completed, "{done:?}");
    let calls = narrow.calls.lock().unwrap().clone();
    assert_eq!(calls.len(), 300);
    for call in &calls {
        assert_fits(call);
        assert_paired(call);
        assert!(remembers(call));
        for message in &call.messages {
            if let ChatMessage::Assistant { calls, reasoning, .. } = message {
                let thought = reasoning.as_ref().expect("a call without what was thought before it");
                assert_eq!(calls[0].id.as_str(), format!("{}-call", &thought.text["thought ".len()..]));
            }
        }
    }
    // The first help is cheap: old results in short, without a summary.
    let compactions = compactions(&engine, &done).await;
    assert!(compactions.len() > 5);
    assert!(compactions[0].through.is_none() && !compactions[0].shortened.is_empty(), "{:?}", compactions[0]);
    assert!(compactions.last().unwrap().through.is_some());
    assert_eq!(done.history.len(), 600, "the record has all of it");
}

#[tokio::test(start_paused = true)]
async fn what_a_service_finds_too_long_is_compacted_once_and_asked_again() {
    let too_long = || vec![Err(ModelError::TooLong("at most 3000".to_owned()))];
    for always in [false, true] {
        let narrow = Narrow::new(None, move |call, _| match words(call).len() / 4 > 3_000 || always {
            true => too_long(),
            false => say("fine"),
        });
        let engine = narrow.engine();
        let mut states = Vec::new();
        for turn in 1..=12 {
            let text = if turn == 1 { FIRST.to_owned() } else { "what of it ".repeat(120) };
            let done = ask(&engine, &format!("m-{turn}"), vec![Part::text(text)]).await;
            states.push(done.state);
            if always {
                assert_eq!(done.state, TaskState::Failed);
                let said = done.status_message.as_ref().map(Message::text).unwrap_or_default();
                assert!(said.contains("at most 3000") || said.contains(ErrorCode::MODEL_FAILED.code), "{said}");
                assert!(narrow.calls.lock().unwrap().len() <= 2, "asked once more at most");
                break;
            }
        }
        if !always {
            assert!(states.iter().all(|state| *state == TaskState::Completed), "{states:?}");
            let calls = narrow.calls.lock().unwrap().clone();
            assert!(calls.len() > 12 && remembers(calls.last().unwrap()), "{} calls", calls.len());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_longer_than_the_window_by_itself_is_not_sent() {
    let narrow = Narrow::new(Some(8_192), |_, _| say("never"));
    let done = ask(&narrow.engine(), "m-1", vec![Part::text("word ".repeat(10_000))]).await;
    assert_eq!(done.state, TaskState::Failed);
    assert!(narrow.calls.lock().unwrap().is_empty());
    let said = done.status_message.as_ref().map(Message::text).unwrap_or_default();
    assert!(said.contains("fit"), "{said}");
}
