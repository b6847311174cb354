//! Streams as clients receive them: one line per event, and the resulting object.

use baton_responses::{RequestRecord, ResponseId, ResponseProjector, StreamEvent, fold::FoldedResponse};
use baton_types::{
    CallerTool, FailureReason, Json, Message, Part, ReasoningBlock, Role, RunOptions, TaskEvent, TaskState, Timestamp,
    ToolAnswer, ToolAnswers, ToolCall, ToolExecution, ToolResult, Usage,
};
use serde_json::{Value, json};
use std::borrow::Borrow;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

/// A running task and its stream.
pub(crate) struct Scene {
    pub(crate) projector: ResponseProjector,
    pub(crate) stream: Vec<StreamEvent>,
    number: u64,
}

impl Scene {
    pub(crate) fn new(note: &RequestRecord) -> Self {
        Self::of_turn(2, note)
    }

    pub(crate) fn of_turn(at: u64, note: &RequestRecord) -> Self {
        let id = ResponseId { task: "t-1".into(), event_number: at };
        let mut projector = ResponseProjector::new(&id, NOW, "helper", note);
        let stream = projector.begin();
        let mut scene = Self { projector, stream, number: 0 };
        scene.event(TaskEvent::Submitted {
            context: "c".into(),
            agent: "helper".into(),
            message: Message::new("u".into(), Role::User, vec![Part::text("hello")]),
            tool_execution: ToolExecution::Agent,
            parent: None,
            depth: 0,
            autonomous: false,
        });
        let tool = |name: &str| CallerTool {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({"type": "object"}).into(),
        };
        let tools = vec![tool("mine"), tool("free")];
        scene.event(TaskEvent::RunOptionsSet { options: Box::new(RunOptions { tools, ..RunOptions::default() }) });
        scene.run();
        scene
    }

    pub(crate) fn event(&mut self, event: impl Borrow<TaskEvent>) {
        self.number += 1;
        self.stream.extend(self.projector.event(self.number, NOW, event.borrow()));
    }

    pub(crate) fn run(&mut self) {
        let (run, agent) = ("r".into(), baton_types::Digest::compute(b"a"));
        self.event(TaskEvent::RunStarted { run, agent, deadline: NOW, autonomous: false });
    }

    pub(crate) fn attempt(&mut self, message: &str, attempt: u32) {
        self.event(TaskEvent::AttemptStarted { message: message.into(), turn: 1, attempt });
    }

    pub(crate) fn live(&mut self, message: &str, offset: usize, text: &str) {
        self.stream.extend(self.projector.delta(&message.into(), 1, offset, text));
    }

    pub(crate) fn calls(&mut self, message: &str, text: &str, calls: &[(&str, &str, Value)]) {
        let calls: Vec<ToolCall> = calls
            .iter()
            .map(|(id, name, arguments)| ToolCall {
                id: (*id).into(),
                name: (*name).to_owned(),
                arguments: arguments.clone().into(),
            })
            .collect();
        let parts = vec![Part::text(text), baton_rules::calls_part(&calls)];
        let message = Message::new(message.into(), Role::Agent, parts);
        self.event(TaskEvent::ToolsCalled { message, calls, usage: Usage::new(10, 4) });
    }

    pub(crate) fn tool_finished(&mut self, call: &str, output: &str, is_error: bool) {
        let (call, output) = (call.into(), Json::string(output));
        self.event(TaskEvent::ToolFinished { result: ToolResult { call, name: String::new(), output, is_error } });
    }

    pub(crate) fn answered(&mut self, message: &str, text: &str) {
        let answer = Message::new(message.into(), Role::Agent, vec![Part::text(text)]);
        self.event(TaskEvent::Answered { message: answer.clone(), usage: Usage::new(12, 5) });
        self.status(TaskState::Completed, Some(answer), None);
    }

    pub(crate) fn status(&mut self, state: TaskState, message: Option<Message>, reason: Option<FailureReason>) {
        self.event(TaskEvent::StatusChanged { state, message, reason });
    }

