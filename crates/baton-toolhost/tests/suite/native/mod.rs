//! Functions as tools.

use crate::calls::{agent, done, done_with_progress, tool};
use baton_toolhost::{NativeTools, Tool, ToolContext, ToolError};
use baton_types::{AgentName, Effects, Permission, ToolRunner};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, time::Duration};

/// Where and when.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WeatherIn {
    /// A city, in any language.
    city: String,
    /// How many days ahead.
    #[serde(default)]
    days: Option<u8>,
    #[serde(default)]
    places: Vec<Place>,
}

#[derive(Deserialize, JsonSchema)]
struct Place {
    latitude: f64,
}

#[derive(Serialize, JsonSchema)]
struct WeatherOut {
    /// In degrees Celsius.
    temperature: f64,
    sky: Sky,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sky {
    Clear,
    Cloudy,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

async fn weather(input: WeatherIn) -> Result<WeatherOut, ToolError> {
    let latitude = input.places.first().map_or(0.0, |place| place.latitude);
    match input.city.as_str() {
        "Atlantis" => Err(ToolError::new("there is no such city; ask for one above the water")),
        "Utopia" => Ok("no".parse::<u8>().map(|n| WeatherOut { temperature: n.into(), sky: Sky::Clear })?),
        "Pompeii" => panic!("eruption"),
        _ => Ok(WeatherOut { temperature: 21.5 + latitude + f64::from(input.days.unwrap_or(0)), sky: Sky::Cloudy }),
    }
}

fn registry() -> (NativeTools, AgentName) {
    let name = AgentName::from("weather");
    let mut tools = NativeTools::new();
    tools.add(&name, Tool::new("get_weather", "The weather of a city.", weather).read_only()).unwrap();
    tools
        .add(
            &name,
            Tool::with_context("count", "Counts.", |_: Nothing, context: ToolContext| async move {
                for step in 1..=3 {
                    context.progress(f64::from(step), Some(3.0), format!("step {step}"));
                    tokio::task::yield_now().await;
                }
                Ok(format!("{} for {}", context.call, context.principal.subject))
            })
            .idempotent()
            .ask(),
        )
        .unwrap();
    tools
        .add(
            &name,
            Tool::new("wait", "Never ends.", |_: Nothing| std::future::pending::<Result<String, ToolError>>())
                .timeout(Duration::from_secs(5)),
        )
        .unwrap();
    (tools, name)
}

#[test]
fn types_become_schemas() {
    let (tools, name) = registry();
    let specs = tools.specs(&name);
    let offered: Vec<(&str, Effects, Permission, bool)> =
        specs.iter().map(|spec| (spec.name.as_str(), spec.effects, spec.permission, spec.output.is_some())).collect();
    assert_eq!(
        offered,
        [
            ("count", Effects::Idempotent, Permission::Ask, false),
            ("get_weather", Effects::ReadOnly, Permission::Allow, true),
            ("wait", Effects::Unknown, Permission::Allow, false),
        ]
    );
    assert!(specs.iter().all(|spec| spec.runner == ToolRunner::Native));
    insta::assert_json_snapshot!([specs[1].parameters.to_value(), specs[1].output.as_ref().unwrap().to_value()]);
    assert!(tools.specs(&"nobody".into()).is_empty());
}

#[tokio::test(start_paused = true)]
async fn call_errors_state_the_cause() {
    let (tools, name) = registry();
    let specs = tools.specs(&name);
    let agent = agent("weather", specs.clone());
    let mut shown = Vec::new();
    for (tool, arguments) in [
        (1, r#"{"city":"Lisbon","days":2}"#),
        (1, r#"{"city":"Atlantis"}"#),
        (1, r#"{"city":"Utopia"}"#),
        (1, r#"{"city":"Pompeii"}"#),
        (1, r#"{}"#),
        (1, r#"{"city":"Lisbon","places":[{"latitude":1.5},{"latitude":"north"}]}"#),
        (1, r#"{"city":"Lisbon","days":300}"#),
        (1, r#"{"city":"Lisbon","unit":"K"}"#),
        (2, "{}"),
    ] {
        let output = done(&tools, &agent, &specs[tool], arguments).await;
        let error = if output.is_error { " (error)" } else { "" };
        shown.push(format!("{} {arguments}{error}\n    {}", specs[tool].name, output.output.to_plain_text()));
    }
    insta::assert_snapshot!(shown.join("\n"));
}

#[tokio::test]
async fn function_receives_the_caller_and_reports_progress() {
    let (tools, name) = registry();
    let specs = tools.specs(&name);
    let (output, told) = done_with_progress(&tools, &agent("weather", specs.clone()), &specs[0], "{}").await;
    assert_eq!(output.output.to_plain_text(), "call-1 for local");
    let told: Vec<_> = told.into_iter().map(|progress| (progress.done, progress.message.unwrap())).collect();
    assert_eq!(told, [(1.0, "step 1".to_owned()), (2.0, "step 2".to_owned()), (3.0, "step 3".to_owned())]);
}

#[tokio::test]
async fn invalid_tools_are_rejected_and_foreign_tools_not_run() {
    let (mut tools, name) = registry();
    let problems = [
        tools.add(&name, Tool::new("get_weather", "Again.", weather)),
        tools.add(&name, Tool::new("get weather", "A space.", weather)),
        tools.add(&name, Tool::new("list", "No names.", |_: Vec<String>| async { Ok(1) })),
    ];
    let problems: Vec<String> = problems.into_iter().map(|problem| problem.unwrap_err().to_string()).collect();
    insta::assert_snapshot!(problems.join("\n"));
    let map = Tool::new("map", "Any names.", |map: BTreeMap<String, u32>| async move { Ok(map.len()) });
    tools.add(&name, map).unwrap();
    let other = agent("other", Vec::new());
    let output = done(&tools, &other, &tool("get_weather", ToolRunner::Native), r#"{"city":"Lisbon"}"#).await;
    assert!(output.is_error && output.output.as_str().contains("no such function"), "{output:?}");
}
