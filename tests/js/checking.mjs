// Assertions for checks, and a runner that executes checks in sequence.

import assert from 'node:assert/strict';

// Milliseconds; far more than any check needs.
const CHECK_TIMEOUT = 60_000;

export function expect(label, actual, wanted) {
  try {
    assert.deepEqual(actual, wanted);
  } catch (difference) {
    throw new Error(`${label}: ${difference.message}`);
  }
}

export function require(label, condition) {
  if (!condition) throw new Error(label);
}

// Checks that a call fails with this error type of the SDK and with Baton's error code.
export async function expectError(label, call, type, code) {
  let answer;
  try {
    answer = await call();
  } catch (error) {
    require(`${label}: wanted ${type.name}, got ${error.stack}`, error instanceof type);
    expect(`${label}: the code of the error`, codeOf(error), code);
    require(`${label}: the error has a message`, error.message);
    return;
  }
  throw new Error(`${label}: wanted ${type.name}, got ${JSON.stringify(answer)}`);
}

// With JSON-RPC, the client keeps the error details in `data`.
function codeOf(error) {
  const details = Array.isArray(error.data) ? error.data : [{ metadata: error.metadata }];
  return details.find((detail) => detail?.metadata?.batonCode)?.metadata.batonCode;
}

// Runs [name, check] pairs in sequence and prints one line for each; returns the exit status.
export async function run(checks) {
  for (const [name, check] of checks) {
    const begun = Date.now();
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`timed out after ${CHECK_TIMEOUT / 1000} seconds`)), CHECK_TIMEOUT);
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
