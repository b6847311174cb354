// The executor of the served agent; the keywords are listed in tests/python/words.py.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';

const textOf = ({ parts }) => parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(' ');

// Publishes the events of one task.
class TaskUpdater {
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

export class WordsExecutor {
  // Context and stop function of every task that works until it is canceled.
  #working = new Map();

  execute = async ({ userMessage, task, taskId, contextId }, bus) => {
    const words = textOf(userMessage).split(' ');
    if (words[0] === 'bare') {
      const message = { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text: 'just words' }], contextId };
      bus.publish(AgentEvent.message(Message.fromJSON(message)));
      return;
    }
    const begun = { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' } };
    // Every turn starts with the task.
    bus.publish(AgentEvent.task(task ?? { ...Task.fromJSON(begun), history: [userMessage] }));
    const updater = new TaskUpdater(bus, taskId, contextId);
    updater.status('WORKING');
    await this.#act(updater, task ? ['chose', ...words] : words);
  };

  cancelTask = async (taskId, bus) => {
    const { contextId, stop } = this.#working.get(taskId) ?? {};
    new TaskUpdater(bus, taskId, contextId).status('CANCELED', 'As you wish.');
    stop?.();
  };

  async #act(updater, words) {
    const [word, count, ms = '0'] = words;
    switch (word) {
      case 'stream':
        for (let number = 0; number < Number(count); number++) {
          updater.artifact('chunks', `<${number}>`, number > 0, number === Number(count) - 1);
          await pause(Number(ms));
        }
        updater.status('COMPLETED', `${count} chunks`);
        break;
      case 'ask':
        updater.status('INPUT_REQUIRED', 'Which colour?');
        break;
      case 'slow':
        await new Promise((stop) => this.#working.set(updater.taskId, { contextId: updater.contextId, stop }));
        break;
      case 'wait':
        await pause(Number(count));
        updater.status('COMPLETED', 'It took a while.');
        break;
      case 'fail':
        updater.status('FAILED', 'It did not work.');
        break;
      default:
        updater.artifact('echo', words.join(' '), false, true);
        updater.status('COMPLETED');
    }
  }
}
