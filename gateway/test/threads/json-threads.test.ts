import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { eventLoopShare, reasonOf } from '@panel/kit/testing';
import { expect } from 'chai';
import { readUploadedJson } from '../../src/http/uploaded-json.js';
import { contentsJson } from '../../src/threads/contents-json.js';
import { JsonThreads } from '../../src/threads/json-threads.js';

const mebibyte = 1024 ** 2;
const facts = { path: '/a "b".txt', modifiedAt: '2026-11-29T10:00:00.000Z' };

describe('large JSON in threads', () => {
  const threads = new JsonThreads();
  const caller = (key = 'a', signal = new AbortController().signal) => ({ key, signal });
  const join = (pieces: Iterable<Buffer>) => Buffer.concat([...pieces]);

  it('makes the same bytes of contents as without a thread', async () => {
    const text = Buffer.from('"grüße" 🎮\n\u0001'.repeat(60_000));
    for (const bytes of [text, randomBytes(mebibyte), Buffer.alloc(4 * mebibyte, 1), Buffer.from('short')]) {
      const expected = join(contentsJson(bytes, facts));
      const made = join(await threads.contents(Buffer.from(bytes), facts, caller()));
      expect(made.equals(expected)).to.equal(true);
    }
  });

  it('reads the same of a body as without a thread', async () => {
    const content = randomBytes(mebibyte).toString('base64');
    for (const value of [
      { path: '/a', content: '"grüße" 🎮\n'.repeat(60_000) },
      { path: '/a', content, encoding: 'base64' },
      { path: '/a', content: `${content}!`, encoding: 'base64' },
      { path: '/a', content, encoding: 'latin1', other: [[], {}] },
      { path: ['x'.repeat(mebibyte)] },
    ]) {
      const bytes = Buffer.from(JSON.stringify(value));
      const expected = readUploadedJson(bytes);
      const read = await threads.upload(Buffer.from(bytes), caller());
      expect(read.value).to.deep.equal(expected.value);
      expect(read.content.equals(expected.content)).to.equal(true);
    }
  });

  it('keeps the reason and the message of a refusal', async () => {
    const filler = 'x'.repeat(mebibyte);
    for (const [text, message] of [
      [`{"content":"${filler}"`, 'the body is not valid JSON'],
      [`{"content":"${filler}","content":""}`, 'the body has a duplicate key'],
      [`{"content":"${filler}\\ud800"}`, 'the body contains an unpaired surrogate'],
      [`{"content":"${filler}\xff"}`, 'the body is not valid UTF-8'],
    ] as const) {
      const refused = await threads.upload(Buffer.from(text, 'latin1'), caller()).catch((error: unknown) => error);
      expect(refused).to.include({ reason: 'BAD_REQUEST', message });
    }
  });

  it('reads millions of values in one body', async () => {
    for (const piece of ['[],', '{},', '"",', '0,']) {
      const parts = piece.repeat((4 * mebibyte - 100) / piece.length);
      const { value } = await threads.upload(Buffer.from(`{"path":[${parts}0]}`), caller());
      expect(value).to.deep.equal({ path: [] });
    }
  });

  it('leaves the event loop to other requests', async () => {
    const file = Buffer.alloc(4 * mebibyte, 1);
    const body = Buffer.from(JSON.stringify({ path: '/a', content: '"'.repeat(2 * mebibyte - 100) }));
    // starts the thread
    await threads.contents(Buffer.from(file), facts, caller());
    const files = [file, file, file].map((bytes) => Buffer.from(bytes));
    const bodies = [body, body, body].map((bytes) => Buffer.from(bytes));
    const ofContents = await eventLoopShare(async () => {
      for (const bytes of files) Array.from(await threads.contents(bytes, facts, caller()));
    });
    const ofBodies = await eventLoopShare(async () => {
      for (const bytes of bodies) await threads.upload(bytes, caller());
    });
    expect(
      [ofContents, ofBodies].map((share) => share < 0.4),
      `${ofContents}, ${ofBodies}`,
    ).to.deep.equal([true, true]);
  });

  it('reuses its thread', async () => {
    const running = () => readdirSync('/proc/self/task').length;
    await threads.contents(Buffer.alloc(mebibyte, 1), facts, caller());
    const before = running();
    for (let job = 0; job < 5; job++) await threads.contents(Buffer.alloc(mebibyte, 1), facts, caller());
    expect(running()).to.equal(before);
  });

  it('lets callers take turns', async () => {
    const order: string[] = [];
    const ask = async (key: string) => {
      await threads.contents(Buffer.alloc(mebibyte, 1), facts, caller(key));
      order.push(key);
    };
    await Promise.all(['a', 'a', 'a', 'a', 'a', 'a', 'b'].map(ask));
    expect(order.indexOf('b')).to.be.at.most(2);
  });

  it('refuses a caller with too many in wait, and no other', async () => {
    const large = async (key: string) => threads.contents(Buffer.alloc(mebibyte / 4, 1), facts, caller(key));
    const asked = Array.from({ length: 66 }, async () => reasonOf(large('a')));
    const other = await large('b');
    expect(join(other).length).to.be.greaterThan(1.4 * mebibyte);
    expect((await Promise.all(asked)).filter((reason) => reason === 'BODY_BUDGET_EXHAUSTED')).to.have.length(1);
  });

  it('frees the place of a caller who leaves', async () => {
    const leaving = new AbortController();
    const gone = new Error('gone');
    const first = threads.contents(Buffer.alloc(4 * mebibyte, 1), facts, caller('a', leaving.signal));
    const waiting = threads.contents(Buffer.alloc(4 * mebibyte, 1), facts, caller('a', leaving.signal));
    leaving.abort(gone);
    const outcomes = await Promise.all([first, waiting].map(async (each) => each.catch((error: unknown) => error)));
    expect(outcomes).to.deep.equal([gone, gone]);
    expect(join(await threads.contents(Buffer.alloc(mebibyte, 1), facts, caller('a'))).length).to.be.greaterThan(0);
  });
});
