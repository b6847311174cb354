// A receiver of push notifications on loopback.

import { once } from 'node:events';
import { createServer } from 'node:http';

export class Webhook {
  #arrived = [];
  #waiting = [];

  static async open() {
    const webhook = new Webhook();
    webhook.server = createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        webhook.#take({ method, path: url, headers, body: JSON.parse(Buffer.concat(chunks)) });
        response.writeHead(204).end();
      });
    });
    webhook.server.listen(0, '127.0.0.1');
    await once(webhook.server, 'listening');
    return webhook;
  }

  url(path) {
    return `http://127.0.0.1:${this.server.address().port}${path}`;
  }

  get isEmpty() {
    return this.#arrived.length === 0;
  }

  #take(notification) {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(notification);
    else this.#arrived.push(notification);
  }

  next() {
    if (this.#arrived.length > 0) return Promise.resolve(this.#arrived.shift());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
