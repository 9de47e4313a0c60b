import { createLogger } from '@panel/kit/process';
import { reasonOf } from '@panel/kit/testing';
import { expect } from 'chai';
import { FreezeLease } from '../../src/operations/freeze-lease.js';
import { fail } from '../../src/reasons.js';

type Node = Parameters<typeof FreezeLease.take>[1];

describe('freeze lease', () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  const lease = { serverId: 'server', operationId: 'operation', fence: 1 };
  const node = { id: 'node' } as Node;
  let now = 0;
  let asked: string[];
  let answer: () => string;
  const files = {
    freeze: async (_node: Node, _serverId: string, _operationId: string, freezeId = '') => {
      asked.push(freezeId);
      return answer();
    },
  };
  const take = async () => FreezeLease.take({ files, log, now: () => now }, node, lease);
  beforeEach(() => {
    asked = [];
    answer = () => 'first';
  });

  it('holds for a minute after the last response, whether or not the node is reachable', async () => {
    const freeze = await take();
    answer = () => {
      throw fail('NODE_NOT_FOUND', 'it is unavailable');
    };
    now += 59_000;
    expect(await reasonOf(freeze.confirm())).to.equal('none');
    now += 2_000;
    expect(await reasonOf(freeze.confirm())).to.equal('NODE_NOT_FOUND');
    answer = () => 'first';
    expect(await reasonOf(freeze.confirm())).to.equal('none');
    expect(asked).to.deep.equal(['', 'first', 'first']);
    freeze.release();
  });

  it('counts from the request and not from its response', async () => {
    answer = () => {
      now += 61_000;
      return 'first';
    };
    const freeze = await take();
    await freeze.confirm();
    expect(asked).to.deep.equal(['', 'first']);
    freeze.release();
  });

  it('does not renew a freeze that has ended', async () => {
    const freeze = await take();
    now += 130_000;
    answer = () => {
      throw fail('FILES_CHANGED', 'it has ended');
    };
    expect(await reasonOf(freeze.confirm())).to.equal('FILES_CHANGED');
    expect(asked).to.deep.equal(['', 'first']);
    freeze.release();
  });
});
