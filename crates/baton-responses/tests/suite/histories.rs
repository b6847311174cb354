//! Property: for any history of a turn, the stream folds to the object, with or without live text.

use baton_responses::{RequestRecord, ResponseId, ResponseProjector, StreamEvent, fold::FoldedResponse};
use baton_types::{
    CallerServerSpec, CallerServerTool, CallerTool, Effects, FailureReason, InclusionMode, Json, Message, Part,
    Permission, ReasoningBlock, Role, RunOptions, TaskEvent, TaskState, Timestamp, ToolCall, ToolExecution, ToolResult,
    ToolRunner, ToolSpec, Usage,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Outcome of a model call.
#[derive(Clone, Debug)]
enum ModelCall {
    /// Fails after some text and is repeated.
    Break(String),
    /// Calls tools, with whether each fails.
    Call(String, Vec<(Tool, bool)>),
    /// Answers, without further messages in the meantime.
    Answer(String, Finish),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tool {
    Own,
    Server,
    CallerServer,
    Handoff,
    Artifact,
    Asks,
    Approval,
    Callers,
    Custom,
}

#[derive(Clone, Copy, Debug)]
enum Finish {
    Stop,
    Length,
    Refusal,
}

#[derive(Clone, Debug)]
enum End {
    Done,
    Failed,
    TurnLimit,
    Canceled,
    Rejected,
}

#[derive(Clone, Debug)]
struct History {
    model_calls: Vec<(Option<String>, ModelCall)>,
    end: End,
    background: bool,
    hides_tools: bool,
    earlier: bool,
}

fn model_calls() -> impl Strategy<Value = ModelCall> {
    let tool = prop_oneof![
        Just(Tool::Own),
        Just(Tool::Server),
        Just(Tool::CallerServer),
        Just(Tool::Handoff),
        Just(Tool::Artifact),
        Just(Tool::Asks),
        Just(Tool::Approval),
        Just(Tool::Callers),
        Just(Tool::Custom),
    ];
    let finish = prop_oneof![Just(Finish::Stop), Just(Finish::Length), Just(Finish::Refusal)];
    prop_oneof![
        "[a-zé ]{0,12}".prop_map(ModelCall::Break),
        ("[a-zé ]{0,12}", prop::collection::vec((tool, any::<bool>()), 1..4))
            .prop_map(|(text, calls)| ModelCall::Call(text, calls)),
        ("[a-zé ]{0,20}", finish).prop_map(|(text, finish)| ModelCall::Answer(text, finish)),
    ]
}

fn histories() -> impl Strategy<Value = History> {
    let end =
        prop_oneof![Just(End::Done), Just(End::Failed), Just(End::TurnLimit), Just(End::Canceled), Just(End::Rejected)];
    let thought = prop::option::of("[a-z]{1,8}");
    (prop::collection::vec((thought, model_calls()), 0..6), end, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(model_calls, end, background, hides_tools, earlier)| History {
            model_calls,
            end,
            background,
            hides_tools,
            earlier,
        },
    )
}

/// A numbered event, or live text that only subscribers receive.
enum FeedItem {
    Event(TaskEvent),
    Live(String, u32, usize, String),
}

fn message(id: &str, role: Role, parts: Vec<Part>) -> Message {
    Message::new(id.into(), role, parts)
}

struct Script {
    fed: Vec<FeedItem>,
    chunks: Vec<usize>,
}

impl Script {
    fn event(&mut self, event: TaskEvent) {
        self.fed.push(FeedItem::Event(event));
    }

    /// The text in chunks, some of them duplicated, as live text and, if `kept`, as events.
    fn write(&mut self, kept: bool, id: &str, attempt: u32, text: &str) {
        if kept {
            // Live chunks may differ from the journaled ones.
            self.fed.push(FeedItem::Live(id.to_owned(), attempt, 0, text.to_owned()));
        }
        let mut at = 0;
        while at < text.len() {
            let step = self.chunks.pop().unwrap_or(3);
            self.chunks.insert(0, step);
            let end = text.ceil_char_boundary(at + step.max(1));
            let piece = text[at..end].to_owned();
            self.fed.push(FeedItem::Live(id.to_owned(), attempt, at, piece.clone()));
            if step.is_multiple_of(3) {
                self.fed.push(FeedItem::Live(id.to_owned(), attempt, at, piece.clone()));
            }
            if kept {
                self.event(TaskEvent::TextFlushed { message: id.into(), attempt, offset: at as u64, text: piece });
            }
            at = end;
        }
    }
}

fn call(tool: Tool, id: &str) -> ToolCall {
    let (name, arguments) = match tool {
        Tool::Own | Tool::Server | Tool::Approval => ("lookup", json!({"city": "Oakland"})),
        Tool::CallerServer => ("shop__buy", json!({"what": "tea"})),
        Tool::Handoff => ("handoff", json!({"agent": "weather", "message": "hm"})),
        Tool::Artifact => ("emit_artifact", json!({"text": "x"})),
        Tool::Asks => ("ask_user", json!({"question": "Where?"})),
        Tool::Callers => ("mine", json!({"a": 1})),
        Tool::Custom => ("free", json!({"input": "as it is"})),
    };
    ToolCall { id: id.into(), name: name.to_owned(), arguments: arguments.into() }
}

fn calls_part(calls: &[&ToolCall]) -> Part {
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| json!({"call_id": call.id.as_str(), "name": call.name, "arguments": call.arguments}))
        .collect();
    Part::data(json!({ "tool_calls": calls }).into())
}

fn caller_server_tool() -> ToolSpec {
    let runner = CallerServerTool { guest: "g".to_owned(), server: "shop".to_owned(), tool: "buy".to_owned() };
    ToolSpec {
        name: "shop__buy".to_owned(),
        description: "Buys.".to_owned(),
        parameters: json!({"type": "object"}).into(),
        effects: Effects::Unknown,
        runner: ToolRunner::Guest(runner),
        output: None,
        permission: Permission::Allow,
        rules: Vec::new(),
        include: InclusionMode::default(),
        sequential: false,
    }
}

fn script(history: &History, chunks: &[usize]) -> (Script, ResponseId, RequestRecord) {
    let mut script = Script { fed: Vec::new(), chunks: chunks.to_vec() };
    let task: baton_types::TaskId = "t-1".into();
    let tool = |name: &str| CallerTool {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}).into(),
    };
    let note = RequestRecord {
        background: history.background,
        hides_tools: history.hides_tools,
        custom: vec!["free".to_owned()],
        ..RequestRecord::default()
    };
    let wished = || TaskEvent::RunOptionsSet {
        options: Box::new(RunOptions {
            tools: vec![tool("mine"), tool("free")],
            servers: vec![CallerServerSpec { label: "shop".to_owned(), tools: vec![caller_server_tool()] }],
            note: note.to_json(),
            ..RunOptions::default()
        }),
    };
    let run = |script: &mut Script| {
        script.event(TaskEvent::RunStarted {
            run: "r".into(),
            agent: baton_types::Digest::compute(b"a"),
            deadline: Timestamp::from_millis(0),
            autonomous: false,
        });
    };
    script.event(TaskEvent::Submitted {
        context: "c".into(),
        agent: "helper".into(),
        message: message("u", Role::User, vec![Part::text("hello")]),
        tool_execution: ToolExecution::Agent,
        parent: None,
        depth: 0,
        autonomous: false,
    });
    script.event(wished());
    let mut id = ResponseId::first(task);
    if history.earlier {
        run(&mut script);
        let asked = call(Tool::Callers, "early");
        let said = message("m-early", Role::Agent, vec![Part::text("wait"), calls_part(&[&asked])]);
        script.event(TaskEvent::AttemptStarted { message: "m-early".into(), turn: 1, attempt: 1 });
        let usage = Usage::new(100, 100);
        script.event(TaskEvent::ToolsCalled { message: said.clone(), calls: vec![asked], usage });
        script.event(TaskEvent::StatusChanged { state: TaskState::InputRequired, message: Some(said), reason: None });
        script.event(TaskEvent::MessageReceived {
            message: message("u2", Role::User, vec![Part::text("go on")]),
            results: vec![],
        });
        script.event(wished());
        id.event_number = script.fed.len() as u64;
    }
    run(&mut script);
    play(history, &mut script);
    (script, id, note)
}

