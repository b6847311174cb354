"""CrewAI: an agent that delegates a task to a remote A2A agent; its model is a scripted agent of Baton."""

import os
import sys

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
os.environ["OTEL_SDK_DISABLED"] = "true"

import shown
from crewai import LLM, Agent, Crew, Task
from crewai.a2a import A2AClientConfig
from crewai.a2a.updates import PollingConfig, StreamingConfig

URL, MODEL_URL = sys.argv[1:3]


async def delegate(updates):
    model = LLM(model="openai/router", base_url=f"{MODEL_URL}/v1", api_key="none")
    endpoint = shown.card_url(URL)
    remote = A2AClientConfig(endpoint=endpoint, updates=updates, trust_remote_completion_status=True)
    backstory = f"You ask the harbour guide at {endpoint}"
    agent = Agent(role="Clerk", goal="Get answers", backstory=backstory, llm=model, a2a=remote)

    async def ask(question):
        task = Task(description=question, expected_output="The answer", agent=agent)
        result = await Crew(agents=[agent], tasks=[task], tracing=False).kickoff_async()
        return result.raw

    return ask


# With polling, CrewAI appends the last message of the history to the artifacts, which contain the same text.
POLLED = "`Crew`, `PollingConfig`"
modes = {
    "`Crew`, `StreamingConfig`": lambda: delegate(StreamingConfig()),
    POLLED: lambda: delegate(PollingConfig(interval=0.2)),
}
shown.main("crewai", {"A2A 0.3": modes}, cases=(shown.PLAIN, shown.TOOL), limits=[POLLED])
