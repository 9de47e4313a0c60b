import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { OngoingDump } from '../../../src/database-engines/dumps/ongoing-dump.js';

const hourMs = 3_600_000;

describe('an ongoing dump', () => {
  let endings: number;
  let dump: OngoingDump | undefined;
  const start = (times: { limitMs?: number; stallMs?: number }, caller = new AbortController().signal) => {
    dump = new OngoingDump(caller, { limitMs: hourMs, stallMs: hourMs, ...times }, async () => void (endings += 1));
    return dump;
  };

  beforeEach(() => {
    endings = 0;
  });

  afterEach(async () => dump?.end());

  it('ends when it takes too long', async () => {
    const { signal } = start({ limitMs: 5 });
    await waitUntil('the end', () => signal.aborted);
    expect(signal.reason).to.include({ reason: 'DATABASE_DUMP_FAILED' });
    expect(endings).to.equal(1);
  });

  it('ends when the caller neither takes nor sends anything', async () => {
    const stalled = start({ stallMs: 5 });
    stalled.waitForCaller();
    await waitUntil('the end', () => stalled.signal.aborted);
    expect(stalled.signal.reason).to.have.nested.property('metadata.output', 'no data for 0.005 s');
    expect(endings).to.equal(1);
  });

  it('counts no time in which the caller has nothing to do', async () => {
    const busy = start({ stallMs: 5 });
    busy.waitForCaller();
    busy.proceed();
    const other = new OngoingDump(
      new AbortController().signal,
      { limitMs: 50, stallMs: hourMs },
      async () => undefined,
    );
    await waitUntil('more than that time', () => other.signal.aborted);
    expect(busy.signal.aborted).to.equal(false);
  });

  it('ends with its caller, also with one that is gone before it begins', () => {
    const caller = new AbortController();
    const { signal } = start({}, caller.signal);
    caller.abort(new Error('gone'));
    expect(signal.reason).to.have.property('message', 'gone');
    expect(start({}, caller.signal).signal.aborted).to.equal(true);
    expect(endings).to.equal(2);
  });

  it('ends a dump once', async () => {
    const caller = new AbortController();
    const ended = start({}, caller.signal);
    await Promise.all([ended.end(), ended.end()]);
    caller.abort();
    expect(ended.signal.aborted).to.equal(false);
    expect(endings).to.equal(1);
  });
});
