// What the served agent does with the words it is told; the same as tests/python/words.py, which has the list.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';

const textOf = ({ parts }) => parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(' ');

// One task, and telling what happens to it.
class Told {
  constructor(bus, taskId, contextId) {
    Object.assign(this, { bus, taskId, contextId });
  }

  status(state, text) {
    const { taskId, contextId } = this;
    const says = { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }], taskId, contextId };
    const status = { state: `TASK_STATE_${state}`, timestamp: new Date().toISOString(), message: text && says };
    this.bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status })));
  }

  artifact(id, text, append, lastChunk) {
    const { taskId, contextId } = this;
    const artifact = { artifactId: id, name: id, parts: [{ text }] };
    const event = TaskArtifactUpdateEvent.fromJSON({ taskId, contextId, artifact, append, lastChunk });
    this.bus.publish(AgentEvent.artifactUpdate(event));
  }
}

export class Words {
  // What is to be done when a task is canceled, and where it belongs.
  #working = new Map();

  execute = async ({ userMessage, task, taskId, contextId }, bus) => {
    const words = textOf(userMessage).split(' ');
    if (words[0] === 'bare') {
      const message = { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text: 'just words' }], contextId };
      bus.publish(AgentEvent.message(Message.fromJSON(message)));
      return;
    }
    const begun = { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' } };
    // Every turn begins with the task.
    bus.publish(AgentEvent.task(task ?? { ...Task.fromJSON(begun), history: [userMessage] }));
    const told = new Told(bus, taskId, contextId);
    told.status('WORKING');
    await this.#act(told, task ? ['chose', ...words] : words);
  };

  cancelTask = async (taskId, bus) => {
    const { contextId, stop } = this.#working.get(taskId) ?? {};
    new Told(bus, taskId, contextId).status('CANCELED', 'As you wish.');
    stop?.();
  };

  async #act(told, words) {
    const [word, count, ms = '0'] = words;
    switch (word) {
      case 'stream':
        for (let number = 0; number < Number(count); number++) {
          told.artifact('chunks', `<${number}>`, number > 0, number === Number(count) - 1);
          await pause(Number(ms));
        }
        told.status('COMPLETED', `${count} chunks`);
        break;
      case 'ask':
        told.status('INPUT_REQUIRED', 'Which colour?');
        break;
      case 'slow':
        await new Promise((stop) => this.#working.set(told.taskId, { contextId: told.contextId, stop }));
        break;
      case 'wait':
        await pause(Number(count));
        told.status('COMPLETED', 'It took a while.');
        break;
      case 'fail':
        told.status('FAILED', 'It did not work.');
        break;
      default:
        told.artifact('echo', words.join(' '), false, true);
        told.status('COMPLETED');
    }
  }
}
