//! Run loop quality: valid arguments, bounded failures, structured answers, sequential tools.

use crate::world::{World, agent, message};
use async_stream::stream;
use baton_engine::{Engine, EngineOptions, Ports, SendCommand, TaskRef};
use baton_ports::{
    AgentSource, BoxFuture, ChatMessage, FinishReason, MicroDollars, Model, ModelCall, ModelError, ModelEvent,
    ModelResolver, ModelStream, OutputFormat, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_types::{
    AgentName, AgentSpec, AnswerFormat, JournalEvent, Json, Message, ModelNote, PartContent, Principal, TaskEvent,
    TaskState, TaskView, ToolCall, Usage,
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

/// Scripted turns of the model; the last one repeats.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    Says(&'static str),
    Calls(Vec<(&'static str, Value)>),
}

/// One agent with a scripted model and tools that record their executions.
#[derive(Clone)]
pub(crate) struct LoopFixture {
    pub(crate) world: World,
    pub(crate) spec: Arc<AgentSpec>,
    pub(crate) turns: Arc<Mutex<Vec<Turn>>>,
    /// Model calls, oldest first.
    pub(crate) calls: Arc<Mutex<Vec<ModelCall>>>,
    /// Starts and ends of tool calls, in order.
    pub(crate) ran: Arc<Mutex<Vec<String>>>,
    /// Fixed outputs by tool name.
    pub(crate) fixed_outputs: Arc<Mutex<HashMap<String, ToolOutput>>>,
    /// Usage of each model call.
    pub(crate) usage: Usage,
}

pub(crate) fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

impl LoopFixture {
    pub(crate) fn new(turns: Vec<Turn>, change: impl FnOnce(&mut AgentSpec)) -> Self {
        let mut spec = agent("boss", &[]);
        change(&mut spec);
        Self {
            world: World::default(),
            spec: Arc::new(spec),
            turns: Arc::new(Mutex::new(turns)),
            calls: Arc::default(),
            ran: Arc::default(),
            fixed_outputs: Arc::default(),
            usage: Usage::new(100, 10),
        }
    }

    pub(crate) fn engine(&self) -> Engine {
        let (models, agents, tools) = (Arc::new(self.clone()), Arc::new(self.clone()), Arc::new(self.clone()));
        let ports = self.world.ports(Arc::new(self.world.journal.clone()));
        Engine::new(EngineOptions::default(), Ports { models, agents, tools, ..ports })
    }

    pub(crate) async fn ask(&self, engine: &Engine, words: Message) -> Arc<TaskView> {
        engine.send_and_settle(&me(), SendCommand::new("boss".into(), words)).await.unwrap()
    }

    /// Sends one message; returns its task and events.
    pub(crate) async fn run(&self) -> (Arc<TaskView>, Vec<TaskEvent>) {
        let engine = self.engine();
        let task = self.ask(&engine, message("m", "go")).await;
        let events = events(&engine, &task).await;
        (task, events)
    }

    /// Tool results that the model received, oldest first.
    pub(crate) fn results(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        let last = calls.last().unwrap().messages.iter().filter_map(|message| match message {
            ChatMessage::Tool { output, .. } => Some(output.to_plain_text()),
            _ => None,
        });
        last.collect()
    }
}

pub(crate) async fn events(engine: &Engine, task: &TaskView) -> Vec<TaskEvent> {
    let reference = TaskRef { task: task.id.clone(), agent: None };
    let stored = engine.events(&me(), &reference, 0, 1000).await.unwrap();
    let facts = stored.iter().map(|event| match &event.fact {
        JournalEvent::Task(event) => event.clone(),
        other => panic!("{other:?} is no event of a task"),
    });
    facts.collect()
}

/// Text of the final status message.
pub(crate) fn status_text(task: &TaskView) -> String {
    task.status_message.as_ref().unwrap().text()
}

impl AgentSource for LoopFixture {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        vec![Arc::clone(&self.spec)]
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        (*name == self.spec.name).then(|| Arc::clone(&self.spec))
    }
}

impl ModelResolver for LoopFixture {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(self.clone()))
    }
}

