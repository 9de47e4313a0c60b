import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '@panel/client';
import { expect } from 'chai';
import { bootStack, type TestStack } from './support/stack.js';

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
          await wait(50);
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

    const kept = new Set<string>();
    for await (const { id } of test.admin.pages('/admin/nests')) kept.add(id);
    expect(acknowledged.filter((id) => !kept.has(id))).to.deep.equal([]);
    for (const failure of failures) expect(failure).to.match(/^503 service_unavailable$/);
  });

  async function enough(list: readonly unknown[], count: number): Promise<void> {
    const end = performance.now() + 30_000;
    while (list.length < count) {
      if (performance.now() > end) throw new Error(`only ${list.length} of ${count} writes in 30 s`);
      await wait(20);
    }
  }
});
