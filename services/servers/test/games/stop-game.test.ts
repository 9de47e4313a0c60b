import { AppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { expect } from 'chai';
import { ExitEvents } from '../../src/games/exit-events.js';
import { stopGame } from '../../src/games/stop-game.js';
import type { Instance, Runtime } from '@panel/runtime';
import { aServer } from '../support/server-fixture.js';
import { reasonOf } from '../support/fixture.js';

/** Records calls; its game obeys only a kill. */
class StubbornGame {
  readonly done: string[] = [];
  private generation = 1;

  /** `onInput` simulates concurrent events. */
  constructor(private readonly onInput: () => void = () => undefined) {}

  startAgain(): void {
    this.generation += 1;
  }

  get runtime(): Runtime {
    const { id: serverId } = aServer();
    const instance = (): Instance => ({
      serverId,
      generation: this.generation,
      state: 'running',
      startedAt: new Date(),
      isPaused: false,
    });
    const parts: Partial<Runtime> = {
      inspect: async () => instance(),
      writeInput: async (_id, data) => {
        this.done.push(`input ${data.trim()}`);
        this.onInput();
      },
      kill: async () => void this.done.push(`kill ${this.generation}`),
    };
    return parts as Runtime;
  }
}

function deps() {
  const log = createLogger({ service: 'test', level: 'silent' });
  return { exits: new ExitEvents(), log, hub: { find: () => undefined } as never, failpoint: () => undefined };
}

const held = { check: async () => undefined };
const lost = { check: async () => Promise.reject(new AppError('aborted', 'LEASE_LOST', 'lost')) };

describe('stopGame', () => {
  it('kills a game that exceeds its grace', async () => {
    const game = new StubbornGame();
    await stopGame(deps(), held, aServer(), game.runtime, 50);
    expect(game.done).to.deep.equal(['input stop', 'kill 1']);
  });

  it('does not affect a later run, whoever killed the stopped one', async () => {
    // Killed and restarted by another replica at once.
    const game: StubbornGame = new StubbornGame(() => game.startAgain());
    await stopGame(deps(), held, aServer(), game.runtime, 1_000);
    expect(game.done).to.deep.equal(['input stop']);
  });

  it('sends no signal after its lease is lost', async () => {
    const game = new StubbornGame();
    expect(await reasonOf(stopGame(deps(), lost, aServer(), game.runtime, 50))).to.equal('LEASE_LOST');
    expect(game.done).to.deep.equal([]);
    let checks = 0;
    const lostMeanwhile = { check: async () => (checks++ === 0 ? undefined : lost.check()) };
    expect(await reasonOf(stopGame(deps(), lostMeanwhile, aServer(), game.runtime, 50))).to.equal('LEASE_LOST');
    expect(game.done).to.deep.equal(['input stop']);
  });
});
