import { expect } from 'chai';
import { KeyedMutex } from '../../src/async/index.js';
import { deferred } from '../../src/testing/index.js';

describe('KeyedMutex', () => {
  it('runs tasks of one key one after the other, in the order of the calls', async () => {
    const mutex = new KeyedMutex();
    const events: string[] = [];
    const tasks = Array.from({ length: 50 }, (_, index) =>
      mutex.run('a', async () => {
        events.push(`start ${index}`);
        await Promise.resolve();
        events.push(`end ${index}`);
      }),
    );
    await Promise.all(tasks);
    expect(events).to.deep.equal(Array.from({ length: 50 }, (_, index) => [`start ${index}`, `end ${index}`]).flat());
  });

  it('runs tasks of different keys at the same time', async () => {
    const mutex = new KeyedMutex();
    const first = deferred();
    const blocked = mutex.run('a', async () => first.promise);
    expect(await mutex.run('b', async () => 'b ran')).to.equal('b ran');
    first.resolve();
    await blocked;
  });

  it('rejects with the failure of a task and still runs the next one of its key', async () => {
    const mutex = new KeyedMutex();
    const failing = mutex.run('a', async () => Promise.reject(new Error('broken')));
    const next = mutex.run('a', async () => 'next ran');
    expect(await failing.catch((error: Error) => error.message)).to.equal('broken');
    expect(await next).to.equal('next ran');
  });
});
