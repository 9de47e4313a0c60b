import { randomUUID } from 'node:crypto';
import type { CallContext } from '@panel/rpc';
import { expect } from 'chai';
import { type ActivityEvent, type ActivityLog, withActivity } from '../src/index.js';

const call = { actor: { kind: 'service', service: 'test', ip: '' } } as unknown as CallContext;

describe('withActivity', () => {
  const recorded: (string | undefined)[] = [];
  const activity: Pick<ActivityLog, 'record'> = {
    record: async ({ event }, _actor, id) => void recorded.push(`${event} ${id}`),
  };
  const describeWork = (name: string): ActivityEvent => ({ event: 'role:create', properties: { name } });
  beforeEach(() => recorded.splice(0));

  it('records what has succeeded before it answers', async () => {
    const work = withActivity(activity, async (name: string) => name.toUpperCase(), describeWork);
    expect(await work('a', call)).to.equal('A');
    expect(recorded).to.deep.equal(['role:create undefined']);
  });

  it('records a repetition of a creation under the same id', async () => {
    const work = withActivity(activity, async (name: string) => name, describeWork);
    const idempotencyId = randomUUID();
    for (let round = 0; round < 2; round += 1) await work('a', { ...call, idempotencyId });
    await work('a', { ...call, idempotencyId: randomUUID() });
    expect(new Set(recorded).size).to.equal(2);
  });

  it('records neither a failure nor what is described as null', async () => {
    const failing = withActivity(
      activity,
      async () => Promise.reject(new Error('no')),
      () => describeWork('a'),
    );
    expect(await failing('a', call).catch((error: unknown) => String(error))).to.equal('Error: no');
    await withActivity(
      activity,
      async () => 'done',
      () => null,
    )('a', call);
    expect(recorded).to.deep.equal([]);
  });
});
