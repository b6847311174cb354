//! Sample values.

use baton_types::*;

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_794_770_760_000 + millis)
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

pub(crate) fn task_id() -> TaskId {
    "task-1".into()
}

pub(crate) fn context_id() -> ContextId {
    "context-1".into()
}

pub(crate) fn question() -> Message {
    let parts = vec![
        Part { media_type: Some("text/plain".into()), ..Part::text("What's the weather in Oakland?") },
        Part::data(json(r#"{"n":42,"f":42.0,"big":123456789012345678901234567890,"list":[1,2.50,null]}"#)),
        Part {
            content: PartContent::Raw("+/8=".into()),
            filename: Some("map.bin".into()),
            media_type: Some("application/octet-stream".into()),
            metadata: Some(json(r#"{"scale":1e400}"#)),
        },
        Part { content: PartContent::Url("https://example.com/map.png".into()), ..Part::text("") },
    ];
    Message {
        metadata: Some(json(r#"{"session":9007199254740993}"#)),
        extensions: vec!["https://example.com/extension/v1".into()],
        reference_tasks: vec!["task-0".into()],
        ..Message::new("message-1".into(), Role::User, parts)
    }
}

pub(crate) fn answer() -> Message {
    Message::new("message-2".into(), Role::Agent, vec![Part::text("It is 72°F and sunny.")])
}

pub(crate) fn calls() -> Message {
    let calls = r#"{"tool_calls":[{"call_id":"call-1","name":"get_weather","arguments":{"location":"Oakland"}}]}"#;
    Message::new("message-3".into(), Role::Agent, vec![Part::text("Let me look."), Part::data(json(calls))])
}

pub(crate) fn view() -> TaskView {
    TaskView {
        id: task_id(),
        context: context_id(),
        agent: "weather".into(),
        created_at: at(0),
        tool_execution: baton_types::ToolExecution::Agent,
        state: TaskState::Completed,
        status_message: Some(answer()),
        status_at: at(5),
        history: vec![question(), answer()],
        artifacts: vec![Artifact::from_answer(&answer())],
        version: 7,
        generation: 5,
    }
}

pub(crate) fn events() -> Vec<TaskEvent> {
    let usage = Usage::default();
    let run: RunId = "run-1".into();
    let result = ToolResult {
        call: "call-1".into(),
        name: "get_weather".into(),
        output: json(r#"{"temperature":72.0}"#),
        is_error: false,
    };
    vec![
        TaskEvent::Submitted {
            context: context_id(),
            agent: "weather".into(),
            message: question(),
            tool_execution: ToolExecution::Agent,
            parent: None,
            depth: 0,
            autonomous: false,
        },
        TaskEvent::RunStarted {
            run: run.clone(),
            agent: Digest::compute(b""),
            deadline: at(60_000),
            autonomous: false,
        },
        TaskEvent::AttemptStarted { message: calls().id, turn: 1, attempt: 1 },
        TaskEvent::ToolsCalled { message: calls(), calls: Vec::new(), usage },
        TaskEvent::ToolStarted { call: "call-1".into(), effects: None, server: None },
        TaskEvent::RunPaused { run: run.clone() },
        TaskEvent::RunResumed { run, after: 5, isolated: false },
        TaskEvent::HandoffSent {
            call: "call-1".into(),
            handoff: "handoff-1".into(),
            agent: "weather".into(),
            child: "task-2".into(),
            deadline: at(60_000),
        },
        TaskEvent::ToolFinished { result },
        TaskEvent::MessageReceived { message: question(), results: Vec::new() },
        TaskEvent::ArtifactEmitted {
            artifact: Artifact {
                id: "report".into(),
                name: Some("Report".into()),
                description: Some("Numbers".into()),
                parts: vec![Part::data(json("[1,1.0]"))],
                metadata: Some(json("{}")),
            },
        },
        TaskEvent::Answered { message: answer(), usage },
        TaskEvent::StatusChanged { state: TaskState::Completed, message: Some(answer()), reason: None },
        TaskEvent::StatusChanged {
            state: TaskState::Failed,
            message: None,
            reason: Some(FailureReason::new("BTN-3001", "20 model calls")),
        },
    ]
}

pub(crate) fn agent() -> AgentSpec {
    AgentSpec {
        name: "weather".into(),
        title: "Weather".into(),
        description: "Knows the weather".into(),
        version: "1.2.0".into(),
        prompt: String::new(),
        skills: vec![SkillSpec {
            id: "forecast".into(),
            name: "Forecast".into(),
            description: "Says what the weather is".into(),
            tags: vec!["weather".into()],
            examples: vec!["What's the weather in Oakland?".into()],
        }],
        input_modes: AgentSpec::DEFAULT_INPUT_MODES.map(str::to_owned).to_vec(),
        knowledge: Default::default(),
        about: Default::default(),
        writing: Default::default(),
        tools: Vec::new(),
        answer: None,
        guardrails: Vec::new(),
        model: ModelSpec::Playbook { rules: None },
        tool_execution: ToolExecution::Agent,
        limits: RunLimits::default(),
        control_tools: ControlTools::default(),
        handoffs: Vec::new(),
        orchestration: None,
        a2a: baton_types::A2aSettings::default(),
        enable_handoff: false,
        policy: Default::default(),
        autonomous: false,
    }
}
