//! Calls an agent, runs the client-side tools it requests, and asks the user for the input it requires.
use baton_sdk::{Error, Orchestrator};
use std::io::{Write as _, stdin, stdout};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let url = args.next().unwrap_or("http://127.0.0.1:8700/agents/weather".to_owned());
    let text = args.next().unwrap_or("What's the weather in Oakland?".to_owned());

    let orchestrator = Orchestrator::new().allow_neighbours();
    let mut answer = orchestrator.ask(&url, &text).await?;
    while answer.needs_input() {
        let _ = writeln!(stdout(), "{}", answer.text);
        let mut line = String::new();
        if stdin().read_line(&mut line).unwrap_or_default() == 0 {
            break;
        }
        answer = orchestrator.say(answer, line.trim()).await?;
    }
    let _ = writeln!(stdout(), "{}: {}", answer.state.as_str(), answer.text);
    Ok(())
}
