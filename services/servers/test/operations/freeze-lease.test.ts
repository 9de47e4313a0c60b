import type { Lease } from '@panel/kit/lease';
import { createLogger } from '@panel/kit/process';
import { ManualClock, reasonOf } from '@panel/kit/testing';
import { expect } from 'chai';
import { acquireFreeze, confirmFreeze } from '../../src/operations/freeze-lease.js';
import { fail } from '../../src/reasons.js';

type Node = Parameters<typeof acquireFreeze>[1];

describe('freeze lease', () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  const lease = { serverId: 'server', operationId: 'operation' };
  const node = { id: 'node' } as Node;
  let clock: ManualClock;
  let asked: string[];
  let answer: () => string;
  let freeze: Lease | undefined;
  const files = {
    freeze: async (_node: Node, _serverId: string, _operationId: string, freezeId = '') => {
      asked.push(freezeId);
      return answer();
    },
  };
  const acquire = async () => {
    freeze = await acquireFreeze({ files, log, leaseClock: clock }, node, lease);
    return freeze;
  };
  const unavailable = () => {
    throw fail('NODE_NOT_FOUND', 'it is unavailable');
  };
  beforeEach(() => {
    clock = new ManualClock();
    asked = [];
    answer = () => 'first';
  });
  afterEach(async () => freeze?.stop());

  it('holds for a minute after the last response, whether or not the node is reachable', async () => {
    const held = await acquire();
    answer = unavailable;
    clock.pause(59_000);
    expect(await reasonOf(confirmFreeze(held))).to.equal('none');
    clock.pause(2_000);
    expect(await reasonOf(confirmFreeze(held))).to.equal('NODE_NOT_FOUND');
    answer = () => 'first';
    expect(await reasonOf(confirmFreeze(held))).to.equal('none');
    expect(asked).to.deep.equal(['', 'first', 'first']);
  });

  it('counts from the request and not from its response', async () => {
    answer = () => {
      clock.pause(61_000);
      return 'first';
    };
    const held = await acquire();
    answer = () => 'first';
    await confirmFreeze(held);
    expect(asked).to.deep.equal(['', 'first']);
  });

  it('does not confirm a freeze that has ended', async () => {
    const held = await acquire();
    clock.pause(61_000);
    answer = () => {
      throw fail('VOLUME_THAWED' as never, 'it has ended');
    };
    expect(await reasonOf(confirmFreeze(held))).to.equal('FILES_CHANGED');
    answer = () => 'first';
    expect(await reasonOf(confirmFreeze(held))).to.equal('FILES_CHANGED');
    expect(asked).to.deep.equal(['', 'first']);
  });

  it('does not confirm a freeze after its time, and asks no more for it', async () => {
    const held = await acquire();
    answer = unavailable;
    await clock.advance(130_000);
    answer = () => 'first';
    const before = asked.length;
    expect(await reasonOf(confirmFreeze(held))).to.equal('FILES_CHANGED');
    expect(asked).to.have.length(before);
  });
});
