//! Settings from environment variables.

use baton_telemetry::{ContentCapture, EmitMode, Schema, TelemetrySettings};

fn read(variables: &[(&str, &str)]) -> (TelemetrySettings, Vec<String>) {
    let mut settings = TelemetrySettings::default();
    let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let remarks = settings.apply_variables(find);
    (settings, remarks)
}

#[test]
fn mode_is_read_in_order_of_precedence() {
    const OPT: (&str, &str) = ("OTEL_SEMCONV_STABILITY_OPT_IN", "http, gen_ai_latest_experimental");
    type Case<'a> = (&'a [(&'a str, &'a str)], EmitMode, &'a str, usize);
    let cases: &[Case<'_>] = &[
        (&[], EmitMode::Dual, "contextcore-default", 0),
        (&[("CONTEXTCORE_EMIT_MODE", " Legacy ")], EmitMode::Legacy, "contextcore-env", 0),
        (&[("BATON_EMIT_MODE", "otel"), ("CONTEXTCORE_EMIT_MODE", "legacy")], EmitMode::Otel, "contextcore-env", 0),
        (&[OPT], EmitMode::Otel, "otel-env", 0),
        (&[OPT, ("CONTEXTCORE_EMIT_MODE", "dual")], EmitMode::Dual, "contextcore-env", 0),
        (&[OPT, ("CONTEXTCORE_EMIT_MODE", "both")], EmitMode::Otel, "otel-env", 1),
        (&[("BATON_EMIT_MODE", "new"), ("CONTEXTCORE_EMIT_MODE", "otel")], EmitMode::Otel, "contextcore-env", 1),
        (&[("OTEL_SEMCONV_STABILITY_OPT_IN", "http")], EmitMode::Dual, "contextcore-default", 0),
        (&[("BATON_EMIT_MODE", "")], EmitMode::Dual, "contextcore-default", 0),
    ];
    for (variables, mode, provider, remarks) in cases {
        let (settings, said) = read(variables);
        assert_eq!((settings.mode, settings.mode_source.provider()), (*mode, *provider), "{variables:?}");
        assert_eq!(said.len(), *remarks, "{variables:?}: {said:?}");
    }
}

#[test]
fn switches_are_parsed() {
    for (value, on) in [("true", true), ("1", true), ("YES", true), ("false", false), ("0", false), ("no", false)] {
        assert_eq!(read(&[("OTEL_ENABLED", value)]).0.enabled, on, "{value}");
    }
    assert!(!read(&[("OTEL_ENABLED", "true"), ("OTEL_SDK_DISABLED", "true")]).0.enabled);
    for (value, content) in [
        ("NO_CONTENT", Some(ContentCapture::Hidden)),
        ("span_only", Some(ContentCapture::Span)),
        ("EVENT_ONLY", Some(ContentCapture::Event)),
        ("SPAN_AND_EVENT", Some(ContentCapture::Both)),
        ("all", None),
    ] {
        let (settings, remarks) = read(&[("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)]);
        assert_eq!(settings.content, content.unwrap_or_default(), "{value}");
        let plain = matches!(content, Some(ContentCapture::Hidden | ContentCapture::Span));
        assert_eq!(remarks.is_empty(), plain, "{value}: {remarks:?}");
    }
    assert_eq!(read(&[("BATON_GENAI_SCHEMA", "latest")]).0.schema, Schema::Latest);
    assert_eq!(read(&[("BATON_GENAI_SCHEMA", "9")]).1.len(), 1);
}

#[test]
fn service_and_resource_are_read() {
    let list = "service.name=listed,deployment.environment=a%20b,=x,broken";
    let (settings, _) = read(&[("OTEL_RESOURCE_ATTRIBUTES", list)]);
    assert_eq!(settings.service, "listed");
    assert_eq!(settings.resource, [("deployment.environment".to_owned(), "a b".to_owned())]);
    let (settings, _) = read(&[("OTEL_RESOURCE_ATTRIBUTES", list), ("OTEL_SERVICE_NAME", "weather")]);
    assert_eq!(settings.service, "weather");
    assert_eq!(read(&[]).0.service, "baton");
}
