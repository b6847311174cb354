use crate::sample::*;
use baton_rules::{HandoffRecord, HandoffRejection, IllegalHandoffTransition, admit_handoff, is_legal_transition};
use baton_types::*;

fn handoff() -> Handoff {
    Handoff {
        id: "h".into(),
        from_agent: "personal".into(),
        to_agent: "weather".into(),
        capability_id: "weather".to_owned(),
        task: "look".to_owned(),
        inputs: json(serde_json::json!({})),
        expected_output: ExpectedOutput::default(),
        priority: Priority::Normal,
        timeout_ms: 1,
        created_at: at(0),
        parent_task: Some("t".into()),
        parent_call: Some("a".into()),
        child_task: Some("child".into()),
        child_context: "cc".into(),
        channel: Default::default(),
        channel_reason: None,
        agent_uri: None,
        trace: None,
    }
}

fn status_changed(to: HandoffStatus) -> HandoffEvent {
    HandoffEvent::StatusChanged {
        to,
        result: Some(Json::string("r")),
        error: Some("e".to_owned()),
        result_trace_id: Some("t".to_owned()),
    }
}

#[test]
fn every_pair_of_statuses_follows_the_table() {
    use HandoffStatus::*;
    let table: [(HandoffStatus, &[HandoffStatus]); 9] = [
        (Pending, &[Accepted, Rejected, Cancelled, Timeout]),
        // A receiver that completes immediately is recorded as accepted, in_progress, completed.
        (Accepted, &[InProgress, Rejected, Failed, Cancelled, Timeout]),
        (InProgress, &[InputRequired, Completed, Failed, Cancelled, Timeout]),
        (InputRequired, &[InProgress, Completed, Failed, Cancelled, Timeout]),
        (Completed, &[]),
        (Failed, &[]),
        (Timeout, &[]),
        (Cancelled, &[]),
        (Rejected, &[]),
    ];
    assert_eq!(table.map(|(from, _)| from), HandoffStatus::ALL);
    for (from, allowed) in table {
        assert_eq!(allowed.is_empty(), from.is_terminal(), "{from:?}");
        for to in HandoffStatus::ALL {
            assert_eq!(is_legal_transition(from, to), allowed.contains(&to), "{from:?} -> {to:?}");
            let before = HandoffRecord { status: from, ..HandoffRecord::new(handoff()) };
            let mut record = before.clone();
            if allowed.contains(&to) {
                record.apply(&status_changed(to)).unwrap();
                let (result, error) = (Some(Json::string("r")), Some("e".to_owned()));
                let result_trace_id = Some("t".to_owned());
                assert_eq!(record, HandoffRecord { status: to, result, error, result_trace_id, version: 2, ..before });
            } else {
                assert_eq!(record.apply(&status_changed(to)), Err(IllegalHandoffTransition { from, to }));
                assert_eq!(record, before);
            }
        }
    }
}

#[test]
fn a_history_folds_to_its_record_and_begins_with_one_creation() {
    use HandoffStatus::*;
    let created = HandoffEvent::Created(Box::new(handoff()));
    let story = [created.clone(), status_changed(Accepted), status_changed(InProgress), status_changed(Completed)];
    let record = HandoffRecord::fold(&story).unwrap().unwrap();
    assert_eq!((record.status, record.version), (Completed, 4));
    assert!(HandoffRecord::fold(&story[1..]).is_none());
    assert!(HandoffRecord::fold(&[created.clone(), created.clone()]).unwrap().is_err());
    assert_eq!(
        HandoffRecord::fold(&[created, status_changed(Accepted), status_changed(Completed)]).unwrap(),
        Err(IllegalHandoffTransition { from: Accepted, to: Completed })
    );
}

