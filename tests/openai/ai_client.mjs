// Tests the AI SDK with the agent of tests/agents/openai as its model, over responses and chat completions.
//
// Usage: ai_client.mjs URL

import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, Output, generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

import { expect, require, run } from '../js/checking.mjs';
import { DOT, IN_OAKLAND, IN_PARIS, collect, failure } from './words.mjs';

const provider = createOpenAI({ baseURL: `${process.argv[2]}/v1`, apiKey: 'none' });
const dialects = [(name = 'desk') => provider.responses(name), (name = 'desk') => provider.chat(name)];
const [newer] = dialects;
const maxRetries = 0;

const tools = {
  get_weather: tool({
    description: 'The weather of a place.',
    inputSchema: z.object({ location: z.string() }),
    execute: () => 'sunny',
  }),
};

const checks = {
  'it answers': async () => {
    for (const model of dialects) {
      const answer = await generateText({ model: model(), prompt: 'hello', maxRetries });
      expect('the answer', [answer.text, answer.finishReason], ['You said: hello', 'stop']);
      require('tokens', answer.usage.totalTokens > 0);
    }
  },

  'it streams': async () => {
    for (const model of dialects) {
      const stream = streamText({ model: model(), prompt: 'one two three', maxRetries });
      const pieces = await collect(stream.textStream);
      require('several chunks', pieces.length > 1);
      expect('the text', pieces.join(''), 'You said: one two three');
      expect('the end', await stream.finishReason, 'stop');
    }
  },

  'functions are called': async () => {
    for (const model of dialects) {
      const asked = { model: model(), prompt: IN_PARIS, tools, stopWhen: stepCountIs(3), maxRetries };
      const answer = await generateText(asked);
      expect('the answer', [answer.text, answer.steps.length], ['It is sunny in Paris.', 2]);
      expect('the call', answer.steps[0].toolCalls.map((call) => call.input), [{ location: 'Paris' }]);
      const stream = streamText(asked);
      await stream.consumeStream();
      expect('streamed', await stream.text, 'It is sunny in Paris.');
    }
  },

  'conversations continue': async () => {
    for (const model of dialects) {
      const history = [{ role: 'user', content: 'My name is Alice.' }];
      // With `store`, the SDK sends item ids instead of the text.
      for (const store of [true, false]) {
        const options = { model: model(), maxRetries, providerOptions: { openai: { store } } };
        const first = await generateText({ ...options, messages: history });
        const messages = [...history, ...first.response.messages, { role: 'user', content: 'What is my name?' }];
        const second = await generateText({ ...options, messages });
        expect('the answer', second.text, 'Your name is Alice.');
      }
    }
    const first = await generateText({ model: newer(), prompt: 'My name is Bob.', maxRetries });
    const providerOptions = { openai: { previousResponseId: first.providerMetadata.openai.responseId } };
    const second = await generateText({ model: newer(), prompt: 'What is my name?', providerOptions, maxRetries });
    expect('history kept by the server', second.text, 'Your name is Bob.');
  },

  'images are received': async () => {
    const content = [{ type: 'text', text: 'What is it?' }, { type: 'image', image: DOT }];
    for (const model of dialects) {
      const answer = await generateText({ model: model(), messages: [{ role: 'user', content }], maxRetries });
      expect('an image', answer.text, 'I see a file (image/png).');
    }
  },

  'answers match the requested schema': async () => {
    const schema = z.object({ name: z.string(), age: z.number() });
    for (const model of dialects) {
      const asked = { model: model(), prompt: 'Make somebody up.', output: Output.object({ schema }), maxRetries };
      const { output } = await generateText(asked);
      expect('a person', Object.values(output).map((value) => typeof value), ['string', 'number']);
      const stream = streamText(asked);
      await stream.consumeStream();
      expect('streamed', await stream.output, output);
    }
  },

  'agent tools run on the server': async () => {
    const answer = await generateText({ model: newer('personal'), prompt: IN_OAKLAND, maxRetries });
    require(`the answer: ${answer.text}`, answer.text.includes('72°F'));
    expect('calls', answer.toolCalls.map((call) => call.providerExecuted), [true]);
    const stream = streamText({ model: newer('personal'), prompt: IN_OAKLAND, maxRetries });
    const parts = (await collect(stream.fullStream)).map((part) => part.type);
    require(`streamed: ${parts}`, parts.includes('tool-call') && parts.includes('tool-result'));
    require('the answer streamed', (await stream.text).includes('72°F'));
  },

  'errors are reported': async () => {
    for (const model of dialects) {
      for (const [name, prompt, status] of [
        ['nobody', 'hi', 404],
        ['desk', 'fail, please', 500],
      ]) {
        const error = await failure(prompt, () => generateText({ model: model(name), prompt, maxRetries }));
        require(`${name}: ${error.stack}`, APICallError.isInstance(error));
        expect(name, error.statusCode, status);
      }
      let reported;
      const onError = ({ error }) => (reported = error);
      const stream = streamText({ model: model(), prompt: 'break, please', maxRetries, onError });
      await stream.consumeStream();
      const text = `${reported?.message} ${JSON.stringify(reported)}`;
      require(`a broken stream: ${text}`, text.includes('connection lost'));
    }
  },
};

process.exit(await run(Object.entries(checks)));