/// All model calls of the turn, and its end.
fn play(history: &History, script: &mut Script) {
    let (mut turn, mut attempt) = (1, 1);
    for (thought, act) in &history.model_calls {
        let id = format!("m{turn}");
        script.event(TaskEvent::AttemptStarted { message: id.as_str().into(), turn, attempt });
        let think = |script: &mut Script, after_text: bool| {
            if let Some(text) = thought.as_ref().filter(|text| text.len().is_multiple_of(2) == after_text) {
                let reasoning =
                    ReasoningBlock { model: "a:b".to_owned(), text: text.clone(), replay: None, after_text };
                script.event(TaskEvent::ReasoningProduced { message: id.as_str().into(), reasoning });
            }
        };
        match act {
            ModelCall::Break(text) => {
                think(script, false);
                script.write(history.background, &id, attempt, text);
                think(script, true);
                attempt += 1;
                continue;
            }
            ModelCall::Call(text, tools) => {
                think(script, false);
                script.write(history.background, &id, attempt, text);
                think(script, true);
                if run_calls(script, &id, text, tools) {
                    return;
                }
            }
            ModelCall::Answer(text, finish) => {
                think(script, false);
                script.write(history.background, &id, attempt, text);
                think(script, true);
                let mut answer = message(&id, Role::Agent, vec![Part::text(text)]);
                answer.metadata = match finish {
                    Finish::Stop => None,
                    Finish::Length => Some(json!({"finish": "length"}).into()),
                    Finish::Refusal => Some(json!({"finish": "refusal"}).into()),
                };
                script.event(TaskEvent::Answered { message: answer.clone(), usage: Usage::new(3, 2) });
                if matches!(history.end, End::Done) {
                    let (state, message) = (TaskState::Completed, Some(answer));
                    script.event(TaskEvent::StatusChanged { state, message, reason: None });
                    return;
                }
            }
        }
        (turn, attempt) = (turn + 1, 1);
    }
    let reason = |code: &str| Some(FailureReason::new(code, "Because."));
    let refused = Some(message("no", Role::Agent, vec![Part::text("I will not.")]));
    let (state, message, reason) = match history.end {
        End::Done | End::Failed => (TaskState::Failed, None, reason("BTN-3003")),
        End::TurnLimit => (TaskState::Failed, None, reason("BTN-3001")),
        End::Canceled => (TaskState::Canceled, None, None),
        End::Rejected => (TaskState::Rejected, refused, None),
    };
    script.event(TaskEvent::StatusChanged { state, message, reason });
}

