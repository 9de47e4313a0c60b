import { randomUUID } from 'node:crypto';
import { ApiError } from '@panel/client';
import { realTime, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { bootStack, type TestStack } from './support/stack.js';

const enough = async (list: readonly unknown[], count: number) =>
  waitUntil(`${count} writes`, () => list.length >= count);

describe('writes while the database is killed', function () {
  this.timeout(180_000);
  let test: TestStack;

  before(async function () {
    test = await bootStack();
    // An external MONGO_URL must not be killed.
    if (test.stack.pids().mongo === undefined) this.skip();
  });

  after(async () => test?.stop());

  it('keeps acknowledged writes, refuses others in the envelope, and works afterwards', async () => {
    const acknowledged: string[] = [];
    const failures = new Set<string>();
    const done = new AbortController();
    const writer = async (name: string) => {
      for (let count = 0; !done.signal.aborted; count++) {
        try {
          const body = { name: `${name}-${count}`, author: 'tests@localhost.localdomain' };
          const { data } = await test.admin.post('/admin/nests', { body });
          acknowledged.push(data.id);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          failures.add(`${error.status} ${error.code}`);
          await realTime(50, 'the database restarts');
        }
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, async () => writer(randomUUID())));
    await enough(acknowledged, 50);
    await test.stack.kill('mongo', 'SIGKILL');
    await test.stack.whenReady('mongo');
    await enough(acknowledged, acknowledged.length + 50);
    done.abort();
    await writers;

    const retained = new Set<string>();
    for await (const { id } of test.admin.pages('/admin/nests')) retained.add(id);
    expect(acknowledged.filter((id) => !retained.has(id))).to.deep.equal([]);
    for (const failure of failures) expect(failure).to.match(/^503 service_unavailable$/);
  });
});
