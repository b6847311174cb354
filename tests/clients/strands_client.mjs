// Strands Agents for JavaScript: an A2AAgent, invoked and streamed; it has no conversations.

import { A2AAgent } from '@strands-agents/sdk/a2a';
import { main, PLAIN, TOOL } from './shown.mjs';

const [, , url] = process.argv;

async function converse(stream) {
  const agent = new A2AAgent({ url });
  return async (question) => {
    if (!stream) return (await agent.invoke(question)).toString();
    let text = '';
    for await (const event of agent.stream(question)) {
      if (event.type === 'a2aResultEvent') text += event.result.toString();
    }
    return text;
  };
}

const modes = { '`A2AAgent.invoke`': () => converse(false), '`A2AAgent.stream`': () => converse(true) };
await main('@strands-agents/sdk', 'A2A 0.3', modes, [PLAIN, TOOL]);
