// Tests OpenAI's Agents SDK with the agent of tests/agents/openai as its model, over responses and chat completions.
//
// Usage: agents_client.mjs URL

import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run as ask,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

import { expect, require, run } from '../js/checking.mjs';
import { DOT, IN_OAKLAND, IN_PARIS, collect, failure } from './words.mjs';

const client = new OpenAI({ baseURL: `${process.argv[2]}/v1`, apiKey: 'none', maxRetries: 0 });
const dialects = [OpenAIResponsesModel, OpenAIChatCompletionsModel];
setTracingDisabled(true);

const agent = (Dialect = OpenAIResponsesModel, { model = 'desk', ...options } = {}) =>
  new Agent({ name: 'caller', model: new Dialect(client, model), ...options });

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a place.',
  parameters: z.object({ location: z.string() }),
  execute: () => 'sunny',
});

const checks = {
  'it answers': async () => {
    for (const dialect of dialects) {
      expect('the answer', (await ask(agent(dialect), 'hello')).finalOutput, 'You said: hello');
    }
  },

  'it streams': async () => {
    for (const dialect of dialects) {
      const stream = await ask(agent(dialect), 'one two three', { stream: true });
      const pieces = await collect(stream.toTextStream());
      await stream.completed;
      expect('the text', pieces.join(''), 'You said: one two three');
      expect('the answer', stream.finalOutput, 'You said: one two three');
    }
  },

  'functions are called': async () => {
    for (const dialect of dialects) {
      const answer = await ask(agent(dialect, { tools: [weather] }), IN_PARIS);
      expect('the answer', answer.finalOutput, 'It is sunny in Paris.');
      const kinds = ['tool_call_item', 'tool_call_output_item', 'message_output_item'];
      expect('the items', answer.newItems.map((item) => item.type), kinds);
      const stream = await ask(agent(dialect, { tools: [weather] }), IN_PARIS, { stream: true });
      await collect(stream);
      expect('streamed', stream.finalOutput, 'It is sunny in Paris.');
    }
  },

  'conversations continue': async () => {
    for (const dialect of dialects) {
      const first = await ask(agent(dialect), 'My name is Alice.');
      const messages = [...first.history, { role: 'user', content: 'What is my name?' }];
      expect('history sent by the client', (await ask(agent(dialect), messages)).finalOutput, 'Your name is Alice.');
    }
    const first = await ask(agent(), 'My name is Bob.');
    const second = await ask(agent(), 'What is my name?', { previousResponseId: first.lastResponseId });
    expect('history kept by the server', second.finalOutput, 'Your name is Bob.');
    const { id } = await client.conversations.create();
    await ask(agent(), 'My name is Carol.', { conversationId: id });
    const third = await ask(agent(), 'What is my name?', { conversationId: id });
    expect('a conversation', third.finalOutput, 'Your name is Carol.');
  },

  'images are received': async () => {
    const content = [{ type: 'input_text', text: 'What is it?' }, { type: 'input_image', image: DOT }];
    for (const dialect of dialects) {
      const answer = await ask(agent(dialect), [{ role: 'user', content }]);
      expect('an image', answer.finalOutput, 'I see a file (image/png).');
    }
  },

  'answers match the requested schema': async () => {
    const outputType = z.object({ name: z.string(), age: z.number() });
    for (const dialect of dialects) {
      const { finalOutput } = await ask(agent(dialect, { outputType }), 'Make somebody up.');
      expect('a person', Object.values(finalOutput).map((value) => typeof value), ['string', 'number']);
    }
  },

  'agent tools run on the server': async () => {
    const answer = await ask(agent(OpenAIResponsesModel, { model: 'personal' }), IN_OAKLAND);
    require(`the answer: ${answer.finalOutput}`, answer.finalOutput.includes('72°F'));
    expect('items', answer.newItems.map((item) => item.rawItem.type), ['hosted_tool_call', 'message']);
    const stream = await ask(agent(OpenAIResponsesModel, { model: 'personal' }), IN_OAKLAND, { stream: true });
    await collect(stream);
    require(`streamed: ${stream.finalOutput}`, stream.finalOutput.includes('72°F'));
  },

  'errors have codes': async () => {
    for (const dialect of dialects) {
      const unknown = await failure('an unknown agent', () => ask(agent(dialect, { model: 'nobody' }), 'hi'));
      expect('an unknown agent', [unknown.status, unknown.code], [404, 'model_not_found']);
      const failed = await failure('a failure', () => ask(agent(dialect), 'fail, please'));
      expect('a failure', [failed.status, failed.code], [500, 'provider_error']);
    }
  },
};

process.exit(await run(Object.entries(checks)));