/// Calls tools and records their results; returns whether the turn ends with them.
fn run_calls(script: &mut Script, id: &str, text: &str, tools: &[(Tool, bool)]) -> bool {
    let calls: Vec<ToolCall> =
        tools.iter().enumerate().map(|(index, (tool, _))| call(*tool, &format!("{id}-{index}"))).collect();
    let said = message(id, Role::Agent, vec![Part::text(text), calls_part(&calls.iter().collect::<Vec<_>>())]);
    script.event(TaskEvent::ToolsCalled { message: said, calls: calls.clone(), usage: Usage::new(5, 1) });
    let (mut back, mut asked) = (Vec::new(), Vec::new());
    for ((tool, is_error), call) in tools.iter().zip(&calls) {
        match tool {
            Tool::Own | Tool::Server | Tool::CallerServer => {
                let server = match tool {
                    Tool::Server => Some("maps".to_owned()),
                    Tool::CallerServer => Some("shop".to_owned()),
                    _ => None,
                };
                script.event(TaskEvent::ToolStarted { call: call.id.clone(), effects: None, server });
            }
            Tool::Handoff => script.event(TaskEvent::HandoffSent {
                call: call.id.clone(),
                handoff: "h".into(),
                agent: "weather".into(),
                child: "t-2".into(),
                deadline: Timestamp::from_millis(0),
            }),
            Tool::Artifact => {}
            Tool::Asks => {
                asked.push(None);
                continue;
            }
            Tool::Approval => {
                asked.push(Some(call));
                continue;
            }
            Tool::Callers | Tool::Custom => {
                back.push(call);
                continue;
            }
        }
        let (call, name, output) = (call.id.clone(), call.name.clone(), Json::string("72°F"));
        script.event(TaskEvent::ToolFinished { result: ToolResult { call, name, output, is_error: *is_error } });
    }
    if back.is_empty() && asked.is_empty() {
        return false;
    }
    let mut parts = vec![Part::text("Where?")];
    if !back.is_empty() {
        parts.push(calls_part(&back));
    }
    let requests: Vec<Value> = asked
        .iter()
        .flatten()
        .map(|call| json!({"call_id": call.id.as_str(), "key": "baton/approval", "agent": "helper", "tool": call.name, "message": "May it?", "approval": call.arguments}))
        .collect();
    if !requests.is_empty() {
        parts.push(Part::data(json!({ "input_requests": requests }).into()));
    }
    let message = Some(message(&format!("{id}-ask"), Role::Agent, parts));
    script.event(TaskEvent::StatusChanged { state: TaskState::InputRequired, message, reason: None });
    true
}

