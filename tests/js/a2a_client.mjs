// Tests a served agent with the official JavaScript client over one binding.
//
// Usage: node a2a_client.mjs URL BINDING [several]
//
// URL is the address of the agent in tests/agents/flows as Baton prints it, such as
// http://127.0.0.1:8700/agents/flows/. BINDING is JSONRPC, HTTP+JSON or GRPC. `several`: the same Baton also serves
// the agent in examples/conformance. Push notifications to 127.0.0.0/8 must be allowed. Prints one line per check. The
// first failed check ends the run with status 1 and an explanation.

import { randomUUID } from 'node:crypto';

import {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  Part,
  SendMessageRequest,
  StreamResponse,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';

import { Agent, StreamedTask, answerOf, callsOf, dataOf, named, roles, says, textOf } from './agent.mjs';
import { expect, expectError, require, run } from './checking.mjs';
import { Webhook } from './webhook.mjs';

const [USER, AGENT] = [1, 2];

async function card(agent) {
  const { transport, protocolVersion } = agent.client;
  expect('the binding and its version', [transport.protocolName, protocolVersion], [agent.binding, '1.0']);
  const client = await agent.connect();
  const extended = await client.getAgentCard();
  expect('name and version', [extended.name, extended.version], ['Flows', '1.0.0']);
  expect('skills', extended.skills.map(({ id }) => id), ['flows', 'tool:get_weather', 'tool:get_time']);
  const found = extended.supportedInterfaces.find(
    ({ protocolBinding, protocolVersion }) => protocolBinding === agent.binding && protocolVersion === '1.0',
  );
  const grpc = agent.binding === 'GRPC';
  expect('the interface', [found.url, found.tenant], [
    grpc ? agent.root.replace('http://', '') : agent.url,
    grpc && agent.several ? 'flows' : '',
  ]);
}

async function sends(agent) {
  const context = randomUUID();
  const parts = [
    { text: 'hello' },
    { raw: Buffer.from([0, 255, 32]).toString('base64'), filename: 'note.txt', mediaType: 'text/plain' },
    { url: 'https://example.com/note.txt', filename: 'note.txt', mediaType: 'text/plain' },
    { data: { list: [1, 2.5, 'three', null, { four: true }] } },
  ];
  const message = says(parts, { context });
  const task = await agent.send(message);
  expect('answer', answerOf(task), 'Hello! You are talking to a scripted agent.');
  expect('roles', roles(task), [USER, AGENT]);
  expect('context', task.contextId, context);
  expect('the message', task.history[0].messageId, message.messageId);
  expect('its parts', task.history[0].parts.map(Part.toJSON), parts);
  expect('GetTask', await agent.get(task), task);
  for (const historyLength of [0, 1, 2, 9]) {
    const shown = await agent.get(task, { historyLength });
    expect(`history of ${historyLength}`, shown.history, historyLength ? task.history.slice(-historyLength) : []);
  }
}

async function streams(agent) {
  const streamed = await agent.stream(says('tell me a story'));
  require(`the answer is streamed in several chunks: ${streamed.texts}`, new Set(streamed.texts).size > 3);
  streamed.texts.reduce((shorter, longer) => {
    require(`text grows: ${shorter}, then ${longer}`, longer.startsWith(shorter));
    return longer;
  });
  expect('the last states', streamed.states.slice(-2), ['WORKING', 'COMPLETED']);
  expect('the text at the end', streamed.texts.at(-1), answerOf(await agent.get(streamed.task)));
  const published = await agent.stream(says('publish'));
  expect('an emitted artifact', dataOf(published.task.artifacts[0]), [{ total: 42 }]);
}

async function questions(agent) {
  const task = await agent.send(says('ask me'));
  expect('state', named(task.status.state), 'INPUT_REQUIRED');
  expect('question', textOf(task.status.message), 'Which colour?');
  expect('answer', answerOf(await agent.send(says('blue', { task }))), 'You chose blue.');

  const first = await agent.stream(says("What's the weather in Oakland?"));
  expect('the turn ends when results are needed', first.states.at(-1), 'INPUT_REQUIRED');
  const [call, ...others] = callsOf(first.task);
  expect('the calls', [call.name, call.arguments, others], ['get_weather', { location: 'Oakland' }, []]);
  const sent = { tool_results: [{ call_id: call.call_id, name: call.name, output: 'fog' }] };
  const second = await agent.stream(says({ data: sent }, { task: first.task }));
  expect('the same task', second.task.id, first.task.id);
  const stored = await agent.get(second.task);
  expect('answer', answerOf(stored), 'Oakland: fog');
  expect('roles', roles(stored), [USER, AGENT, USER, AGENT]);
}

async function failures(agent) {
  for (const [word, state, reason] of [
    ['fail', 'FAILED', 'the line went dead'],
    ['reject', 'REJECTED', 'not my kind of work'],
  ]) {
    const streamed = await agent.stream(says(word));
    expect(`state after '${word}'`, streamed.states.at(-1), state);
    require(`the status contains the reason of '${word}'`, textOf(streamed.task.status.message).includes(reason));
  }
}

async function lists(agent) {
  const contextId = randomUUID();
  const done = [];
  for (let i = 0; i < 4; i++) done.push(await agent.send(says('hello', { context: contextId })));
  const waiting = await agent.send(says('ask me', { context: contextId }));
  const ids = (tasks) => tasks.map(({ id }) => id);
  const newestFirst = ids([...done, waiting]).reverse();

  async function pages(query) {
    const [tasks, sizes] = [[], []];
    let pageToken = '';
    for (;;) {
      const page = await agent.client.listTasks(ListTasksRequest.fromJSON({ contextId, pageToken, ...query }));
      tasks.push(...page.tasks);
      sizes.push(page.tasks.length);
      expect('page size', page.pageSize, query.pageSize ?? 50);
      if (!page.nextPageToken) return { tasks, sizes, total: page.totalSize };
      pageToken = page.nextPageToken;
    }
  }

  let { tasks, sizes, total } = await pages({ pageSize: 2 });
  expect('all tasks, newest first', ids(tasks), newestFirst);
  expect('sizes of the pages and the total', [sizes, total], [[2, 2, 1], 5]);
  require('artifacts only on request', tasks.every(({ artifacts }) => artifacts.length === 0));
  ({ tasks, total } = await pages({ status: 'TASK_STATE_COMPLETED', includeArtifacts: true, historyLength: 1 }));
  expect('completed tasks', [ids(tasks), total], [newestFirst.slice(1), 4]);
  require('artifacts on request', tasks.every(({ artifacts }) => artifacts.length === 1));
  require('history of the requested length', tasks.every(({ history }) => history.length === 1));
  const since = waiting.status.timestamp;
  const newer = ids([...done, waiting].filter(({ status }) => Date.parse(status.timestamp) >= Date.parse(since)));
  ({ tasks, total } = await pages({ statusTimestampAfter: since }));
  expect('tasks since the last one', [ids(tasks), total], [newer.reverse(), newer.length]);
  ({ tasks, total } = await pages({ status: 'TASK_STATE_CANCELED' }));
  expect('no task at all', [tasks, total], [[], 0]);
  for (const wrong of [{ pageToken: 'nonsense' }, { pageSize: 101 }, { pageSize: 0 }]) {
    await expectError(`a list with ${JSON.stringify(wrong)}`, () => pages(wrong), RequestMalformedError, 'BTN-1001');
  }
}

async function cancels(agent) {
  const task = await agent.begin('hang');
  const [streamed, reading] = agent.resubscribe(task);
  await streamed.begun;
  const canceled = await agent.cancel(task);
  expect('the reply', named(canceled.status.state), 'CANCELED');
  await reading;
  expect('the subscriber', streamed.states.at(-1), 'CANCELED');
  await agent.sameAsStored(streamed);
  expect('canceling twice', await agent.cancel(task), canceled);
}

async function resubscribes(agent) {
  const task = await agent.begin('count');
  const [early, first] = agent.resubscribe(task);
  await early.growing;
  const [late, second] = agent.resubscribe(task);
  await Promise.all([first, second]);
  for (const streamed of [early, late]) {
    const stored = await agent.sameAsStored(streamed);
    expect('the text at the end', streamed.texts.at(-1), answerOf(stored));
  }
  require('the late subscriber starts with the current text', late.texts[0].length > early.texts[0].length);
}

// A stream without events for longer than the default timeout of HTTP clients.
async function idleStream(agent) {
  const task = await agent.begin('quiet');
  for (const streamed of await Promise.all([agent.resubscribe(task)[1], agent.stream(says('quiet'))])) {
    expect('answer', answerOf(await agent.sameAsStored(streamed)), 'Still here.');
  }
}

// The event of a notification.
function parseNotification({ method, path, headers, body }, wanted) {
  expect('the request', [method, path, headers['content-type']], ['POST', wanted.path, 'application/a2a+json']);
  expect('the authorization', headers.authorization, wanted.authorization);
  expect('the notification token', headers['x-a2a-notification-token'], wanted.token);
  return StreamResponse.fromJSON(body);
}

async function takeNotifications(webhook, streamed, wanted) {
  while (streamed.states.at(-1) !== 'COMPLETED') streamed.take(parseNotification(await webhook.next(), wanted));
  return streamed;
}

async function notifies(agent) {
  const webhook = await Webhook.open();
  try {
    const taskPushNotificationConfig = {
      id: 'mine',
      url: webhook.url('/hooks/1'),
      token: 'a token',
      authentication: { scheme: 'Bearer', credentials: 'c3Rvcnk=' },
    };
    const task = await agent.begin('tell me a story', { taskPushNotificationConfig });
    const wanted = { path: '/hooks/1', token: 'a token', authorization: 'Bearer c3Rvcnk=' };
    const streamed = await takeNotifications(webhook, new StreamedTask(), wanted);
    expect('the task', streamed.task.id, task.id);
    expect('states', streamed.states, ['SUBMITTED', 'WORKING', 'COMPLETED']);
    expect('kinds', streamed.kinds, ['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
    answerOf(await agent.sameAsStored(streamed));
    require('no notification after the end', webhook.isEmpty);
  } finally {
    webhook.close();
  }
}

async function configures(agent) {
  const { client } = agent;
  const webhook = await Webhook.open();
  try {
    const task = await agent.send(says('ask me'));
    const taskId = task.id;
    const plain = (config) => ({ ...TaskPushNotificationConfig.toJSON(config), tenant: undefined });

    async function create(path, more) {
      const config = TaskPushNotificationConfig.fromJSON({ taskId, url: webhook.url(path), ...more });
      const created = await client.createTaskPushNotificationConfig(config);
      require('it has an id', created.id);
      expect(`the configuration for ${path}`, plain(created), plain({ ...config, id: config.id || created.id }));
      return created;
    }
    const get = (id) =>
      client.getTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id }));
    const remove = (id) =>
      client.deleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id }));
    async function all() {
      const request = ListTaskPushNotificationConfigsRequest.fromJSON({ taskId });
      const { configs } = await client.listTaskPushNotificationConfig(request);
      return configs.sort((one, other) => (one.id < other.id ? -1 : 1));
    }

    expect('none at first', await all(), []);
    const named = await create('/named', { id: 'named', token: 'one' });
    const unnamed = await create('/unnamed', { authentication: { scheme: 'Basic', credentials: 'dXNlcjpwYXNz' } });
    expect('the first', await get('named'), named);
    expect('the second', await get(unnamed.id), unnamed);
    expect('both', await all(), [named, unnamed].sort((one, other) => (one.id < other.id ? -1 : 1)));
    const changed = await create('/changed', { id: 'named' });
    expect('the same id again', await get('named'), changed);
    await remove('named');
    await expectError('a deleted one', () => get('named'), TaskNotFoundError, 'BTN-2014');
    await remove('named');
    expect('the rest', await all(), [unnamed]);

    await agent.send(says('blue', { task }));
    const wanted = { path: '/unnamed', authorization: 'Basic dXNlcjpwYXNz' };
    const streamed = await takeNotifications(webhook, new StreamedTask(task), wanted);
    expect('states', streamed.states, ['WORKING', 'COMPLETED']);
    expect('answer', answerOf(await agent.sameAsStored(streamed)), 'You chose blue.');
    require('no other notifications', webhook.isEmpty);

    const privateAddress = TaskPushNotificationConfig.fromJSON({ taskId, url: 'http://10.0.0.1/' });
    const forbidden = () => client.createTaskPushNotificationConfig(privateAddress);
    await expectError('a private address', forbidden, RequestMalformedError, 'BTN-1006');
  } finally {
    webhook.close();
  }
}

