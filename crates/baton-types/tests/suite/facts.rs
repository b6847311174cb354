use crate::json::texts;
use baton_types::*;
use proptest::prelude::*;

fn json() -> impl Strategy<Value = Json> {
    texts().prop_map(|(loose, _)| Json::parse(&loose).unwrap())
}

/// Metadata is an object or absent; `null` is the same as absent.
fn object() -> impl Strategy<Value = Option<Json>> {
    prop::option::of(json().prop_map(|value| Json::parse(&format!("{{\"key\":{value:?}}}")).unwrap()))
}

fn part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        ".*".prop_map(PartContent::Text),
        ".*".prop_map(PartContent::Raw),
        ".*".prop_map(PartContent::Url),
        json().prop_map(PartContent::Data),
    ];
    (content, object(), prop::option::of(".*"), prop::option::of(".*"))
        .prop_map(|(content, metadata, filename, media_type)| Part { content, metadata, filename, media_type })
}

fn message() -> impl Strategy<Value = Message> {
    let ids = prop::collection::vec(".{0,4}", 0..3);
    (".*", any::<bool>(), prop::collection::vec(part(), 0..3), prop::option::of(".*"), object(), ids).prop_map(
        |(id, user, parts, place, metadata, ids)| Message {
            context: place.clone().map(Into::into),
            task: place.map(Into::into),
            metadata,
            reference_tasks: ids.iter().map(|id| id.as_str().into()).collect(),
            extensions: ids,
            ..Message::new(id.into(), if user { Role::User } else { Role::Agent }, parts)
        },
    )
}

fn result() -> impl Strategy<Value = ToolResult> {
    (".*", ".*", json(), any::<bool>()).prop_map(|(call, name, output, is_error)| ToolResult {
        call: call.into(),
        name,
        output,
        is_error,
    })
}

fn usage() -> impl Strategy<Value = Usage> {
    any::<(u64, u64)>().prop_map(|(input_tokens, output_tokens)| Usage::new(input_tokens, output_tokens))
}

fn moment() -> impl Strategy<Value = Timestamp> {
    any::<i64>().prop_map(Timestamp::from_millis)
}

fn task_event() -> impl Strategy<Value = TaskEvent> {
    let parent = (".*", ".*", prop::collection::vec(".{0,4}", 0..3)).prop_map(|(task, handoff, chain)| ParentLink {
        task: task.into(),
        handoff: handoff.into(),
        chain: chain.into_iter().map(Into::into).collect(),
        session: None,
    });
    let calls = (".*", ".*", json()).prop_map(|(id, name, arguments)| ToolCall { id: id.into(), name, arguments });
    let artifact = (".*", prop::option::of(".*"), prop::collection::vec(part(), 0..2), object()).prop_map(
        |(id, name, parts, metadata)| Artifact { id: id.into(), description: name.clone(), name, parts, metadata },
    );
    let reason = (".*", ".*").prop_map(|(code, detail)| FailureReason::new(code, detail));
    let modes = prop::sample::select(vec![ToolExecution::Agent, ToolExecution::Caller]);
    prop_oneof![
        (".*", ".*", message(), modes, prop::option::of(parent)).prop_map(
            |(context, agent, message, tool_execution, parent)| TaskEvent::Submitted {
                context: context.into(),
                agent: agent.into(),
                message,
                tool_execution,
                parent,
                depth: 0,
                autonomous: false,
            }
        ),
        (message(), prop::collection::vec(result(), 0..2))
            .prop_map(|(message, results)| TaskEvent::MessageReceived { message, results }),
        (".*", moment()).prop_map(|(run, deadline)| TaskEvent::RunStarted {
            agent: Digest::compute(run.as_bytes()),
            run: run.into(),
            deadline,
            autonomous: false
        }),
        (".*", any::<u64>(), any::<bool>()).prop_map(|(run, after, isolated)| TaskEvent::RunResumed {
            run: run.into(),
            after,
            isolated
        }),
        ".*".prop_map(|run| TaskEvent::RunPaused { run: run.into() }),
        (".*", any::<u32>(), any::<u32>()).prop_map(|(message, turn, attempt)| TaskEvent::AttemptStarted {
            message: message.into(),
            turn,
            attempt,
        }),
        (message(), prop::collection::vec(calls, 0..2), usage())
            .prop_map(|(message, calls, usage)| TaskEvent::ToolsCalled { message, calls, usage }),
        ".*".prop_map(|call| TaskEvent::ToolStarted { call: call.into(), effects: None, server: None }),
        result().prop_map(|result| TaskEvent::ToolFinished { result }),
        (".*", moment()).prop_map(|(id, deadline)| TaskEvent::HandoffSent {
            call: id.as_str().into(),
            handoff: id.as_str().into(),
            agent: id.as_str().into(),
            child: id.into(),
            deadline,
        }),
        artifact.prop_map(|artifact| TaskEvent::ArtifactEmitted { artifact }),
        (message(), usage()).prop_map(|(message, usage)| TaskEvent::Answered { message, usage }),
        (prop::sample::select(TaskState::ALL.to_vec()), prop::option::of(message()), prop::option::of(reason))
            .prop_map(|(state, message, reason)| TaskEvent::StatusChanged { state, message, reason }),
    ]
}

