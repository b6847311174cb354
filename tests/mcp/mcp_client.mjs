// Tests the Environment of examples/mcp-conformance with an official JavaScript MCP client.
//
// Usage: mcp_client.mjs GENERATION MODE URL
//        mcp_client.mjs GENERATION MODE COMMAND [ARGUMENT...]   (a server on stdin and stdout)
//
// GENERATION: `sdk` (@modelcontextprotocol/sdk) or `client` (@modelcontextprotocol/client).
// MODE: `legacy` uses the older handshake; `auto` detects that the server supports 2026-07-28 (`client` only).

import { expect, require, run } from '../js/checking.mjs';
import { connector } from './sdks.mjs';

const [generation, mode, ...target] = process.argv.slice(2);
const connected = connector(generation, mode, target);
const modern = mode === 'auto';

const texts = (result) => result.content.map((block) => block.text);

async function failure(label, call) {
  try {
    const answer = await call();
    throw new Error(`${label}: wanted an error, got ${JSON.stringify(answer)}`);
  } catch (error) {
    require(`${label}: ${error.stack}`, typeof error.code === 'number');
    return error.code;
  }
}

const checks = {
  'everything is listed': () =>
    connected(async ({ client, version }) => {
      // The older client does not keep the version if no header needs it.
      if (version) expect('the protocol', version, modern ? '2026-07-28' : '2025-11-25');
      const tools = (await client.listTools()).tools.map((tool) => tool.name);
      expect('the order of tools', tools, tools.toSorted());
      require('tools of the server', tools.includes('test_simple_text'));
      const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
      require('the agent\'s prompt', prompts.includes('system_prompt') && prompts.includes('test_simple_prompt'));
      const resources = (await client.listResources()).resources.map((resource) => resource.name);
      require('the agent\'s references', resources.includes('suite') && resources.includes('static-text'));
      const templates = (await client.listResourceTemplates()).resourceTemplates;
      expect('templates', templates.map((one) => one.uriTemplate), ['test://template/{id}/data']);
    }),

  'tools return all kinds of content': () =>
    connected(async ({ client, call }) => {
      await client.listTools();
      expect('text', texts(await call('test_simple_text')), ['This is a simple text response for testing.']);
      const several = (await call('test_multiple_content_types')).content;
      expect('kinds', several.map((block) => block.type), ['text', 'image', 'resource']);
      expect('the audio', (await call('test_audio_content')).content[0].mimeType, 'audio/wav');
      // The client checks this against the tool's output schema.
      const added = await call('test_structured_content', { a: 40, b: 2 });
      expect('data', added.structuredContent, { sum: 42, words: 'The sum is 42.' });
    }),

  'prompts are returned': () =>
    connected(async ({ client }) => {
      const system = await client.getPrompt({ name: 'system_prompt' });
      require('the agent\'s own prompt', system.messages[0].content.text.includes('conformance suite'));
      const given = { arg1: 'one', arg2: 'two' };
      const filled = await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: given });
      expect('filled in', filled.messages[0].content.text, "Prompt with arguments: arg1='one', arg2='two'");
      const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
      const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'par' } });
      expect('values with this prefix', completion.values, ['paris', 'park', 'party']);
    }),

  'resources are read': () =>
    connected(async ({ client }) => {
      const { uri } = (await client.listResources()).resources.find((resource) => resource.name === 'suite');
      require('the reference', (await client.readResource({ uri })).contents[0].text.includes('conformance'));
      const made = await client.readResource({ uri: 'test://template/7/data' });
      require('from a template', made.contents[0].text.includes('"id":"7"'));
      const code = await failure('an unknown resource', () => client.readResource({ uri: 'test://nothing' }));
      // The newer client translates the older error code.
      expect('the code for an unknown resource', code, generation === 'client' ? -32602 : -32002);
    }),

  'progress is reported': async () => {
    const received = [];
    const onprogress = ({ progress, total }) => received.push([progress, total]);
    await connected(({ call }) => call('test_tool_with_progress', {}, { onprogress }));
    expect('progress', received, [[0, 100], [50, 100], [100, 100]]);
  },

  'requests to the client are answered': () => {
    const fillIn = ({ params }) => {
      const fields = Object.keys(params.requestedSchema.properties);
      return { action: 'accept', content: Object.fromEntries(fields.map((field) => [field, `my ${field}`])) };
    };
    const write = ({ params }) => {
      const [first] = [params.messages[0].content].flat();
      return { role: 'assistant', model: 'a-model', content: { type: 'text', text: `You said: ${first.text}` } };
    };
    const roots = () => ({ roots: [{ uri: 'file:///work', name: 'work' }] });
    const answers = { 'elicitation/create': fillIn, 'sampling/createMessage': write, 'roots/list': roots };
    return connected(
      async ({ client, call }) => {
        const [filled] = texts(await call('test_elicitation', { message: 'Who are you?' }));
        require(`a form: ${filled}`, filled.includes('accept') && filled.includes('my username'));
        const rounds = texts(await call('test_input_required_result_multi_round'));
        expect('two rounds', rounds, ['my name likes my color.']);
        const written = texts(await call('test_sampling', { prompt: 'hello' }));
        expect('text of the client\'s model', written, ['LLM response: You said: hello']);
        const several = texts(await call('test_input_required_result_multiple_inputs'));
        expect('three requests at once', several, ['You said: Generate a greeting my name, 1 roots']);
        const asked = await client.getPrompt({ name: 'test_input_required_result_prompt' });
        expect('a prompt that requests input', asked.messages[0].content.text, 'Prompt with context: my context');
      },
      { answers },
    );
  },

  'elicitation fails without client support': () =>
    connected(async ({ call }) => {
      const ask = () => call('test_elicitation', { message: 'Who are you?' });
      if (modern) expect('the code', await failure('an elicitation', ask), -32021);
      else expect('a failed call', (await ask()).isError, true);
    }),

  'calls can be canceled': () =>
    connected(async ({ call }) => {
      const before = Number(texts(await call('count_canceled', { at_least: 0 }))[0]);
      const canceler = new AbortController();
      const options = { signal: canceler.signal, onprogress: () => canceler.abort('enough') };
      const given = await call('wait_until_canceled', {}, options).then(() => 'ended', () => 'canceled');
      expect('the call', given, 'canceled');
      const after = Number(texts(await call('count_canceled', { at_least: before + 1 }))[0]);
      expect('the tool received the cancellation', after, before + 1);
    }),

  'errors have codes': () =>
    connected(async ({ client, call }) => {
      const failed = await call('test_error_handling');
      expect('a failed call', failed.isError, true);
      expect('its text', texts(failed), ['This tool intentionally returns an error for testing']);
      expect('an unknown tool', await failure('a tool', () => call('no_such_tool')), -32602);
      expect('an unknown prompt', await failure('a prompt', () => client.getPrompt({ name: 'none' })), -32602);
    }),

  'change notifications are received': () => {
    const changed = Promise.withResolvers();
    const touched = Promise.withResolvers();
    const notices = {
      'notifications/tools/list_changed': () => changed.resolve(),
      'notifications/resources/updated': ({ params }) => touched.resolve(params.uri),
    };
    const uri = 'test://watched-resource';
    return connected(
      async ({ client, call }) => {
        if (modern) await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
        else await client.subscribeResource({ uri });
        await call('test_trigger_tool_change');
        await changed.promise;
        await call('touch_watched_resource');
        expect('the changed resource', await touched.promise, uri);
        await call('test_trigger_tool_change');
      },
      { notices },
    );
  },
};

process.exit(await run(Object.entries(checks)));
