import { createTaskGroup } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import type { PlayerCount } from '../../src/models/schedules/schedule.js';
import { PlayerWatch } from '../../src/scheduling/player-watch.js';
import { createAttempts } from '../support/attempts.js';

const trigger = { kind: 'players_empty', emptyMinutes: 10, joinPattern: 'joined', leavePattern: 'left' } as const;

describe('players of a schedule', () => {
  const watch = async (servers = 1, failures = 0) => {
    const writes: PlayerCount[] = [];
    const counts = Array.from({ length: servers }, () => 0);
    const schedules = {
      watchingPlayers: async () => counts.map((_, at) => ({ id: `${at}`, serverId: `${at}`, trigger })),
      countPlayers: async (id: string, count: PlayerCount) => {
        writes.push(count);
        if (writes.length <= failures) throw new Error('the database is away');
        counts[Number(id)] = Math.max(count.least, (counts[Number(id)] ?? 0) + count.change);
      },
    };
    const tasks = createTaskGroup(createAttempts().log);
    const players = new PlayerWatch({ schedules, tasks, clock: () => new Date() });
    await players.refresh();
    return { players, writes, counts };
  };

  it('writes a first line at once, and then once a second, however many follow', async () => {
    const { players, writes } = await watch();
    for (let i = 0; i < 10_000; i++) players.onLine('0', 1, i % 2 === 0 ? 'x joined' : 'x left');
    await waitUntil('the second write', async () => writes.length === 2);
    expect(writes.map(({ change, least }) => [change, least])).to.deep.equal([
      [1, 1],
      [-1, 0],
    ]);
  });

  it('comes to the count that lines have one by one', async () => {
    const sequences = fc.sample(fc.array(fc.constantFrom<1 | -1>(1, -1), { minLength: 1, maxLength: 30 }), 50);
    const { players, counts } = await watch(sequences.length);
    const expected = sequences.map((all, server) => {
      for (const each of all) players.onLine(`${server}`, 1, each === 1 ? 'x joined' : 'x left');
      return all.reduce<number>((count, each) => Math.max(0, count + each), 0);
    });
    await waitUntil('the last writes', async () => JSON.stringify(counts) === JSON.stringify(expected));
  });

  it('goes on with the lines that came beside a write that has failed', async () => {
    const { players, counts } = await watch(1, 1);
    for (let i = 0; i < 4; i++) players.onLine('0', 1, 'x joined');
    await waitUntil('the second write', async () => counts[0] === 3);
  });
});
