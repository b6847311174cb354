// a2a-ai-provider: an agent as a model of the Vercel AI SDK, unstreamed and streamed.

import { a2a } from 'a2a-ai-provider';
import { generateText, streamText } from 'ai';
import { cardUrl, main } from './shown.mjs';

const [, , url] = process.argv;

async function converse(ask) {
  const providerOptions = { a2a: { contextId: crypto.randomUUID() } };
  return (prompt) => ask({ model: a2a(cardUrl(url)), prompt, providerOptions });
}

async function whole(options) {
  return (await generateText(options)).text;
}

async function streamed(options) {
  let text = '';
  for await (const chunk of streamText(options).textStream) text += chunk;
  return text;
}

const modes = { '`generateText`': () => converse(whole), '`streamText`': () => converse(streamed) };
await main('a2a-ai-provider', 'A2A 0.3', modes);
