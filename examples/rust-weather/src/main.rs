//! An agent written in Rust: one typed tool, served to A2A and MCP clients.
use baton_sdk::{Agent, Baton, Error, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Place {
    /// A city, such as Oakland.
    city: String,
}
#[derive(Serialize, JsonSchema)]
struct Weather {
    /// In degrees Celsius.
    temperature: usize,
    sky: &'static str,
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let get_weather = Tool::new("get_weather", "The weather of a city, now", |place: Place| async move {
        Ok(Weather { temperature: 10 + place.city.len(), sky: "clear" })
    });
    let agent = Agent::new("weather").description("Tells the weather of any city").tool(get_weather.read_only());
    let agent = agent.prompt("You tell the weather.").playbook(include_str!("../playbook.yaml"));
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:8700".to_owned());
    let baton = Baton::new().agent(agent).data_dir(".baton");
    match std::env::var("OTEL_EXPORTER_OTLP_ENDPOINT") {
        Ok(endpoint) => baton.tracing("weather", endpoint).serve(&address).await,
        Err(_) => baton.telemetry().serve(&address).await,
    }
}
