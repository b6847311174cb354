// Google ADK for JavaScript: a RemoteA2AAgent as the root agent of a Runner; measures the text of its events.

import { InMemoryRunner, RemoteA2AAgent, stringifyContent } from '@google/adk';
import { main } from './shown.mjs';

const [, , url] = process.argv;

async function converse(agentCard) {
  const agent = new RemoteA2AAgent({ name: 'guide', description: 'A guide.', agentCard });
  const runner = new InMemoryRunner({ agent, appName: 'clients' });
  const session = await runner.sessionService.createSession({ appName: 'clients', userId: 'user' });
  return async (question) => {
    const newMessage = { role: 'user', parts: [{ text: question }] };
    const text = [];
    for await (const event of runner.runAsync({ userId: 'user', sessionId: session.id, newMessage })) {
      if (event.errorMessage) throw new Error(event.errorMessage);
      text.push(stringifyContent(event));
    }
    return text.join('\n');
  };
}

await main('@google/adk', 'A2A 0.3', { '`InMemoryRunner`': () => converse(url) });
