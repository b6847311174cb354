//! Runs one call of a native function.

use super::{Tool, ToolContext, ToolError};
use baton_ports::{ToolInvocation, ToolOutput};
use baton_types::Json;
use futures_util::FutureExt as _;
use serde::de::DeserializeOwned;
use std::{any::Any, panic::AssertUnwindSafe};

/// Runs a function to completion within its timeout; its progress goes to the helper of the call.
pub(super) async fn call(tool: &Tool, run: ToolInvocation<'_>) -> ToolOutput {
    let name = &run.call.name;
    let (context, progress_buffer) = ToolContext::from_run(&run);
    let arguments = run.call.arguments.clone();
    // Created inside the future, so that a panic before the first await is caught as well.
    let work = async move { (tool.body)(arguments, context).await };
    let work = tokio::time::timeout(tool.timeout, AssertUnwindSafe(work).catch_unwind());
    tokio::pin!(work);
    let ended = loop {
        tokio::select! {
            biased;
            reports = progress_buffer.recv() => reports.into_iter().for_each(|progress| run.helper.progress(progress)),
            ended = &mut work => break ended,
        }
    };
    progress_buffer.drain().into_iter().for_each(|progress| run.helper.progress(progress));
    match ended {
        Ok(Ok(Ok(output))) => ToolOutput { output, is_error: false },
        Ok(Ok(Err(error))) => failed(format!("{name} failed: {error}")),
        Ok(Err(panic)) => {
            tracing::error!(tool = %name, agent = %run.agent.name, panic = panic_message(&*panic), "a tool panicked");
            failed(format!(
                "{name} failed: it panicked\nWhat to do: tell the user; see the log of the program for details."
            ))
        }
        Err(_) => failed(format!(
            "{name} timed out after {:?}\nWhat to do: ask for less at once, or tell the user.",
            tool.timeout
        )),
    }
}

/// The deserialized arguments; the error names the invalid argument.
pub(super) fn parse_arguments<T: DeserializeOwned>(arguments: &Json) -> Result<T, ToolError> {
    let mut json = serde_json::Deserializer::from_str(arguments.as_str());
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let location = if path == "." { String::new() } else { format!("'{path}': ") };
        let inner = error.inner().to_string();
        // The position refers to generated text and is of no use.
        let reason = inner.rsplit_once(" at line ").map_or(inner.as_str(), |(reason, _)| reason);
        ToolError::new(format!("its arguments do not fit: {location}{reason}; call it again with that corrected"))
    })
}

/// A failure for the model.
pub(super) fn failed(text: impl AsRef<str>) -> ToolOutput {
    ToolOutput { output: Json::string(text.as_ref()), is_error: true }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("(no text)")
}
