// What checks expect, and how they are run one after the other.

import assert from 'node:assert/strict';

// Far more than any check needs, in milliseconds.
const BOUND = 60_000;

export function expect(what, actual, wanted) {
  try {
    assert.deepEqual(actual, wanted);
  } catch (difference) {
    throw new Error(`${what}: ${difference.message}`);
  }
}

export function require(what, condition) {
  if (!condition) throw new Error(what);
}

// Checks that a call is refused with this error of the SDK's, carrying Baton's code.
export async function refused(what, call, type, code) {
  let answer;
  try {
    answer = await call();
  } catch (error) {
    require(`${what}: wanted ${type.name}, got ${error.stack}`, error instanceof type);
    expect(`${what}: the code of the error`, codeOf(error), code);
    require(`${what}: the error says something`, error.message);
    return;
  }
  throw new Error(`${what}: wanted ${type.name}, got ${JSON.stringify(answer)}`);
}

// JSON-RPC leaves the details of an error as they came.
function codeOf(error) {
  const details = Array.isArray(error.data) ? error.data : [{ metadata: error.metadata }];
  return details.find((detail) => detail?.metadata?.batonCode)?.metadata.batonCode;
}

// Runs [name, check] one after the other, a line each; returns the exit status.
export async function run(checks) {
  for (const [name, check] of checks) {
    const begun = Date.now();
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${BOUND / 1000} seconds`)), BOUND);
    });
    try {
      await Promise.race([check(), late]);
    } catch (error) {
      console.log(`FAILED  ${name}\n  ${error.stack}`);
      return 1;
    } finally {
      clearTimeout(timer);
    }
    console.log(`ok      ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  }
  return 0;
}
