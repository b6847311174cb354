//! Server tools in an agent's run: the `ToolHost` port.

use super::{
    script::{Script, text, tool},
    world::{Helper, run, run_as, single_server},
};
use baton_ports::{ToolOutcome, ToolOutput};
use baton_toolhost::Toolbox;
use baton_types::{AnswerAction, Json, QuestionKind, ToolAnswer, ToolAnswers};
use serde_json::{Value, json};

fn sampling(agent: Option<&str>) -> Value {
    let mut params = json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": "a poem, please"}}],
        "maxTokens": 50, "systemPrompt": "rhyme",
    });
    if let Some(agent) = agent {
        params["metadata"] = json!({"agent_uri": agent});
    }
    json!({"method": "sampling/createMessage", "params": params})
}

fn outcome(outcome: ToolOutcome) -> ToolOutput {
    match outcome {
        ToolOutcome::Done(output) => output,
        ToolOutcome::InputRequired(ask) => panic!("asks {ask:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn sampling_and_roots_are_answered_and_forms_become_questions() {
    let script = Script::new(|mut wire| async move {
        wire.modern(json!([tool("t")])).await;
        let first = wire.until("tools/call").await;
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        let requests = json!({
            "poem": sampling(None),
            "agent": sampling(Some("agent://nobody")),
            "roots": {"method": "roots/list"},
            "who": {"method": "elicitation/create", "params": {"message": "Who\u{200b}?", "requestedSchema": schema}},
            "link": {"method": "elicitation/create", "params": {
                "mode": "url", "message": "Go", "url": "javascript:alert(1)", "elicitationId": "e1",
            }},
        });
        wire.answer(&first, json!({"resultType": "input_required", "requestState": "one", "inputRequests": requests}))
            .await;
        let second = wire.until("tools/call").await;
        assert_eq!(second["params"]["requestState"], "one");
        let told = second["params"]["inputResponses"].clone();
        assert_eq!(told["poem"]["content"]["text"], "a poem");
        assert_eq!((&told["agent"]["model"], &told["agent"]["stopReason"]), (&json!("a2a-agent"), &json!("error")));
        assert_eq!(told["roots"]["roots"], json!([]));
        assert_eq!(told["who"], json!({"action": "accept", "content": {"name": "Ann"}}));
        assert_eq!(told["link"]["action"], "decline");
        wire.answer(&second, text("thanks")).await;
        wire.wait().await;
    });
    let (_agents, servers) = single_server(&script);
    let (toolbox, helper) = (Toolbox::new(servers), Helper::default());
    let ToolOutcome::InputRequired(ask) = run(&toolbox, &helper, "t", None).await else { panic!("no input request") };
    assert_eq!(ask.questions.len(), 1);
    let question = &ask.questions[0];
    assert_eq!((question.key.as_str(), question.message.as_str()), ("who", "Who?"));
    assert!(
        matches!(&question.wants, QuestionKind::Form { schema } if schema.to_value()["required"] == json!(["name"]))
    );
    assert_eq!(helper.asked.lock().unwrap().len(), 2);
    let answer = ToolAnswer {
        key: "who".into(),
        action: AnswerAction::Accept,
        content: Some(Json::parse(r#"{"name":"Ann"}"#).unwrap()),
    };
    let answers = ToolAnswers { answers: vec![answer], state: ask.state };
    let output = outcome(run(&toolbox, &helper, "t", Some(&answers)).await);
    assert_eq!((output.output.as_str(), output.is_error), ("\"thanks\"", false));
}

#[tokio::test(start_paused = true)]
async fn legacy_server_samples_and_reports_progress_in_a_call() {
    let script = Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        let call = wire.until("tools/call").await;
        let token = &call["params"]["_meta"]["progressToken"];
        for done in [1, 2] {
            wire.send(json!({
                "jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": done},
            }))
            .await;
        }
        let mut ask = sampling(Some("agent://poet"));
        (ask["jsonrpc"], ask["id"]) = (json!("2.0"), json!(5));
        wire.send(ask).await;
        let poem = wire.next().await.unwrap();
        assert_eq!(poem["result"]["model"], "a2a-agent/weather");
        assert_eq!(poem["result"]["_meta"], json!({"dev.baton/taskId": "task-7", "dev.baton/contextId": "context-7"}));
        wire.answer(&call, json!({"content": [], "structuredContent": {"poem": poem["result"]["content"]["text"]}}))
            .await;
        wire.wait().await;
    });
    let (_agents, servers) = single_server(&script);
    let (toolbox, helper) = (Toolbox::new(servers), Helper::default());
    let output = outcome(run(&toolbox, &helper, "t", None).await);
    assert_eq!(output.output.as_str(), r#"{"poem":"handed over"}"#);
    assert_eq!(*helper.progress.lock().unwrap(), [1.0, 2.0]);
    let asked = helper.asked.lock().unwrap();
    assert_eq!(asked[0].agent_uri.as_deref(), Some("agent://poet"));
    assert_eq!((asked[0].system.as_deref(), asked[0].max_tokens), (Some("rhyme"), Some(50)));
}

#[tokio::test(start_paused = true)]
async fn endless_input_requests_stop_the_call() {
    let script = Script::new(|mut wire| async move {
        wire.modern(json!([tool("t")])).await;
        loop {
            let call = wire.until("tools/call").await;
            wire.answer(&call, json!({"resultType": "input_required", "requestState": "again"})).await;
        }
    });
    let (_agents, servers) = single_server(&script);
    let output = outcome(run(&Toolbox::new(servers), &Helper::default(), "t", None).await);
    assert!(output.is_error);
    assert_eq!(output.output.as_str(), "\"s__t was stopped: it asked for input more than 10 times\"");
}

#[tokio::test(start_paused = true)]
async fn failures_are_outputs_with_a_remedy() {
    let script = Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        let call = wire.until("tools/call").await;
        wire.refuse(&call, -32602).await;
        let call = wire.until("tools/call").await;
        wire.answer(&call, json!({"content": [{"type": "text", "text": "no such file"}], "isError": true})).await;
    });
    let (_agents, servers) = single_server(&script);
    let (toolbox, helper) = (Toolbox::new(servers), Helper::default());
    let mut told = Vec::new();
    for _ in 0..2 {
        let output = outcome(run(&toolbox, &helper, "t", None).await);
        assert!(output.is_error);
        told.push(output.output.to_plain_text());
    }
    insta::assert_snapshot!(told.join("\n---\n"));
}