async function errors(agent) {
  const unknown = { id: randomUUID(), contextId: '' };
  const hello = (task) => says('hello', { task });
  for (const [label, call] of [
    ['get', () => agent.get(unknown)],
    ['cancel', () => agent.cancel(unknown)],
    ['send to', () => agent.send(hello(unknown))],
    ['subscribe to', () => agent.resubscribe(unknown)[1]],
    ['stream to', () => agent.stream(hello(unknown))],
  ]) {
    await expectError(`${label} an unknown task`, call, TaskNotFoundError, 'BTN-2003');
  }
  const done = await agent.send(says('hello'));
  for (const [label, call] of [
    ['send to', () => agent.send(hello(done))],
    ['subscribe to', () => agent.resubscribe(done)[1]],
    ['stream to', () => agent.stream(hello(done))],
  ]) {
    await expectError(`${label} a finished task`, call, UnsupportedOperationError, 'BTN-2004');
  }
  await expectError('cancel a finished task', () => agent.cancel(done), TaskNotCancelableError, 'BTN-2005');
  await expectError('an empty message', () => agent.send(says([])), RequestMalformedError, 'BTN-1001');
  const waiting = await agent.send(says('ask me'));
  const otherContext = { ...says('blue', { task: waiting }), contextId: 'another' };
  await expectError('another context', () => agent.send(otherContext), RequestMalformedError, 'BTN-2006');
}

