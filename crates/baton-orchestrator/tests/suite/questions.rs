//! Questions to people.

use crate::scripted_agents::{AgentReply, Script, calls, results, text};
use baton_orchestrator::Orchestrator;
use baton_types::{Json, QuestionKind, TaskState};
use serde_json::json;

#[tokio::test]
async fn agent_question_is_returned_and_answered() {
    let fake = Script::default()
        .agent("a", |turn, message| match turn {
            0 => AgentReply::NeedsInput(json!({"input_requests": [
                {"call_id": "c1", "key": "k", "agent": "a", "tool": "rm", "message": "Remove it?",
                 "approval": {"path": "/x"}, "digest": "d1", "task_id": "child-1"},
                {"call_id": "c2", "key": "name", "agent": "a", "tool": "book", "message": "Who?",
                 "schema": {"type": "object"}},
            ]})),
            _ => AgentReply::Done(message["parts"][0]["data"]["input_responses"].to_string()),
        })
        .serve()
        .await;
    let orchestrator = Orchestrator::new();
    let asked = orchestrator.ask(&fake.at("a"), "go").await.unwrap();
    assert_eq!((asked.state, asked.needs_input(), asked.has_tool_questions()), (TaskState::InputRequired, true, false));
    let [approval, form] = asked.questions.as_slice() else { panic!("two questions") };
    assert_eq!((approval.message.as_str(), &approval.wants), ("Remove it?", &Some(QuestionKind::Approval)));
    let replies = [approval.allow_session(), form.fill(Json::parse(r#"{"name":"Ada"}"#).unwrap())];
    let answer = orchestrator.reply(asked.clone(), replies).await.unwrap();
    let expect = json!([
        {"task_id": "child-1", "call_id": "c1", "key": "k", "action": "accept_for_session", "digest": "d1"},
        {"call_id": "c2", "key": "name", "action": "accept", "content": {"name": "Ada"}},
    ]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&answer.text).unwrap(), expect);
}

#[tokio::test]
async fn tool_question_is_returned_and_the_call_continues_with_the_answer() {
    let fake = Script::default()
        .agent("a", |turn, message| match turn {
            0 => calls(&[("c1", "free", json!({})), ("c2", "book", json!({}))]),
            _ => AgentReply::Done(results(message).to_string()),
        })
        .tool("a", "free", |_| async { text("ran") })
        .tool("a", "book", |params| async move {
            match params.get("inputResponses") {
                Some(responses) => text(&format!("booked for {}", responses["who"]["content"]["name"])),
                None => json!({
                    "resultType": "input_required", "requestState": "s",
                    "inputRequests": {"who": {"method": "elicitation/create", "params": {
                        "message": "For whom?",
                        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
                    }}},
                }),
            }
        })
        .serve()
        .await;
    let orchestrator = Orchestrator::new();
    let asked = orchestrator.ask(&fake.at("a"), "go").await.unwrap();
    assert_eq!((asked.text.as_str(), asked.has_tool_questions(), asked.questions.len()), ("For whom?", true, 1));
    assert!(orchestrator.reply(asked.clone(), []).await.is_err());
    let reply = asked.questions[0].fill(Json::parse(r#"{"name":"Ada"}"#).unwrap());
    let answer = orchestrator.reply(asked, [reply]).await.unwrap();
    let expect = json!([
        {"call_id": "c1", "name": "free", "output": "ran"},
        {"call_id": "c2", "name": "book", "output": "booked for \"Ada\""},
    ]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&answer.text).unwrap(), expect);
    // The finished call is not repeated.
    assert_eq!(fake.seen("tools/call").iter().filter(|call| call["params"]["name"] == "free").count(), 1);
}
