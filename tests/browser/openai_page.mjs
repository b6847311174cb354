// Calls an agent with OpenAI's package from a page of another origin, in Chromium.
//
// Usage: openai_page.mjs URL PORT   (PORT of the page; the origin 127.0.0.1:PORT is allowed, localhost:PORT is not)

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

import { expect, require, run } from '../js/checking.mjs';

const [baton, port] = process.argv.slice(2);
const packages = fileURLToPath(new URL('node_modules/openai/', import.meta.url));

// Serves the published modules of the package; the page needs no bundler.
const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://page');
  if (pathname === '/') {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
    return;
  }
  try {
    const file = join(packages, normalize(pathname));
    require('a file of the package', file.startsWith(packages));
    response.setHeader('content-type', 'text/javascript').end(await readFile(file));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(Number(port), '127.0.0.1', ready));

const profile = await mkdtemp(join(tmpdir(), 'baton-chromium-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.BATON_TEST_CHROMIUM || '/usr/bin/chromium',
  headless: true,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});

async function page(host) {
  const page = await browser.newPage();
  await page.goto(`http://${host}:${port}/`);
  return page;
}

const allowed = await page('127.0.0.1');

// Runs a function in the page, with a client of the package.
const inPage = (page, work) =>
  page.evaluate(
    async ([base, source]) => {
      const { default: OpenAI } = await import('/index.mjs');
      const settings = { baseURL: `${base}/v1`, apiKey: 'none', dangerouslyAllowBrowser: true, maxRetries: 0 };
      const client = new OpenAI({ ...settings, organization: 'org', project: 'proj' });
      return await eval(`(${source})`)(client, OpenAI, settings);
    },
    [baton, work.toString()],
  );

const checks = {
  'an answer, with its request id': async () => {
    const [text, id] = await inPage(allowed, async (client) => {
      const asked = client.responses.create({ model: 'desk', input: 'one two' });
      const { data, request_id } = await asked.withResponse();
      return [data.output_text, request_id];
    });
    expect('the text', text, 'You said: one two');
    require('the id', id?.startsWith('req_'));
  },

  'a stream': async () => {
    const [text, events] = await inPage(allowed, async (client) => {
      const stream = await client.responses.create({ model: 'desk', input: 'one two three', stream: true });
      let [text, events] = ['', 0];
      for await (const event of stream) {
        events += 1;
        text += event.type === 'response.output_text.delta' ? event.delta : '';
      }
      return [text, events];
    });
    expect('the text', text, 'You said: one two three');
    require('several events', events > 6);
  },

  'chat with the stream helper and Baton headers': async () => {
    const text = await inPage(allowed, async (client) => {
      const messages = [{ role: 'user', content: 'hello' }];
      const headers = { 'baton-tool-items': 'hidden', 'idempotency-key': 'page-1' };
      const runner = client.chat.completions.stream({ model: 'desk', messages }, { headers });
      return await runner.finalContent();
    });
    expect('the text', text, 'You said: hello');
  },

  'an error keeps its class and its headers': async () => {
    const seen = await inPage(allowed, async (client, OpenAI) => {
      try {
        await client.responses.create({ model: 'nobody', input: 'hi' });
      } catch (error) {
        return [error instanceof OpenAI.NotFoundError, error.code, Boolean(error.requestID)];
      }
    });
    expect('the error', seen, [true, 'model_not_found', true]);
  },

  'conversations are changed and deleted': async () => {
    const deleted = await inPage(allowed, async (client) => {
      const { id } = await client.conversations.create({ metadata: { a: 'b' } });
      return (await client.conversations.delete(id)).deleted;
    });
    expect('deleted', deleted, true);
  },

  'a page of a forbidden origin gets no response': async () => {
    const other = await page('localhost');
    const failure = await inPage(other, async (client, OpenAI) => {
      try {
        await client.responses.create({ model: 'desk', input: 'hi' });
      } catch (error) {
        return error instanceof OpenAI.APIConnectionError;
      }
    });
    expect('no connection', failure, true);
  },
};

let status = 1;
try {
  status = await run(Object.entries(checks));
} finally {
  await browser.close();
  server.close();
  await rm(profile, { recursive: true, force: true });
}
process.exit(status);
