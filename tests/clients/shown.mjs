// Asks the agent of tests/agents/clients/guide through a client, and counts how often the client displays its answer.
//
// A script calls `main` with a function that opens a conversation for each mode of its client. Each case prints one
// line of JSON to stdout; the exit status is 1 unless every answer was displayed exactly once, without other text.

import { readFileSync } from 'node:fs';

// Case, question, answer; every case except the follow-up opens a new conversation.
export const PLAIN = ['answer', 'Who counts the gulls?', 'The lighthouse keeper counts seventeen white gulls.'];
export const TOOL = [
  'after a tool call',
  'What is the weather in Oakland?',
  'Oakland has a clear sky and seventy-two degrees.',
];
export const FOLLOW_UP = ['follow-up', 'Which city did I ask about?', 'A moment ago you were asking about Oakland.'];

// Milliseconds; far more than any case needs.
const CASE_TIMEOUT = 90_000;

// stdout is reserved for the JSON lines; console output of the clients goes to stderr.
const print = process.stdout.write.bind(process.stdout);
console.log = console.info = console.debug = (...values) => console.error(...values);

// The URL of an agent's card.
export function cardUrl(agent) {
  return `${agent.replace(/\/$/, '')}/.well-known/agent-card.json`;
}

function versionOf(name) {
  const manifest = new URL(`node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

function report(client, dialect, mode, [name, asked, answer], text, error) {
  const flat = text.split(/\s+/).join(' ').trim();
  const shown = flat.split(answer).length - 1;
  const beside = flat.replaceAll(answer, '').trim();
  const version = versionOf(client);
  // The member `error` is omitted if there is no error.
  const line = { client, version, dialect, mode, case: name, asked, shown, beside, text: text.slice(0, 2000), error };
  print(`${JSON.stringify(line)}\n`);
  return shown === 1 && !beside && error === undefined;
}

async function withTimeout(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CASE_TIMEOUT / 1000} seconds`)), CASE_TIMEOUT);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

// Runs the cases in each mode: `modes` maps a name to an async function that returns `ask(question) -> text`.
export async function main(client, dialect, modes, cases = [PLAIN, TOOL, FOLLOW_UP]) {
  let good = true;
  for (const [mode, openConversation] of Object.entries(modes)) {
    let ask;
    for (const question of cases) {
      let text = '';
      let error;
      try {
        if (ask === undefined || question !== FOLLOW_UP) ask = await openConversation();
        text = await withTimeout(ask(question[1]));
      } catch (failure) {
        console.error(failure);
        error = String(failure).slice(0, 2000);
      }
      good = report(client, dialect, mode, question, text, error) && good;
    }
  }
  process.exit(good ? 0 : 1);
}
