//! One call of an agent's first tool, without a helper for questions.

use baton_ports::{
    BoxFuture, SamplingRequest, SamplingResult, ToolHelper, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_toolhost::CommandTools;
use baton_types::{AgentSpec, Json, Principal, ToolCall};

struct RefusingHelper;

impl ToolHelper for RefusingHelper {
    fn sample(&self, _: SamplingRequest) -> BoxFuture<'_, Result<SamplingResult, String>> {
        Box::pin(std::future::ready(Err("nobody is here".to_owned())))
    }
}

pub(crate) async fn call_first(agent: &AgentSpec, arguments: &str) -> ToolOutput {
    let tool = &agent.tools[0];
    let arguments = Json::parse(arguments).unwrap();
    let call = ToolCall { id: "call-1".into(), name: tool.name.clone(), arguments };
    let principal = &Principal { tenant: "acme".into(), subject: "ann".into(), scopes: Vec::new() };
    let helper = &RefusingHelper;
    let run = ToolInvocation { agent, tool, call: &call, principal, task: None, trace: None, answers: None, helper };
    match CommandTools::new().call(run).await {
        ToolOutcome::Done(output) => output,
        ToolOutcome::InputRequired(ask) => panic!("a program cannot ask: {ask:?}"),
    }
}