impl Model for LoopFixture {
    fn name(&self) -> &str {
        "scripted"
    }

    /// A token costs 100 micro-dollars.
    fn price(&self, usage: Usage) -> Option<MicroDollars> {
        Some(usage.total() * 100)
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let id = call.message_id.clone();
        self.calls.lock().unwrap().push(call);
        let mut turns = self.turns.lock().unwrap();
        let turn = if turns.len() > 1 { turns.remove(0) } else { turns[0].clone() };
        let usage = self.usage;
        Box::pin(stream! {
            match turn {
                Turn::Says(text) => {
                    for piece in text.split_inclusive(' ') {
                        yield Ok(ModelEvent::Text(piece.to_owned()));
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                    yield Ok(ModelEvent::Done { usage, finish: FinishReason::Stop, answered_by: None });
                }
                Turn::Calls(calls) => {
                    for (index, (name, arguments)) in calls.into_iter().enumerate() {
                        let id = format!("{id}-{index}").into();
                        let call = ToolCall { id, name: name.to_owned(), arguments: arguments.into() };
                        yield Ok(ModelEvent::ToolCall(call));
                    }
                    yield Ok(ModelEvent::Done { usage, finish: FinishReason::ToolCalls, answered_by: None });
                }
            }
        })
    }
}

impl ToolHost for LoopFixture {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        let (name, arguments) = (run.tool.name.clone(), run.call.arguments.clone());
        Box::pin(async move {
            self.ran.lock().unwrap().push(format!("{name} {}", arguments.as_str()));
            tokio::time::sleep(Duration::from_millis(2)).await;
            self.ran.lock().unwrap().push(format!("{name} done"));
            let given = self.fixed_outputs.lock().unwrap().get(&name).cloned();
            let done = || ToolOutput { output: Json::string(&format!("{name} done")), is_error: false };
            ToolOutcome::Done(given.unwrap_or_else(done))
        })
    }
}

fn call(name: &'static str, arguments: Value) -> Turn {
    Turn::Calls(vec![(name, arguments)])
}

fn weather(spec: &mut AgentSpec) {
    spec.tools[0].parameters = json!({
        "type": "object",
        "properties": {"days": {"type": "integer", "maximum": 7}, "unit": {"enum": ["C", "F"]}},
        "required": ["days"],
        "additionalProperties": false,
    })
    .into();
}

#[tokio::test(start_paused = true)]
async fn invalid_arguments_are_returned_to_the_model_with_their_errors() {
    let wrong = vec![
        ("look", json!({"days": "three", "unit": "K", "when": 1})),
        ("look", json!({"unit": "C"})),
        ("look", json!("days=3")),
        ("look", json!({"days": 9})),
        ("nowhere", json!({})),
    ];
    let turns = vec![Turn::Calls(wrong), call("look", json!({"days": 3})), Turn::Says("Sunny.")];
    let fixture = LoopFixture::new(turns, weather);
    let (task, _) = fixture.run().await;
    assert_eq!(task.state, TaskState::Completed);
    assert_eq!(*fixture.ran.lock().unwrap(), ["look {\"days\":3}", "look done"], "only valid calls run");
    let observed = fixture.results();
    let expected = [
        [
            "BTN-3014: the arguments of 'look' do not match the schema: ",
            "at '/days'",
            "\"three\"",
            "at '/unit'",
            "'when'",
        ]
        .as_slice(),
        &["BTN-3014", "days"],
        &["BTN-3014", "not a JSON object", "days=3"],
        &["BTN-3014", "at '/days'", "9"],
        &["BTN-2020: there is no tool 'nowhere'. Tools: look, put, act"],
        &["look done"],
    ];
    assert_eq!(observed.len(), expected.len());
    for (observed, parts) in observed.iter().zip(expected) {
        assert!(parts.iter().all(|part| observed.contains(part)), "{observed}");
    }
}

