import { createLogger, createTaskGroup } from '@panel/kit/process';
import { deferred } from '@panel/kit/testing';
import { expect } from 'chai';
import { DatabaseWorker } from '../../src/database-engines/database-worker.js';

describe('the database worker', () => {
  it('answers a deletion after the work that a tick has begun on the same database', async () => {
    const log = createLogger({ service: 'test', level: 'silent' });
    const claim = deferred<null>();
    let claims = 0;
    const databases = {
      due: async () => ['db'],
      claim: async () => {
        claims++;
        return claim.promise;
      },
    };
    const attempt = async (_job: string, _item: string, work: () => Promise<unknown>) => work();
    const worker = new DatabaseWorker({ stores: { databases }, log, attempt } as never, createTaskGroup(log));
    await worker.tick();
    const order: string[] = [];
    const answered = worker.runNow('db', 10_000).then(() => order.push('answered'));
    await new Promise((resolve) => setImmediate(resolve));
    order.push('dropped');
    claim.resolve(null);
    await answered;
    expect(order).to.deep.equal(['dropped', 'answered']);
    expect(claims).to.equal(1);
  });
});