    /// One line per event, without the members common to all events; the object comes last.
    fn shown(&self) -> String {
        let mut folded = FoldedResponse::default();
        let mut lines = Vec::new();
        for event in &self.stream {
            let mut body: Value = serde_json::from_str(&event.to_frame()).unwrap();
            folded.apply(&body).unwrap();
            let members = body.as_object_mut().unwrap();
            for name in ["type", "sequence_number", "logprobs"] {
                members.shift_remove(name);
            }
            if let Some(response) = members.shift_remove("response") {
                members.insert("status".to_owned(), response["status"].clone());
            }
            lines.push(format!("{} {body}", event.kind));
        }
        assert_eq!(folded.response, serde_json::from_str::<Value>(&self.projector.response().to_json()).unwrap());
        let mut object = folded.response;
        object.as_object_mut().unwrap().retain(|name, _| {
            ["status", "incomplete_details", "error", "usage", "completed_at", "output"].contains(&name.as_str())
        });
        lines.push(serde_json::to_string_pretty(&object).unwrap());
        lines.join("\n")
    }
}

#[test]
fn text_answer_is_streamed() {
    let mut scene = Scene::new(&RequestRecord::default());
    scene.attempt("m1", 1);
    let reasoning =
        ReasoningBlock { model: "a:b".to_owned(), text: "Be kind.".to_owned(), replay: None, after_text: false };
    scene.event(TaskEvent::ReasoningProduced { message: "m1".into(), reasoning });
    scene.live("m1", 0, "Hel");
    scene.live("m1", 0, "Hel");
    scene.live("m1", 3, "lo");
    scene.live("m1", 9, "a gap is waited out");
    scene.answered("m1", "Hello there");
    insta::assert_snapshot!(scene.shown());
    insta::assert_snapshot!("the_object", serde_json::to_string_pretty(scene.projector.response()).unwrap());
    insta::assert_snapshot!("one_block", scene.stream[4].to_sse());
}

#[test]
fn all_kinds_of_tool_calls_are_streamed() {
    let mut scene = Scene::new(&RequestRecord { custom: vec!["free".to_owned()], ..RequestRecord::default() });
    scene.attempt("m1", 1);
    let calls = [
        ("c1", "lookup", json!({"city": "Oakland"})),
        ("c2", "search", json!({})),
        ("c3", "handoff", json!({"agent": "weather", "message": "Oakland?"})),
        ("c4", "emit_artifact", json!({"text": "x"})),
    ];
    scene.calls("m1", "Let me look.", &calls);
    scene.event(TaskEvent::ToolStarted { call: "c1".into(), effects: None, server: None });
    scene.event(TaskEvent::ToolStarted { call: "c2".into(), effects: None, server: Some("maps".to_owned()) });
    let (handoff, agent, child) = ("h".into(), "weather".into(), "t-2".into());
    scene.event(TaskEvent::HandoffSent { call: "c3".into(), handoff, agent, child, deadline: NOW });
    scene.tool_finished("c2", "no map", true);
    scene.tool_finished("c1", "Oakland, CA", false);
    scene.tool_finished("c4", "done", false);
    scene.tool_finished("c3", "72°F", false);
    scene.attempt("m2", 1);
    scene.calls("m2", "", &[("c5", "mine", json!({"a": 1})), ("c6", "free", json!({"input": "as it is"}))]);
    let parts = vec![
        Part::text(""),
        Part::data(
            json!({"tool_calls": [
                {"call_id": "c5", "name": "mine", "arguments": {"a": 1}},
                {"call_id": "c6", "name": "free", "arguments": {"input": "as it is"}},
            ]})
            .into(),
        ),
    ];
    scene.status(TaskState::InputRequired, Some(Message::new("m2".into(), Role::Agent, parts)), None);
    insta::assert_snapshot!(scene.shown());
}

/// The approval question for a call, as the engine asks it.
fn approval_question(call: &str) -> Message {
    let request = json!({"input_requests": [{
        "call_id": call, "key": "baton/approval", "agent": "helper", "tool": "delete",
        "message": "May the tool 'delete' run?", "approval": {"file": "a"}, "digest": "x",
    }]});
    let parts = vec![Part::text("May the tool 'delete' run? Answer yes, always or no."), Part::data(request.into())];
    Message::new("q".into(), Role::Agent, parts)
}

