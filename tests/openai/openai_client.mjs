// Tests OpenAI's client with the agents of tests/agents/openai and with the example agents.
//
// Usage: openai_client.mjs URL

import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { z } from 'zod';

import { expect, require, run } from '../js/checking.mjs';
import { DOT, IN_OAKLAND, IN_PARIS, WEATHER, WEATHER_IN_CHAT, collect, failure } from './words.mjs';

const client = new OpenAI({ baseURL: `${process.argv[2]}/v1`, apiKey: 'none', maxRetries: 0 });
const { responses } = client;
const Person = z.object({ name: z.string().min(1), age: z.number().int() });

// Responses in events lack the `output_text` that the client adds to complete responses.
const text = (response) => response.output.at(-1).content[0].text;
const ask = (input, options = {}) => responses.create({ model: 'desk', input, ...options });

async function expectError(label, call, type, code) {
  const error = await failure(label, call);
  require(`${label}: wanted ${type.name}, got ${error.stack}`, error instanceof type);
  expect(`${label}: the code`, error.code, code);
  require(`${label}: the request id`, error.requestID);
}

const checks = {
  'agents are models': async () => {
    const listed = await collect(client.models.list());
    expect('models', listed.map((model) => model.id), ['desk', 'gpt-5-desk', 'personal', 'weather']);
  },

  'all input forms are accepted': async () => {
    const content = [{ type: 'input_text', text: 'a part' }];
    for (const [words, input] of [
      ['a string', 'a string'],
      ['a message', [{ role: 'user', content: 'a message' }]],
      ['a part', [{ type: 'message', role: 'user', content }]],
    ]) {
      const answer = await ask(input);
      expect(words, [answer.status, answer.output_text], ['completed', `You said: ${words}`]);
    }
  },

  'it streams': async () => {
    const events = await collect(await ask('one two three', { stream: true }));
    expect('numbers', events.map((event) => event.sequence_number), [...events.keys()]);
    const deltas = events.filter((event) => event.type === 'response.output_text.delta');
    require('several chunks', deltas.length > 1);
    expect('the text', deltas.map((event) => event.delta).join(''), 'You said: one two three');
    expect('the end', events.at(-1).type, 'response.completed');
    const stream = responses.stream({ model: 'desk', input: 'one two three' });
    let snapshot;
    stream.on('response.output_text.delta', (event) => (snapshot = event.snapshot));
    const final = await stream.finalResponse();
    expect('the stream helper', [snapshot, final.output_text], Array(2).fill('You said: one two three'));
  },

  'caller functions are called': async () => {
    for (const stream of [false, true]) {
      const asked = await ask(IN_PARIS, { tools: [WEATHER], stream });
      const calling = stream ? (await collect(asked)).at(-1).response : asked;
      const [call] = calling.output;
      expect('the call', [call.type, call.name], ['function_call', 'get_weather']);
      expect('its arguments', call.arguments, '{"location":"Paris"}');
      const result = { type: 'function_call_output', call_id: call.call_id, output: 'sunny' };
      const answer = await ask([result], { previous_response_id: calling.id, tools: [WEATHER] });
      expect('the answer', answer.output_text, 'It is sunny in Paris.');
    }
  },

  'conversations continue': async () => {
    const first = await ask('My name is Alice.');
    const second = await ask('What is my name?', { previous_response_id: first.id });
    expect('the answer', second.output_text, 'Your name is Alice.');
    const { id } = await client.conversations.create({ metadata: { topic: 'names' } });
    await ask('My name is Bob.', { conversation: id });
    expect('in a conversation', (await ask('What is my name?', { conversation: id })).output_text, 'Your name is Bob.');
    const items = await collect(client.conversations.items.list(id, { order: 'asc' }));
    const texts = ['My name is Bob.', 'Hello Bob.', 'What is my name?', 'Your name is Bob.'];
    expect('its items', items.map((item) => item.content[0].text), texts);
  },

  'images are received': async () => {
    const picture = { type: 'input_image', image_url: DOT, detail: 'auto' };
    const content = [{ type: 'input_text', text: 'What is it?' }, picture];
    expect('an image', (await ask([{ role: 'user', content }])).output_text, 'I see a file (image/png).');
  },

  'answers match the requested schema': async () => {
    const form = { format: zodTextFormat(Person, 'person') };
    const parsed = await responses.parse({ model: 'desk', input: 'Make somebody up.', text: form });
    expect('a person', Object.keys(Person.parse(parsed.output_parsed)), ['name', 'age']);
    const final = await responses.stream({ model: 'desk', input: 'Make somebody up.', text: form }).finalResponse();
    expect('streamed', final.output_parsed, parsed.output_parsed);
  },

  'background responses are followed and canceled': async () => {
    const begun = await ask('hang on', { background: true });
    expect('the initial status', begun.status, 'queued');
    expect('canceled', (await responses.cancel(begun.id)).status, 'cancelled');
    const other = await ask('take your time', { background: true });
    const events = await collect(await responses.retrieve(other.id, { stream: true }));
    expect('followed', text(events.at(-1).response), 'You said: take your time');
    const rest = await collect(await responses.retrieve(other.id, { stream: true, starting_after: 3 }));
    expect('the rest', rest.map((event) => event.sequence_number), [...events.keys()].slice(4));
  },

  'responses are stored and deleted': async () => {
    const answer = await ask('keep this');
    expect('stored', await responses.retrieve(answer.id), answer);
    const items = await collect(responses.inputItems.list(answer.id));
    expect('the input items', items.map((item) => item.content[0].text), ['keep this']);
    await responses.delete(answer.id);
    const deleted = () => responses.retrieve(answer.id);
    await expectError('a deleted response', deleted, OpenAI.NotFoundError, 'response_not_found');
  },

  'errors have codes': async () => {
    const unknown = () => responses.create({ model: 'nobody', input: 'hi' });
    await expectError('an unknown agent', unknown, OpenAI.NotFoundError, 'model_not_found');
    const lost = () => ask('hi', { previous_response_id: 'resp_nothing' });
    await expectError('an unknown previous response', lost, OpenAI.BadRequestError, 'previous_response_not_found');
    await expectError('a failure', () => ask('fail, please'), OpenAI.InternalServerError, 'provider_error');
    const broken = await failure('a broken stream', async () => collect(await ask('break, please', { stream: true })));
    require(`the reason: ${broken.message}`, broken.message.includes('connection lost'));
  },

  'chat completions': async () => {
    const create = (messages, options) => client.chat.completions.create({ model: 'desk', messages, ...options });
    const [question, tools] = [{ role: 'user', content: IN_PARIS }, [WEATHER_IN_CHAT]];
    const { message, finish_reason } = (await create([question], { tools })).choices[0];
    const [call] = message.tool_calls;
    expect('the call', [finish_reason, call.function.arguments], ['tool_calls', '{"location":"Paris"}']);
    const result = { role: 'tool', tool_call_id: call.id, content: 'sunny' };
    const answer = await create([question, message, result], { tools });
    expect('the answer', answer.choices[0].message.content, 'It is sunny in Paris.');
    const chunks = await collect(await create([{ role: 'user', content: 'one two three' }], { stream: true }));
    const pieces = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '');
    expect('streamed', pieces.join(''), 'You said: one two three');
    let calls = 0;
    const runner = client.chat.completions.runTools({
      model: 'desk',
      messages: [question],
      stream: true,
      tools: [
        {
          type: 'function',
          function: { ...WEATHER_IN_CHAT.function, parse: JSON.parse, function: () => (calls += 1) && 'sunny' },
        },
      ],
    });
    expect('the tool runner', [await runner.finalContent(), calls], ['It is sunny in Paris.', 1]);
  },

  'handoffs are streamed as MCP calls': async () => {
    const events = await collect(await responses.create({ model: 'personal', input: IN_OAKLAND, stream: true }));
    const kinds = new Set(events.map((event) => event.type).filter((kind) => kind.includes('mcp_call')));
    require('the call', kinds.has('response.mcp_call.in_progress') && kinds.has('response.mcp_call.completed'));
    const { response } = events.at(-1);
    expect('items', response.output.map((item) => item.type), ['mcp_call', 'message']);
    expect('the server label', response.output[0].server_label, 'weather');
    require(`the answer: ${text(response)}`, text(response).includes('72°F'));
  },

  'a WebSocket continues unstored responses': async () => {
    const socket = new ResponsesWS(client);
    const create = (body) =>
      new Promise((resolve, reject) => {
        socket.once('response.completed', ({ response }) => resolve(response));
        socket.once('error', reject);
        socket.send({ type: 'response.create', model: 'desk', store: false, ...body });
      });
    const first = await create({ input: 'My name is Alice.' });
    const second = await create({ input: 'What is my name?', previous_response_id: first.id });
    expect('the second', text(second), 'Your name is Alice.');
    socket.close();
  },
};

process.exit(await run(Object.entries(checks)));
