// One agent seen through the official client, over one binding.

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

// A message of the user, as it is written; texts become text parts.
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

// The tool calls that the status message asks for.
export const callsOf = (task) => dataOf(task.status.message).flatMap((data) => data.tool_calls ?? []);

// The answer, which is at once the status message, an artifact and the last entry of the history.
export function answerOf(task) {
  expect('the state', named(task.status.state), 'COMPLETED');
  const answer = textOf(task.status.message);
  expect('the last artifact', textOf(task.artifacts.at(-1)), answer);
  expect('the last message of the history', task.history.at(-1), task.status.message);
  return answer;
}

export const roles = (task) => task.history.map(({ role }) => role);

// A stream folded into a task; one that begins with no task goes on from a known one.
export class Watched {
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
    require('the stream carried a task', this.task);
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
    expect('whose update it is', [value.taskId, value.contextId], [this.task.id, this.task.contextId]);
    if (kind === 'statusUpdate') {
      this.task.status = value.status;
      this.states.push(named(value.status.state));
      return;
    }
    expect('the kind of a later event', kind, 'artifactUpdate');
    const { artifacts } = this.task;
    const at = artifacts.findIndex(({ artifactId }) => artifactId === value.artifact.artifactId);
    if (value.append) {
      require('only what is there is appended to', at >= 0);
      artifacts[at].parts.push(...value.artifact.parts);
    } else {
      artifacts[at < 0 ? artifacts.length : at] = structuredClone(value.artifact);
    }
    this.texts.push(textOf(artifacts.at(at)));
    if (this.texts.length >= 10) this.grow();
  }

  // Whoever followed a stream to its end holds what GetTask gives; text that was taken back is empty.
  sameAs(stored) {
    expect('status of the stream and of GetTask', this.task.status, stored.status);
    const kept = this.task.artifacts.filter((artifact) => textOf(artifact) || dataOf(artifact).length > 0);
    expect('artifacts of the stream and of GetTask', kept, stored.artifacts);
  }
}

export class Agent {
  static async open(address, binding, several) {
    const agent = new Agent();
    // Interfaces are listed without the slash at the end.
    const url = address.replace(/\/$/, '');
    Object.assign(agent, { address, url, binding, several, root: url.split('/agents/')[0] });
    agent.client = await agent.connect();
    return agent;
  }

  // The client is made as the SDK's own documentation makes it.
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

  // A task that goes on by itself.
  async begin(text, configuration) {
    const task = await this.send(says(text), { ...configuration, returnImmediately: true });
    require('the send returns before the end', ['SUBMITTED', 'WORKING'].includes(named(task.status.state)));
    return task;
  }

  async stream(message) {
    const stream = this.client.sendMessageStream(SendMessageRequest.fromJSON({ message }));
    const watched = await new Watched().toEnd(stream);
    await this.sameAsStored(watched);
    return watched;
  }

  resubscribe({ id }) {
    const watched = new Watched();
    const watching = watched.toEnd(this.client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id })));
    return [watched, watching];
  }

  get({ id }, more) {
    return this.client.getTask(GetTaskRequest.fromJSON({ id, ...more }));
  }

  cancel({ id }) {
    return this.client.cancelTask(CancelTaskRequest.fromJSON({ id }));
  }

  async sameAsStored(watched) {
    const stored = await this.get(watched.task);
    watched.sameAs(stored);
    return stored;
  }
}
