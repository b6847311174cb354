// An agent, called with the official client over one binding.

import { randomUUID } from 'node:crypto';

import {
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskState,
} from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

import { expect, require } from './checking.mjs';

export const named = (state) => TaskState[state].replace('TASK_STATE_', '');

// A user message as JSON; strings become text parts.
export function says(parts, { task, context } = {}) {
  return {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [parts].flat().map((part) => (typeof part === 'string' ? { text: part } : part)),
    contextId: task?.contextId ?? context,
    taskId: task?.id,
  };
}

export const textOf = ({ parts }) =>
  parts.map(({ content }) => (content.$case === 'text' ? content.value : '')).join('');

export const dataOf = ({ parts }) => parts.flatMap(({ content }) => (content.$case === 'data' ? [content.value] : []));

// The tool calls in the status message.
export const callsOf = (task) => dataOf(task.status.message).flatMap((data) => data.tool_calls ?? []);

// The answer; checks that status message, last artifact and last history entry are equal.
export function answerOf(task) {
  expect('the state', named(task.status.state), 'COMPLETED');
  const answer = textOf(task.status.message);
  expect('the last artifact', textOf(task.artifacts.at(-1)), answer);
  expect('the last message of the history', task.history.at(-1), task.status.message);
  return answer;
}

export const roles = (task) => task.history.map(({ role }) => role);

// A task folded from a stream; a stream without an initial task continues the known task.
export class StreamedTask {
  states = [];
  texts = [];
  kinds = [];

  constructor(known) {
    this.task = known && { ...known, status: undefined, artifacts: [] };
    this.begun = new Promise((resolve) => (this.begin = resolve));
    this.growing = new Promise((resolve) => (this.grow = resolve));
  }

  async toEnd(stream) {
    for await (const event of stream) this.take(event);
    require('the stream contained a task', this.task);
    return this;
  }

  take({ payload: { $case: kind, value } }) {
    this.kinds.push(kind);
    if (!this.task) {
      expect('the first event of a stream', kind, 'task');
      this.task = structuredClone(value);
      this.states.push(named(value.status.state));
      this.begin();
      return;
    }
    expect("the update's task and context", [value.taskId, value.contextId], [this.task.id, this.task.contextId]);
    if (kind === 'statusUpdate') {
      this.task.status = value.status;
      this.states.push(named(value.status.state));
      return;
    }
    expect('the kind of a later event', kind, 'artifactUpdate');
    const { artifacts } = this.task;
    const at = artifacts.findIndex(({ artifactId }) => artifactId === value.artifact.artifactId);
    if (value.append) {
      require('an appended artifact exists', at >= 0);
      artifacts[at].parts.push(...value.artifact.parts);
    } else {
      artifacts[at < 0 ? artifacts.length : at] = structuredClone(value.artifact);
    }
    this.texts.push(textOf(artifacts.at(at)));
    if (this.texts.length >= 10) this.grow();
  }

  // Checks that the folded task equals the task from GetTask; artifacts with retracted text are empty.
  sameAs(stored) {
    expect('status of the stream and of GetTask', this.task.status, stored.status);
    const kept = this.task.artifacts.filter((artifact) => textOf(artifact) || dataOf(artifact).length > 0);
    expect('artifacts of the stream and of GetTask', kept, stored.artifacts);
  }
}

export class Agent {
  static async open(address, binding, several) {
    const agent = new Agent();
    // URLs of interfaces have no trailing slash.
    const url = address.replace(/\/$/, '');
    Object.assign(agent, { address, url, binding, several, root: url.split('/agents/')[0] });
    agent.client = await agent.connect();
    return agent;
  }

  // The client is created as documented by the SDK.
  connect(clientConfig) {
    const transports = [new GrpcTransportFactory()];
    const preferredTransports = [this.binding];
    const options = { transports, preferredTransports, clientConfig };
    const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options));
    return factory.createFromUrl(this.address);
  }

  async send(message, configuration = {}) {
    const task = await this.client.sendMessage(SendMessageRequest.fromJSON({ message, configuration }));
    require(`a task, not ${JSON.stringify(task)}`, task.id && task.status);
    return task;
  }

  // Starts a task and returns it while it is running.
  async begin(text, configuration) {
    const task = await this.send(says(text), { ...configuration, returnImmediately: true });
    require('the send returns before the task ends', ['SUBMITTED', 'WORKING'].includes(named(task.status.state)));
    return task;
  }

  async stream(message) {
    const stream = this.client.sendMessageStream(SendMessageRequest.fromJSON({ message }));
    const streamed = await new StreamedTask().toEnd(stream);
    await this.sameAsStored(streamed);
    return streamed;
  }

  resubscribe({ id }) {
    const streamed = new StreamedTask();
    const reading = streamed.toEnd(this.client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id })));
    return [streamed, reading];
  }

  get({ id }, more) {
    return this.client.getTask(GetTaskRequest.fromJSON({ id, ...more }));
  }

  cancel({ id }) {
    return this.client.cancelTask(CancelTaskRequest.fromJSON({ id }));
  }

  async sameAsStored(streamed) {
    const stored = await this.get(streamed.task);
    streamed.sameAs(stored);
    return stored;
  }
}