#[tokio::test(start_paused = true)]
async fn repeated_failures_of_a_tool_end_the_run() {
    let fixture = LoopFixture::new(vec![call("put", json!({}))], |spec| spec.limits.tool_errors = 2);
    let broken = ToolOutput { output: Json::string("the disk is full"), is_error: true };
    fixture.fixed_outputs.lock().unwrap().insert("put".to_owned(), broken);
    let (task, _) = fixture.run().await;
    assert_eq!((task.state, fixture.calls.lock().unwrap().len()), (TaskState::Failed, 3));
    assert_eq!(status_text(&task), "BTN-3015: 'put' failed 3 times in this run, the last time with: the disk is full");
}

#[tokio::test(start_paused = true)]
async fn a_sequential_tool_runs_alone_and_results_keep_their_order() {
    let calls = ["look", "look", "put", "look", "act"].map(|name| (name, json!({}))).to_vec();
    let fixture =
        LoopFixture::new(vec![Turn::Calls(calls), Turn::Says("Done.")], |spec| spec.tools[1].sequential = true);
    let (task, _) = fixture.run().await;
    assert_eq!(task.state, TaskState::Completed);
    let ran = fixture.ran.lock().unwrap().clone();
    let ran: Vec<&str> = ran.iter().map(|line| line.trim_end_matches(" {}")).collect();
    assert_eq!(
        ran,
        ["look", "look", "look done", "look done", "put", "put done", "look", "act", "look done", "act done"]
    );
    assert_eq!(fixture.results(), ["look done", "look done", "put done", "look done", "act done"]);
}

fn structured_answer(repairs: u32) -> impl FnOnce(&mut AgentSpec) {
    move |spec| {
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}).into();
        spec.answer = Some(AnswerFormat { schema, repairs });
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_repaired_within_its_budget_or_fails_clearly() {
    let fenced = Turn::Says("Here it is:\n```json\n{\"city\": \"Paris\"}\n```\nAnything else?");
    let turns = vec![Turn::Says("Paris, of course."), Turn::Says("{\"city\": 7}"), fenced];
    let fixture = LoopFixture::new(turns, structured_answer(2));
    let (task, events) = fixture.run().await;
    assert_eq!(task.state, TaskState::Completed);
    let answer = &task.artifacts[0].parts;
    assert!(matches!(&answer[0].content, PartContent::Text(text) if text.starts_with("Here it is")));
    assert!(matches!(&answer[1].content, PartContent::Data(data) if data.as_str() == r#"{"city":"Paris"}"#));
    assert_eq!(answer[1].media_type.as_deref(), Some("application/json"));
    let problems: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            TaskEvent::ModelNoted { note: ModelNote::Repaired { problem, .. } } => Some(problem.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(problems.len(), 2);
    assert!(problems[0] == "the answer is not JSON" && problems[1].contains("at '/city'"), "{problems:?}");
    let calls = fixture.calls.lock().unwrap().clone();
    assert!(calls.iter().all(|call| matches!(call.format, OutputFormat::JsonSchema(_)) && call.turn == 1));
    let [.., ChatMessage::Assistant { text, .. }, ChatMessage::User { text: asked, .. }] = &calls[2].messages[..]
    else {
        panic!("{:?}", calls[2].messages)
    };
    assert!(text == "{\"city\": 7}" && asked.contains(&problems[1]), "{asked}");

    let fixture = LoopFixture::new(vec![Turn::Says("Paris.")], structured_answer(1));
    let (task, _) = fixture.run().await;
    assert_eq!((task.state, fixture.calls.lock().unwrap().len()), (TaskState::Failed, 2));
    assert_eq!(status_text(&task), "BTN-3016: the answer is not JSON; 2 answers were tried");
}
