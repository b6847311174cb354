// A common interface to the two generations of the official JavaScript client.

import * as newer from '@modelcontextprotocol/client';
import { StdioClientTransport as NewerStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

const info = { name: 'baton-tests', version: '1.0.0' };

// The older client takes schemas instead of method names.
const schemas = {
  'elicitation/create': ElicitRequestSchema,
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
  'notifications/tools/list_changed': ToolListChangedNotificationSchema,
  'roots/list': ListRootsRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
};

// The differences between the generations.
const generations = {
  sdk: {
    client: (options) => new Client(info, options),
    http: (url) => new StreamableHTTPClientTransport(url),
    stdio: (options) => new StdioClientTransport(options),
    name: (method) => schemas[method],
    call: (client, params, options) => client.callTool(params, undefined, options),
    version: (_client, transport) => transport.protocolVersion,
  },
  client: {
    client: (options) => new newer.Client(info, options),
    http: (url) => new newer.StreamableHTTPClientTransport(url),
    stdio: (options) => new NewerStdio(options),
    name: (method) => method,
    call: (client, params, options) => client.callTool(params, options),
    version: (client) => client.getNegotiatedProtocolVersion(),
  },
};

// Returns a function that calls `use` with a connected client in a protocol mode, and then closes the client.
// Target: a URL, or a program and its arguments.
export function connector(generation, mode, [target, ...args]) {
  const sdk = generations[generation];
  return async (use, { answers = {}, notices = {} } = {}) => {
    const capabilities = {};
    if ('elicitation/create' in answers) capabilities.elicitation = {};
    if ('sampling/createMessage' in answers) capabilities.sampling = {};
    if ('roots/list' in answers) capabilities.roots = {};
    const client = sdk.client({ capabilities, versionNegotiation: { mode } });
    for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(sdk.name(method), answer);
    for (const [method, notice] of Object.entries(notices)) client.setNotificationHandler(sdk.name(method), notice);
    const transport = target.startsWith('http')
      ? sdk.http(new URL(target))
      : sdk.stdio({ command: target, args, stderr: 'ignore' });
    await client.connect(transport);
    try {
      const call = (name, given, options) => sdk.call(client, { name, arguments: given ?? {} }, options);
      return await use({ client, call, version: sdk.version(client, transport) });
    } finally {
      await client.close();
    }
  };
}
