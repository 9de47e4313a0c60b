import { expect } from 'chai';
import { serviceActor } from '@panel/rpc';
import type { ConsoleEvent } from '../../src/console/console-events.js';
import { Subscriber } from '../../src/console/subscriber.js';

const line = (sequence: number): ConsoleEvent => ({
  kind: 'line',
  line: { sequence, text: `line ${sequence}`, at: new Date(0) },
});

async function readAll(subscriber: Subscriber, signal = new AbortController().signal) {
  const batches: ConsoleEvent[][] = [];
  for await (const batch of subscriber.batches(signal)) batches.push(batch);
  return batches;
}

describe('console subscriber', () => {
  it('receives everything in order, in batches of at most 64, and then the end', async () => {
    const subscriber = new Subscriber(serviceActor('test'));
    for (let sequence = 1; sequence <= 10_000; sequence++) subscriber.push(line(sequence), 80);
    subscriber.end('deleted');
    const batches = await readAll(subscriber);
    expect(Math.max(...batches.map(({ length }) => length))).to.equal(64);
    const events = batches.flat();
    expect(events.at(-1)).to.deep.equal({ kind: 'ended', reason: 'deleted' });
    const sequences = events.slice(0, -1).map((event) => (event.kind === 'line' ? event.line.sequence : 0));
    expect(sequences).to.deep.equal(Array.from({ length: 10_000 }, (_, at) => at + 1));
  });

  it('combines lines that arrive within a moment into one message', async () => {
    const subscriber = new Subscriber(serviceActor('test'));
    const reading = subscriber.batches(new AbortController().signal);
    const first = reading.next();
    for (let sequence = 1; sequence <= 5; sequence++) subscriber.push(line(sequence), 80);
    expect((await first).value).to.have.length(5);
  });

  it('ends with TOO_SLOW and frees its buffer when it does not read', async () => {
    const subscriber = new Subscriber(serviceActor('test'));
    for (let sequence = 1; sequence <= 60_000; sequence++) subscriber.push(line(sequence), 80);
    const events = (await readAll(subscriber)).flat();
    expect(events).to.deep.equal([{ kind: 'ended', reason: 'too_slow' }]);
  });

  it('bounds a console subscriber by bytes too', async () => {
    const subscriber = new Subscriber(serviceActor('test'));
    for (let sequence = 1; sequence <= 1_100; sequence++) subscriber.push(line(sequence), 8192);
    expect(subscriber.isEnded).to.equal(true);
  });

  it('stays subscribed as long as it keeps up', async () => {
    const subscriber = new Subscriber(serviceActor('test'));
    const reading = subscriber.batches(new AbortController().signal);
    for (let round = 0; round < 200; round++) {
      for (let at = 0; at < 64; at++) subscriber.push(line(round * 64 + at + 1), 8_192);
      await reading.next();
    }
    expect(subscriber.isEnded).to.equal(false);
  });

  it('marks a subscriber slow while much is unread and not afterwards', async () => {
    const subscriber = new Subscriber(serviceActor('test'));
    const reading = subscriber.batches(new AbortController().signal);
    for (let sequence = 1; sequence <= 4_000; sequence++) subscriber.push(line(sequence), 80);
    expect(subscriber.isBehind).to.equal(false);
    for (let sequence = 1; sequence <= 64; sequence++) subscriber.push(line(sequence), 80);
    expect(subscriber.isBehind).to.equal(true);
    await reading.next();
    expect(subscriber.isBehind).to.equal(false);
  });

  it('ends when its call is cancelled', async () => {
    const subscriber = new Subscriber(serviceActor('test'));
    const abort = new AbortController();
    const reading = readAll(subscriber, abort.signal);
    abort.abort();
    expect(await reading).to.deep.equal([]);
  });
});
