import { createLogger } from '@panel/kit/process';
import { expect } from 'chai';
import { ExitHandler } from '../../src/games/exit-handler.js';
import type { GameDeps } from '../../src/games/dependencies.js';
import { withPower } from '../support/server-fixture.js';

describe('exit of a game', () => {
  it('reports the exit of a game once when several observers see it at the same time', async () => {
    const server = withPower('running', { generation: 4, desired: 'running' });
    const reported: string[] = [];
    let isEnded = false;
    const deps = {
      clock: () => new Date(),
      log: createLogger({ service: 'test', level: 'silent' }),
      exits: { emit: () => undefined },
      servers: {
        get: async () => server,
        power: {
          // Like the conditional update: the first wins.
          markEnded: async () => {
            if (isEnded) return null;
            isEnded = true;
            return server;
          },
        },
      },
      hub: { find: () => ({ readToEnd: async () => undefined, notice: (text: string) => reported.push(text) }) },
      activity: { record: ({ event }: { event: string }) => reported.push(event) },
      triggers: { fire: (_id: string, trigger: string) => reported.push(trigger) },
      settings: { crash: { maxRestarts: 3, windowMs: 60_000, backoffMs: 1_000, isCleanExitCrash: true } },
    } as unknown as GameDeps;
    const handler = new ExitHandler(deps);
    const exit = { generation: 4, exitCode: 3, outOfMemory: false, isEndedFromOutside: false };
    await Promise.all(Array.from({ length: 50 }, () => handler.handle(server.id, exit)));
    expect(reported).to.deep.equal([
      'server:crashed',
      'server_crashed',
      'the server ended by itself (exit code 3): restarting in 1 s',
    ]);
  });
});
