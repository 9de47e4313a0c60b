import { expect } from 'chai';
import { startWanted } from '../../src/games/start-wanted.js';
import { createAttempts } from '../support/attempts.js';

describe('actions of dead workers', () => {
  it('takes over only starts where the database may be older than the files', async () => {
    const taken: string[] = [];
    const named = (prefix: string) => async (nodeIds: readonly string[]) => nodeIds.map((id) => ({ id: prefix + id }));
    const servers = {
      dueForStart: async () => [],
      abandoned: named('any of '),
      abandonedStarts: named('start of '),
    };
    const power = { takeOver: async (id: string) => void taken.push(id), startWanted: async () => undefined };
    const nodes = { owned: ['waiting', 'current'], current: ['current'], reachable: ['current'] };
    await startWanted({ ...createAttempts(), servers } as never, power, nodes);
    expect(taken).to.deep.equal(['any of current', 'start of waiting']);
  });
});
