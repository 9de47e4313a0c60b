import fs, { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { GameFiles } from '../src/process/game-files.js';
import { Games } from '../src/process/games.js';
import { watchGames } from '../src/process/watch.js';
import type { RuntimeEvent } from '../src/runtime.js';

describe('watch over games that are processes', () => {
  const runDir = mkdtempSync(join(tmpdir(), 'panel-watch-'));
  after(() => rmSync(runDir, { recursive: true, force: true }));

  const addEnded = (serverId: string) => {
    const files = new GameFiles(runDir, serverId);
    const nothing = { program: [], directory: runDir, environment: {}, user: null };
    files.writeGame({ serverId, generation: 1, run: 'first', ...nothing });
    files.writeState('first', { state: 'exited', exitCode: 3, startedAt: 1_000, finishedAt: 2_000 });
  };

  it('reads games that have ended without holding up the process', async () => {
    for (let game = 0; game < 40; game += 1) addEnded(`old-${game}`);
    const { readFileSync, readdirSync } = fs;
    const readAtOnce: string[] = [];
    const counting =
      (read: (...args: never[]) => unknown) =>
      (...args: never[]): unknown => {
        if (String(args[0]).startsWith(runDir)) readAtOnce.push(String(args[0]));
        return read(...args);
      };
    Object.assign(fs, { readFileSync: counting(readFileSync), readdirSync: counting(readdirSync) });
    syncBuiltinESMExports();
    const stop = new AbortController();
    const events: RuntimeEvent[] = [];
    const watching = (async () => {
      for await (const event of watchGames(new Games(runDir), stop.signal)) events.push(event);
    })();
    try {
      let added = 0;
      await waitUntil('a game to be seen', () => {
        if (events.length === 0) addEnded(`new-${(added += 1)}`);
        return events.some(({ type }) => type === 'exited');
      });
      expect(events.map(({ serverId }) => serverId).join()).not.to.contain('old');
      expect(readAtOnce).to.deep.equal([]);
    } finally {
      stop.abort();
      await watching;
      Object.assign(fs, { readFileSync, readdirSync });
      syncBuiltinESMExports();
    }
  });
});