fn project(
    script: &Script,
    id: &ResponseId,
    note: &RequestRecord,
    watches: bool,
) -> (ResponseProjector, Vec<StreamEvent>) {
    let mut projector = ResponseProjector::new(id, Timestamp::from_millis(1_700_000_000_000), "helper", note);
    let mut stream = projector.begin();
    let mut number = 0;
    for fed in &script.fed {
        match fed {
            FeedItem::Event(event) => {
                number += 1;
                stream.extend(projector.event(number, Timestamp::from_millis(1_700_000_001_000), event));
            }
            FeedItem::Live(message, attempt, offset, text) if watches => {
                stream.extend(projector.delta(&message.as_str().into(), *attempt, *offset, text));
            }
            FeedItem::Live(..) => {}
        }
    }
    (projector, stream)
}

fn folded(stream: &[StreamEvent]) -> Value {
    let mut folded = FoldedResponse::default();
    for event in stream {
        let event: Value = serde_json::from_str(&event.to_frame()).unwrap();
        folded.apply(&event).unwrap();
    }
    folded.response
}

proptest! {
    #[test]
    fn streams_fold_to_the_object_with_and_without_live_text(
        history in histories(),
        chunks in prop::collection::vec(1_usize..7, 1..6),
    ) {
        let (script, id, note) = script(&history, &chunks);
        let (watched, seen) = project(&script, &id, &note, true);
        let (unwatched, unseen) = project(&script, &id, &note, false);
        prop_assert!(watched.is_over());
        prop_assert_eq!(watched.response(), unwatched.response());
        let object: Value = serde_json::from_str(&watched.response().to_json()).unwrap();
        prop_assert_eq!(folded(&seen), object.clone());
        prop_assert_eq!(folded(&unseen), object.clone());
        if history.background {
            prop_assert_eq!(seen, unseen);
        }
        let lists = object["output"].as_array().unwrap().iter().filter(|item| item["type"] == "mcp_list_tools").count();
        prop_assert_eq!(lists, usize::from(!history.hides_tools && !history.earlier), "number of tool lists");
        for item in object["output"].as_array().unwrap() {
            prop_assert!(item["status"] != "in_progress", "left open: {}", item);
        }
    }
}
