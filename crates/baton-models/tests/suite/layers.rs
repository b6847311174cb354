//! Retry, fallback, gate and timeout layers, with paused time.

use crate::{
    calls::user,
    scripted_model::{FixedClock, Step, output_lines, refused, scripted, with_window},
};
use Step::{Done, Fail, Pending, Say, Wait};
use baton_models::{
    FallbackModel, GateLimits, GatedModel, JitterSource, ModelCatalog, ModelLayers, ProviderGate, RetryModel,
    RetryPolicy, StreamTimeouts, TimeoutModel, chain,
};
use baton_ports::{Model, ModelError, ModelEvent};
use baton_types::Usage;
use futures_util::{FutureExt, StreamExt};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Without jitter, so that delays are known.
fn retry(inner: Arc<dyn Model>) -> RetryModel {
    RetryModel::new(inner, RetryPolicy::default(), JitterSource::from_fn(|| 1.0))
}

fn unreachable() -> ModelError {
    ModelError::Unreachable("gone".to_owned())
}

fn broken() -> ModelError {
    ModelError::Interrupted("cut".to_owned())
}

#[tokio::test(start_paused = true)]
async fn transient_errors_are_retried() {
    let good: &[Step] = &[Say("hi"), Done];
    // Events of the first attempt, number of calls, delay in seconds.
    for (first, asked, waited, ends) in [
        (Fail(refused(429, None)), 2, 0.5, true),
        (Fail(refused(429, Some(3))), 2, 3.0, true),
        (Fail(refused(429, Some(61))), 1, 0.0, false),
        (Fail(refused(500, None)), 2, 0.5, true),
        (Fail(refused(529, None)), 2, 0.5, true),
        (Fail(refused(408, None)), 2, 0.5, true),
        (Fail(refused(409, None)), 2, 0.5, true),
        (Fail(unreachable()), 2, 0.5, true),
        (Fail(broken()), 2, 0.5, true),
        (Fail(refused(400, Some(1))), 1, 0.0, false),
        (Fail(refused(401, None)), 1, 0.0, false),
        (Fail(refused(403, None)), 1, 0.0, false),
        (Fail(refused(404, None)), 1, 0.0, false),
        (Fail(ModelError::TooLong("long".to_owned())), 1, 0.0, false),
        (Fail(ModelError::Configuration("bad".to_owned())), 1, 0.0, false),
    ] {
        let Fail(error) = first.clone() else { unreachable!() };
        let model = scripted("a:m", &[&[first], good]);
        let start = Instant::now();
        let events: Vec<_> = retry(model.clone()).call(user("x")).collect().await;
        assert_eq!((model.calls(), start.elapsed().as_secs_f64()), (asked, waited), "{error}");
        let noted = events.iter().filter(|event| matches!(event, Ok(ModelEvent::Note(_)))).count();
        assert_eq!(noted, asked - 1, "{error}: each retry emits a note");
        assert_eq!(matches!(events.last(), Some(Ok(ModelEvent::Done { .. }))), ends, "{error}: {events:?}");
        // Clients still get the requested delay.
        let last = events.last().and_then(|event| event.as_ref().err());
        if let (Some(ModelError::Refused { advice, .. }), ModelError::Refused { advice: sent, .. }) = (last, &error) {
            assert_eq!(advice, sent, "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn output_prevents_retries_and_attempts_are_limited() {
    let model = scripted("a:m", &[&[Say("half"), Fail(refused(529, Some(1)))], &[Done]]);
    let text = output_lines(&retry(model.clone()), user("x")).await;
    assert_eq!(model.calls(), 1, "{text}");
    assert!(text.starts_with("say half\nerror") && text.contains("wait: Some(1s)"), "{text}");

    let model = scripted("a:m", &[&[Fail(refused(503, None))]]);
    let start = Instant::now();
    let text = output_lines(&retry(model.clone()), user("x")).await;
    assert_eq!((model.calls(), start.elapsed().as_secs_f64()), (4, 0.5 + 1.0 + 2.0), "{text}");
    assert!(text.contains("after 4 attempts"), "{text}");

    let policy = RetryPolicy { max_attempts: 50, ..RetryPolicy::default() };
    assert_eq!(policy.delay(40, &unreachable(), 1.0), Some(secs(8)), "delays have a maximum");
    assert_eq!(policy.delay(1, &unreachable(), 0.0), Some(Duration::ZERO), "delays have no minimum");
}

#[tokio::test(start_paused = true)]
async fn fallback_is_used_only_if_it_may_help() {
    for (error, window, falls) in [
        (refused(429, None), None, true),
        (refused(500, None), None, true),
        (refused(402, None), None, true),
        (unreachable(), None, true),
        (broken(), None, true),
        (refused(400, None), None, false),
        (refused(401, None), None, false),
        (refused(403, None), None, false),
        (refused(404, None), None, false),
        (ModelError::Configuration("bad".to_owned()), None, false),
        (ModelError::TooLong("long".to_owned()), None, false),
        (ModelError::TooLong("long".to_owned()), Some(8_000), false),
        (ModelError::TooLong("long".to_owned()), Some(9_000), true),
    ] {
        let first = with_window("a:m", Some(8_000), &[&[Fail(error.clone())]]);
        let second = with_window("b:nn", window, &[&[Say("hi"), Done]]);
        let model = FallbackModel::new(first.clone(), vec![second.clone()]);
        let events: Vec<_> = model.call(user("x")).collect().await;
        assert_eq!((first.calls(), second.calls()), (1, usize::from(falls)), "{error}");
        match events.last() {
            Some(Ok(ModelEvent::Done { answered_by, .. })) => {
                assert_eq!((falls, answered_by.as_deref()), (true, Some("b:nn")));
            }
            Some(Err(told)) => assert_eq!((falls, told), (false, &error)),
            other => panic!("{error}: {other:?}"),
        }
        let usage = Usage::new(10, 5);
        assert_eq!((model.price(usage), model.price_for("b:nn", usage)), (Some(45), Some(60)));
    }
    let first = scripted("a:m", &[&[Say("half"), Fail(broken())]]);
    let second = scripted("b:n", &[&[Done]]);
    let text = output_lines(&FallbackModel::new(first, vec![second.clone()]), user("x")).await;
    assert_eq!(second.calls(), 0, "{text}");
}

#[tokio::test(start_paused = true)]
async fn first_event_idle_and_total_timeouts_apply() {
    let limits = StreamTimeouts { first_byte: secs(10), idle: secs(5) };
    for (steps, expect) in [
        (&[Wait(9), Say("hi"), Wait(4), Done][..], "say hi\ndone"),
        (&[Wait(11), Say("hi"), Done], "error TimedOut(\"no answer started within 10 s\")"),
        (&[Say("hi"), Wait(6), Done], "say hi\nerror Interrupted(\"no data received for 5 s\")"),
        (&[Say(""), Wait(6), Say("hi"), Done], "say \nsay hi\ndone"),
    ] {
        let model = scripted("a:m", &[steps]);
        assert_eq!(output_lines(&TimeoutModel::new(model.clone(), limits), user("x")).await, expect);
        assert_eq!(model.open(), 0);
    }
    let model = scripted("a:m", &[&[Fail(unreachable())], &[Say("hi"), Pending]]);
    let start = Instant::now();
    let whole = chain(Arc::new(retry(model.clone())), Vec::new(), secs(30));
    let text = output_lines(&*whole, user("x")).await;
    assert!(text.ends_with("error Interrupted(\"the call took longer than 30 s\")"), "{text}");
    assert_eq!((start.elapsed(), model.open()), (secs(30), 0));
}

#[tokio::test(start_paused = true)]
async fn gate_limits_concurrency_in_order_and_releases_dropped_calls() {
    let gate = ProviderGate::new("a", GateLimits { concurrency: 1, per_minute: None, queue: 2 });
    let model = scripted("a:m", &[&[Say("hi"), Wait(10), Done]]);
    let gated = GatedModel::new(model.clone(), gate);
    let mut first = gated.call(user("1"));
    assert!(matches!(first.next().await, Some(Ok(ModelEvent::Text(_)))));
    let mut second = gated.call(user("2"));
    let mut third = gated.call(user("3"));
    assert!(second.next().now_or_never().is_none() && third.next().now_or_never().is_none());
    let text = output_lines(&gated, user("4")).await;
    assert!(text.contains("2 calls are already queued for a"), "{text}");
    assert_eq!(model.open(), 1);
    // A dropped call frees its queue slot, and the next call takes its turn.
    drop(second);
    let mut fourth = gated.call(user("4"));
    assert!(fourth.next().now_or_never().is_none());
    drop(first);
    assert!(matches!(third.next().await, Some(Ok(ModelEvent::Text(_)))));
    assert!(fourth.next().now_or_never().is_none());
    assert_eq!(model.open(), 1);
    // The permit is released at the end, even if the stream is not dropped.
    while !matches!(third.next().await, Some(Ok(ModelEvent::Done { .. }))) {}
    assert!(matches!(fourth.next().await, Some(Ok(ModelEvent::Text(_)))));
}

#[tokio::test(start_paused = true)]
async fn gate_limits_calls_per_minute() {
    let gate = ProviderGate::new("a", GateLimits { concurrency: 8, per_minute: Some(3), queue: 8 });
    let model = scripted("a:m", &[&[Done]]);
    let gated = GatedModel::new(model.clone(), gate);
    let start = Instant::now();
    for _ in 0..3 {
        output_lines(&gated, user("x")).await;
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
    let mut left = gated.call(user("left"));
    assert!(left.next().now_or_never().is_none());
    drop(left);
    for _ in 0..2 {
        output_lines(&gated, user("x")).await;
    }
    assert_eq!((start.elapsed().as_secs(), model.calls()), (40, 5), "dropped call used no permit");
}

#[tokio::test(start_paused = true)]
async fn all_layers_compose_and_propagate_cancellation() {
    let gate = ProviderGate::new("a", GateLimits { concurrency: 1, per_minute: None, queue: 4 });
    let mut layers = ModelLayers::new(gate, Arc::new(ModelCatalog::default()), Arc::new(FixedClock));
    layers.jitter = JitterSource::from_fn(|| 1.0);
    let first = scripted("openai:gpt-5", &[&[Fail(refused(503, None))]]);
    let second =
        scripted("anthropic:claude-sonnet-4-5", &[&[Fail(unreachable())], &[Say("hi"), Done], &[Say("hi"), Pending]]);
    let model = chain(layers.wrap(first.clone()), vec![layers.wrap(second.clone())], secs(600));
    let text = output_lines(&*model, user("x")).await;
    assert_eq!((first.calls(), second.calls()), (4, 2), "{text}");
    assert!(text.contains("FellBack { from: \"openai:gpt-5\", to: \"anthropic:claude-sonnet-4-5\""), "{text}");
    assert!(text.ends_with("say hi\ndone"), "{text}");
    let about = model.model_info();
    assert_eq!((about.window, about.images, about.max_output), (Some(400_000), Some(true), Some(128_000)));
    assert_eq!(model.price(Usage::new(1_000_000, 100_000)), Some(2_250_000));

    let mut stream = model.call(user("x"));
    while !matches!(stream.next().await, Some(Ok(ModelEvent::Text(_)))) {}
    assert_eq!(second.open(), 1);
    let start = Instant::now();
    drop(stream);
    assert_eq!((second.open(), start.elapsed()), (0, Duration::ZERO));
}