#[tokio::test(start_paused = true)]
async fn only_the_same_call_may_continue() {
    let script = Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        loop {
            let call = wire.until("tools/call").await;
            let form = json!({"type": "object", "properties": {}});
            let params = json!({"message": "Well?", "requestedSchema": form});
            wire.send(json!({"jsonrpc": "2.0", "id": 5, "method": "elicitation/create", "params": params})).await;
            let answer = wire.next().await.unwrap();
            wire.answer(&call, text(answer["result"]["action"].as_str().unwrap())).await;
        }
    });
    let (_agents, servers) = single_server(&script);
    let (toolbox, helper) = (Toolbox::new(servers), Helper::default());
    let decline = |state| {
        let answer = ToolAnswer { key: "elicitation-1".into(), action: AnswerAction::Decline, content: None };
        ToolAnswers { answers: vec![answer], state }
    };
    let asked = async |of| match run_as(&toolbox, &helper, "t", None, of).await {
        ToolOutcome::InputRequired(ask) => decline(ask.state),
        ToolOutcome::Done(output) => panic!("asks nothing: {output:?}"),
    };
    // Outside of a run each round is a separate call, and only the caller is the same.
    let answers = asked((None, "c1")).await;
    let output = outcome(run_as(&toolbox, &helper, "t", Some(&answers), (None, "c2")).await);
    assert_eq!(output.output.as_str(), "\"decline\"");
    // In a run the call has one id, and no other call may continue it.
    let answers = asked((Some("t1"), "c1")).await;
    for other in [(Some("t1"), "c2"), (Some("t2"), "c1"), (None, "c1")] {
        let output = outcome(run_as(&toolbox, &helper, "t", Some(&answers), other).await);
        assert!(output.output.as_str().contains("expired"), "{}", output.output.as_str());
    }
    let output = outcome(run_as(&toolbox, &helper, "t", Some(&answers), (Some("t1"), "c1")).await);
    assert_eq!(output.output.as_str(), "\"decline\"");
}

#[tokio::test(start_paused = true)]
async fn sampling_requests_of_a_call_are_limited() {
    let script = Script::new(|mut wire| async move {
        wire.modern(json!([tool("t")])).await;
        let call = wire.until("tools/call").await;
        let many: serde_json::Map<_, _> = (0..100).map(|at| (at.to_string(), sampling(None))).collect();
        wire.answer(&call, json!({"resultType": "input_required", "requestState": "s", "inputRequests": many})).await;
        wire.wait().await;
    });
    let (_agents, servers) = single_server(&script);
    let helper = Helper::default();
    let output = outcome(run(&Toolbox::new(servers), &helper, "t", None).await);
    assert_eq!(output.output.as_str(), "\"s__t was stopped: it asked for too much input at once\"");
    assert_eq!(helper.asked.lock().unwrap().len(), 0);
}
