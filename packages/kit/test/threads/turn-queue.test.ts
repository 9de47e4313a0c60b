import { expect } from 'chai';
import { TurnQueue } from '../../src/threads/turn-queue.js';

describe('turns of keys', () => {
  const never = new AbortController().signal;
  const newQueue = (concurrency: number, maxWaiting = 10, maxWaitMs = 60_000) =>
    new TurnQueue({
      concurrency,
      wait: {
        maxWaiting,
        refusal: () => new Error('too many'),
        maxWaitMs,
        late: () => new Error('too late'),
      },
    });
  const turn = async () => new Promise((resolve) => setImmediate(resolve));

  it('gives one place to each key, and the next place to the key that waits longest', async () => {
    const queue = newQueue(1);
    const order: string[] = [];
    const run = async (key: string) => {
      const free = await queue.take(key, never);
      order.push(key);
      await turn();
      free();
    };
    await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(run));
    expect(order.join('')).to.equal('aabcaba');
  });

  it('gives a key alone all places of a key, and the next place to another key that waits', async () => {
    const queue = new TurnQueue({ concurrency: 2, perKey: 2 });
    const begun: string[] = [];
    const take = async (key: string) => {
      const free = await queue.take(key, never);
      begun.push(key);
      return free;
    };
    const taken = ['a', 'a', 'a', 'a', 'b'].map(take);
    await turn();
    expect(begun.join('')).to.equal('aa');
    (await taken[0])?.();
    await turn();
    expect(begun.join('')).to.equal('aaa');
    (await taken[1])?.();
    await turn();
    expect(begun.join('')).to.equal('aaab');
    for (const free of taken.slice(2)) (await free)?.();
  });

  it('lets another key that waits go first in the middle of long work, and then goes on before others of its key', async () => {
    const queue = newQueue(1);
    const order: string[] = [];
    const run = async (key: string, name: string, passes = 0) => {
      const free = await queue.take(key, never);
      order.push(name);
      for (let pass = 1; pass <= passes; pass += 1) {
        await turn();
        await queue.pass(key, never);
        order.push(`${name} ${pass}`);
      }
      free();
    };
    await Promise.all([run('a', 'a', 2), run('a', 'next a'), run('b', 'b'), run('c', 'c')]);
    expect(order).to.deep.equal(['a', 'b', 'c', 'a 1', 'a 2', 'next a']);
  });

  it('passes no place to others of its key, and has none after an abort while it waits', async () => {
    const queue = newQueue(1);
    const free = await queue.take('a', never);
    const second = queue.take('a', never);
    await queue.pass('a', never);
    const other = queue.take('b', never);
    const abort = new AbortController();
    const passing = queue.pass('a', abort.signal).catch((error: unknown) => (error as Error).message);
    const freeOther = await other;
    abort.abort(new Error('enough'));
    expect(await passing).to.equal('enough');
    freeOther();
    (await second)();
    expect(free).to.be.a('function');
    (await queue.take('c', never))();
  });

  it('refuses who has waited too long, and has the place for the next one', async () => {
    const queue = newQueue(1, 10, 20);
    const free = await queue.take('a', never);
    const outcome = await queue.take('b', never).catch((error: unknown) => (error as Error).message);
    expect(outcome).to.equal('too late');
    free();
    (await queue.take('c', never))();
  });

  it('runs different keys at the same time, up to its places', async () => {
    const queue = newQueue(2);
    const first = await queue.take('a', never);
    const begun: string[] = [];
    const wait = (key: string) => queue.take(key, never).then((free) => (begun.push(key), free));
    const [again, second, third] = [wait('a'), wait('b'), wait('c')];
    await turn();
    expect(begun).to.deep.equal(['b']);
    (await second)();
    await turn();
    expect(begun).to.deep.equal(['b', 'c']);
    first();
    await turn();
    expect(begun).to.deep.equal(['b', 'c', 'a']);
    (await third)();
    (await again)();
  });

  it('refuses a key with too many in wait, and no other', async () => {
    const queue = newQueue(1, 1);
    const free = await queue.take('a', never);
    const waiting = queue.take('a', never);
    const refused = await queue.take('a', never).catch((error: unknown) => error);
    expect(refused).to.be.an('error').with.property('message', 'too many');
    const other = queue.take('b', never);
    free();
    (await waiting)();
    (await other)();
  });

  it('forgets those that left while they waited', async () => {
    const queue = newQueue(1);
    const free = await queue.take('a', never);
    const caller = new AbortController();
    const gone = queue.take('b', caller.signal).catch((error: unknown) => error);
    const stays = queue.take('c', never);
    caller.abort(new Error('left'));
    expect(await gone).to.have.property('message', 'left');
    free();
    (await stays)();
    (await queue.take('a', never))();
  });
});