#[test]
fn peer_reaches_only_the_targets_of_the_first_local_agent() {
    let remote = |name: &str| {
        let model = ModelSpec::Peer { url: format!("https://{name}.example"), listed: false };
        AgentSpec { name: name.into(), model, handoffs: Vec::new(), ..spec() }
    };
    let peer = remote("peer");
    let without_targets = AgentSpec { handoffs: Vec::new(), ..spec() };
    let lists_too = AgentSpec { handoffs: spec().handoffs, ..remote("other") };
    for (first_local, to, expect) in [
        (None, "weather", false),
        (Some(&without_targets), "weather", false),
        (Some(&spec()), "stranger", false),
        (Some(&lists_too), "weather", false),
        (Some(&spec()), "weather", true),
    ] {
        let admitted = admit_handoff(&peer, first_local, None, 0, &to.into(), 5);
        assert_eq!(admitted.is_ok(), expect, "{:?} to {to}", first_local.map(|first_local| &first_local.name));
        if let Err(refused) = admitted {
            assert!(matches!(refused, HandoffRejection::RemoteSender { .. }), "{refused}");
        }
    }
}

#[test]
fn handoffs_need_a_listed_target_no_cycle_and_limited_depth() {
    let link = |chain: &[&str]| ParentLink {
        task: "p".into(),
        handoff: "h".into(),
        chain: chain.iter().map(|name| AgentName::from(*name)).collect(),
        session: None,
    };
    let admit = |chain: &[&str], to: &str, depth| {
        admit_handoff(&spec(), None, Some(&link(chain)).filter(|_| !chain.is_empty()), 0, &to.into(), depth)
            .map(|chain| chain.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(admit(&[], "weather", 5).as_deref(), Ok("personal"));
    assert_eq!(admit(&["first", "second"], "weather", 5).as_deref(), Ok("first second personal"));
    assert_eq!(
        admit(&[], "stranger", 5).unwrap_err().to_string(),
        "agent 'personal' may not hand work to 'stranger'; allowed agents: weather"
    );
    let open = AgentSpec { handoffs: Vec::new(), ..spec() };
    assert!(admit_handoff(&open, None, None, 0, &"anybody".into(), 5).is_ok(), "an empty list allows every target");
    let lonely = AgentSpec { handoffs: Vec::new(), enable_handoff: false, ..spec() };
    let refused = admit_handoff(&lonely, None, None, 0, &"weather".into(), 5).unwrap_err();
    assert_eq!(refused.to_string(), "agent 'personal' may not hand work to 'weather'; allowed agents: none");
    for chain in [&["weather"][..], &["weather", "other"], &["other", "weather"]] {
        assert!(matches!(admit(chain, "weather", 5), Err(HandoffRejection::Cycle { .. })), "{chain:?}");
    }
    let back = admit(&["weather", "other"], "weather", 5).unwrap_err().to_string();
    assert!(back.contains("weather -> other -> personal"), "{back}");
    assert!(
        matches!(admit(&[], "personal", 5), Err(HandoffRejection::Cycle { .. })),
        "a handoff to the same agent is a cycle"
    );
    // With a limit of five, the fifth handoff is allowed and the sixth is not.
    assert!(admit(&["a", "b", "c", "d"], "weather", 5).is_ok());
    assert_eq!(admit(&["a", "b", "c", "d", "e"], "weather", 5), Err(HandoffRejection::TooDeep { depth: 5, limit: 5 }));
    assert_eq!(admit(&[], "weather", 0), Err(HandoffRejection::TooDeep { depth: 0, limit: 0 }));
}

#[test]
fn handoff_is_rerouted_once_and_only_while_in_progress() {
    let rerouted = HandoffEvent::Rerouted {
        channel: HandoffChannel::Direct,
        reason: ChannelReason::OtherModel,
        model: Some("gpt-5".to_owned()),
    };
    for status in HandoffStatus::ALL {
        let begun = Handoff { channel: HandoffChannel::Sampling, ..handoff() };
        let before = HandoffRecord { status, ..HandoffRecord::new(begun) };
        let mut record = before.clone();
        if status != HandoffStatus::InProgress {
            assert_eq!(record.apply(&rerouted), Err(IllegalHandoffTransition { from: status, to: status }));
            assert_eq!(record, before);
            continue;
        }
        record.apply(&rerouted).unwrap();
        let mut expected = before;
        expected.handoff.channel = HandoffChannel::Direct;
        expected.handoff.channel_reason = Some(ChannelReason::OtherModel);
        expected.answered_model = Some("gpt-5".to_owned());
        expected.version += 1;
        assert_eq!(record, expected);
        assert!(record.apply(&rerouted).is_err(), "the handoff already uses that channel");
    }
}