/// A turn that ends with the question, followed by one that begins with the answer.
fn approved(at: u64) -> Scene {
    let mut scene = Scene::of_turn(at, &RequestRecord::default());
    scene.attempt("m1", 1);
    scene.calls("m1", "", &[("c_1", "delete", json!({"file": "a"}))]);
    scene.status(TaskState::InputRequired, Some(approval_question("c_1")), None);
    let yes = Message::new("u2".into(), Role::User, vec![Part::text("")]);
    scene.event(TaskEvent::MessageReceived { message: yes, results: Vec::new() });
    scene.event(TaskEvent::RunOptionsSet { options: Box::default() });
    let key = "baton/approval".to_owned();
    let answers = vec![ToolAnswer { key, action: baton_types::AnswerAction::Accept, content: None }];
    let answers = ToolAnswers { answers, state: None };
    scene.event(TaskEvent::ToolInputReceived { call: "c_1".into(), answers });
    scene.run();
    scene.event(TaskEvent::ToolStarted { call: "c_1".into(), effects: None, server: None });
    scene.tool_finished("c_1", "gone", false);
    scene.attempt("m2", 1);
    scene.answered("m2", "It is gone.");
    scene
}

#[test]
fn approval_ends_one_turn_and_begins_another() {
    insta::assert_snapshot!("approval_asked", approved(2).shown());
    let second = approved(8);
    assert_eq!(second.projector.response().id, "resp_t-1_8");
    insta::assert_snapshot!("approval_given", second.shown());
}

#[test]
fn failure_retracts_streamed_text() {
    let mut scene = Scene::new(&RequestRecord::default());
    scene.attempt("m1", 1);
    scene.live("m1", 0, "Hel");
    let (code, detail) = ("BTN-3003".to_owned(), "The model's service is down.".to_owned());
    scene.status(TaskState::Failed, None, Some(FailureReason::new(code, detail)));
    insta::assert_snapshot!(scene.shown());
}

#[test]
fn background_stream_contains_journaled_text_only() {
    let mut scene = Scene::new(&RequestRecord { background: true, ..RequestRecord::default() });
    scene.attempt("m1", 1);
    scene.live("m1", 0, "not shown");
    let wrote = |attempt, text: &str| TaskEvent::TextFlushed {
        message: "m1".into(),
        attempt,
        offset: 0,
        text: text.to_owned(),
    };
    scene.event(wrote(1, "Hel"));
    scene.attempt("m1", 2);
    scene.event(wrote(2, "Bye"));
    scene.status(TaskState::Canceled, None, None);
    insta::assert_snapshot!(scene.shown());
}

#[test]
fn questions_rejections_and_limits_end_the_response() {
    let mut asks = Scene::new(&RequestRecord::default());
    asks.attempt("m1", 1);
    asks.calls("m1", "", &[("c1", "ask_user", json!({"question": "Where?"}))]);
    let question = Message::new("q".into(), Role::Agent, vec![Part::text("Where?")]);
    asks.status(TaskState::InputRequired, Some(question), None);
    let mut refuses = Scene::new(&RequestRecord::default());
    refuses.attempt("m1", 1);
    refuses.calls("m1", "", &[("c1", "reject_task", json!({"reason": "No."}))]);
    let no = Message::new("n".into(), Role::Agent, vec![Part::text("No.")]);
    refuses.status(TaskState::Rejected, Some(no), None);
    let mut turns = Scene::new(&RequestRecord::default());
    let reason = FailureReason::new("BTN-3001", "Too many.");
    turns.status(TaskState::Failed, None, Some(reason));
    let object = |scene: &Scene| {
        let response = scene.projector.response();
        json!({"status": response.status, "incomplete_details": response.incomplete_details, "output": response.output})
    };
    insta::assert_snapshot!(
        serde_json::to_string_pretty(&json!([object(&asks), object(&refuses), object(&turns)])).unwrap()
    );
}