fn handoff_event() -> impl Strategy<Value = HandoffEvent> {
    let expected = (".*", prop::collection::vec(".{0,4}", 0..3), prop::option::of(any::<u64>()), any::<bool>())
        .prop_map(|(kind, fields, most, allows_chunking)| ExpectedOutput {
            kind,
            completeness_markers: fields.clone(),
            fields,
            max_lines: most,
            max_tokens: most,
            allows_chunking,
            chunk_correlation_id: most.map(|most| most.to_string()),
        });
    let priorities = vec![Priority::Critical, Priority::High, Priority::Normal, Priority::Low];
    let created = (".*", json(), expected, prop::sample::select(priorities), any::<u64>(), moment()).prop_map(
        |(id, inputs, expected_output, priority, timeout_ms, created_at)| Handoff {
            id: id.as_str().into(),
            from_agent: id.as_str().into(),
            to_agent: id.as_str().into(),
            capability_id: id.clone(),
            task: id.clone(),
            inputs,
            expected_output,
            priority,
            timeout_ms,
            created_at,
            parent_task: Some(id.as_str().into()),
            parent_call: Some(id.as_str().into()),
            child_task: Some(id.as_str().into()),
            child_context: id.into(),
            channel: Default::default(),
            channel_reason: None,
            agent_uri: None,
            trace: None,
        },
    );
    let statuses = prop::sample::select(HandoffStatus::ALL.to_vec());
    prop_oneof![
        created.prop_map(|handoff| HandoffEvent::Created(Box::new(handoff))),
        (statuses, object(), prop::option::of(".*")).prop_map(|(to, result, error)| HandoffEvent::StatusChanged {
            to,
            result,
            result_trace_id: error.clone(),
            error
        }),
        (prop::sample::select(ChannelReason::ALL.to_vec()), prop::option::of(".*"))
            .prop_map(|(reason, model)| HandoffEvent::Rerouted { channel: HandoffChannel::Direct, reason, model }),
    ]
}

proptest! {
    #[test]
    fn events_round_trip_through_storage(
        fact in prop_oneof![3 => task_event().prop_map(JournalEvent::Task), 1 => handoff_event().prop_map(JournalEvent::Handoff)],
    ) {
        let body = fact.encode().unwrap();
        let stored = Json::parse(body.as_str()).unwrap();
        prop_assert_eq!(&stored, &body, "the stored JSON is compact");
        prop_assert_eq!(JournalEvent::decode(fact.kind(), JournalEvent::SCHEMA, &stored).unwrap(), fact);
    }
}

#[test]
fn decode_errors_name_the_reason() {
    let fact = JournalEvent::Task(TaskEvent::RunPaused { run: "r".into() });
    let body = fact.encode().unwrap();
    for (kind, schema, words) in [
        ("task.run_paused", JournalEvent::SCHEMA + 1, "newer Baton"),
        ("task.run_paused", 0, "newer Baton"),
        ("dream.had", JournalEvent::SCHEMA, "newer Baton"),
        ("handoff.moved", JournalEvent::SCHEMA, "event kind 'handoff.moved'"),
    ] {
        let error = JournalEvent::decode(kind, schema, &body).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