// Another agent, which answers with a message and without a task.
async function bareMessage(agent) {
  const { client } = await Agent.open(`${agent.root}/agents/conformance/`, agent.binding, true);
  const request = () => SendMessageRequest.fromJSON({ message: says('tck-message-response') });
  const replies = [await client.sendMessage(request())];
  for await (const { payload } of client.sendMessageStream(request())) {
    expect('the kind', payload.$case, 'message');
    replies.push(payload.value);
  }
  expect('the number of replies', replies.length, 2);
  for (const reply of replies) {
    expect('the reply', [textOf(reply), reply.role, reply.taskId], ['Direct message response', AGENT, '']);
  }
}

const [url, binding, option] = process.argv.slice(2);
if (!url || !binding) {
  console.error('usage: node a2a_client.mjs URL BINDING [several]');
  process.exit(2);
}
const agent = await Agent.open(url, binding, option === 'several');
// Slow and independent of the other checks, so it runs concurrently.
const idle = idleStream(agent);
idle.catch(() => {});
const checks = [
  ['the card and the extended card', card],
  ['a message is answered with a task', sends],
  ['the text of a streamed answer grows', streams],
  ['questions are answered in further turns', questions],
  ['failed and rejected tasks contain the reason', failures],
  ['tasks are listed by page, state and time', lists],
  ['a running task is canceled', cancels],
  ['two subscribers follow a running task', resubscribes],
  ['push notifications contain the events of the stream', notifies],
  ['push configurations are created, read, listed and deleted', configures],
  ["errors have the client's types", errors],
];
if (agent.several) checks.push(['another agent answers with a message and no task', bareMessage]);
checks.push(["an idle stream outlives the client's default timeout", () => idle]);
// The client keeps connections open and has no way to close them.
process.exit(await run(checks.map(([name, check]) => [name, () => check(agent)])));
