// A test agent on the official JavaScript server; tests/python/words.py lists its keywords.
//
// Usage: node server.mjs BINDING [quiet]
//
// BINDING is the binding in the card: JSONRPC, HTTP+JSON or GRPC. `quiet` disables streaming. Prints one line of JSON
// with its URL when it is ready, and one for each notification that it sent. Ends when stdin ends.

import { once } from 'node:events';
import { createServer } from 'node:http';

import { AgentCard } from '@a2a-js/sdk';
import {
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import express from 'express';

import { WordsExecutor } from './words.mjs';

const printJson = (fact) => process.stdout.write(`${JSON.stringify(fact)}\n`);

// stdout is reserved for the JSON lines; the SDK logs to it by default.
console.info = console.log = console.debug = console.error;
const { fetch } = globalThis;
globalThis.fetch = async (url, options) => {
  const response = await fetch(url, options);
  printJson({ notified: String(url), status: response.status });
  return response;
};

function cardOf(binding, url, streaming) {
  const [id, description, modes] = ['words', 'Does what it is told.', ['text/plain']];
  return AgentCard.fromJSON({
    name: 'JS Words',
    description,
    version: '1.0.0',
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: '1.0' }],
    capabilities: { streaming, pushNotifications: true },
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [{ id, name: 'Words', description, tags: ['test'] }],
  });
}

async function main(binding, streaming) {
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const grpcServer = new Server();
  const bind = (credentials) =>
    new Promise((resolve, reject) =>
      grpcServer.bindAsync('127.0.0.1:0', credentials, (error, port) => (error ? reject(error) : resolve(port))),
    );
  const address = binding === 'GRPC' ? `127.0.0.1:${await bind(ServerCredentials.createInsecure())}` : url;
  const configs = new InMemoryPushNotificationStore();
  const requestHandler = new DefaultRequestHandler(
    cardOf(binding, address, streaming),
    new InMemoryTaskStore(),
    new WordsExecutor(),
    undefined,
    configs,
    new DefaultPushNotificationSender(configs),
  );
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  if (binding === 'JSONRPC') app.use(jsonRpcHandler(options));
  if (binding === 'HTTP+JSON') app.use(restHandler(options));
  if (binding === 'GRPC') grpcServer.addService(A2AService, grpcService(options));
  printJson({ url });
  process.stdin.resume().on('end', () => process.exit(0));
}

await main(process.argv[2], process.argv[3] !== 'quiet');
