import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

/*
 * In order, as a new administrator. `$NAME` in an expected answer is stored at its first occurrence and compared
 * afterwards; "…" matches any value; omitted fields are ignored.
 */
const reference = fileURLToPath(new URL('../../../../docs/rest-api.md', import.meta.url));

interface Example {
  readonly line: number;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly status: number;
  readonly answer: string | undefined;
}

interface Heard {
  readonly status: number;
  readonly text: string;
}

function examplesOf(markdown: string): Example[] {
  const pattern = /```http\n(GET|POST|PUT|DELETE) (\S+)\n([^]*?)\n?(\d{3})\n([^]*?)```/g;
  return [...markdown.matchAll(pattern)].map((match) => {
    const [, method = '', path = '', body = '', status = '', answer = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length;
    return {
      line,
      method,
      path,
      body: body.trim() || undefined,
      status: Number(status),
      answer: answer.trim() || undefined,
    };
  });
}

describe('examples of the API reference', function () {
  this.timeout(180_000);
  let test: SharedStack;
  const known = new Map<string, string>();
  before(async () => {
    test = await sharedStack();
  });

  const filledIn = (text: string) => text.replace(/\$[A-Z]+/g, (name) => known.get(name) ?? name);

  async function ask({ method, path, body }: Example): Promise<Heard> {
    const response = await fetch(`${test.stack.baseUrl}${filledIn(path)}`, {
      method,
      headers: { authorization: `Bearer ${test.admin.token() ?? ''}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: filledIn(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  /** The first difference from the documentation; null without one. */
  function difference(expected: unknown, actual: unknown, at: string): string | null {
    if (expected === '…') return actual === undefined ? `${at} is missing` : null;
    if (typeof expected === 'string' && /^\$[A-Z]+$/.test(expected) && !known.has(expected)) {
      known.set(expected, String(actual));
      return null;
    }
    if (expected === null || typeof expected !== 'object') {
      const wanted = typeof expected === 'string' ? filledIn(expected) : expected;
      return wanted === actual ? null : `${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`;
    }
    if (actual === null || typeof actual !== 'object') return `${at} is ${JSON.stringify(actual)}`;
    if (Array.isArray(expected) && Array.isArray(actual) && expected.length !== actual.length)
      return `${at} has ${actual.length} entries, not ${expected.length}`;
    for (const [key, value] of Object.entries(expected)) {
      const found = difference(value, (actual as Record<string, unknown>)[key], `${at}.${key}`);
      if (found !== null) return found;
    }
    return null;
  }

  function compare({ status, answer }: Example, heard: Heard): string | null {
    if (heard.status !== status) return `${heard.status} ${heard.text}, not ${status}`;
    if (answer === undefined) return heard.text === '' ? null : `a body: ${heard.text}`;
    return difference(JSON.parse(answer), JSON.parse(heard.text), 'the answer');
  }

  /** Earlier operations may still run: repeat reads and locked requests. */
  const mayChange = ({ method, answer }: Example, { text }: Heard) =>
    method === 'GET' || (text.includes('"server_locked"') && !answer?.includes('"server_locked"'));

  const examples = examplesOf(readFileSync(reference, 'utf8'));

  it('contains examples', () => expect(examples.length).to.be.above(20));

  for (const example of examples) {
    it(`answers as its example says: line ${example.line}, ${example.method} ${example.path} ${example.status}`, async () => {
      let wrong: string | null = 'nothing was asked';
      await waitUntil('the documented answer', async () => {
        const heard = await ask(example);
        wrong = compare(example, heard);
        return wrong === null || !mayChange(example, heard);
      }).catch(() => undefined);
      expect(wrong).to.equal(null);
    });
  }
});
