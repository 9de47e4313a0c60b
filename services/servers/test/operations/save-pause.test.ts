import { AppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { expect } from 'chai';
import { createSavePause } from '../../src/operations/save-pause.js';

const features = ['backup_before:save-off', 'backup_ready:Saved', 'backup_after:save-on'];
const node = { id: 'a node' } as never;

describe('a pause of saving', () => {
  function createGame({ state = 'running', answers = true, isGone = false } = {}) {
    const commands: string[] = [];
    const notices: string[] = [];
    const deps = {
      log: createLogger({ service: 'test', level: 'silent' }),
      servers: { get: async () => ({ power: { state } }) },
      runtimes: {
        of: () => ({
          writeInput: async (_id: string, text: string) => {
            if (isGone) throw new AppError('not_found', 'INSTANCE_NOT_FOUND', 'no such instance');
            commands.push(text);
          },
        }),
      },
      hub: {
        console: () => ({ waitForLine: async () => answers, notice: (text: string) => notices.push(text) }),
      },
    };
    const pause = createSavePause(deps as never, { id: 'a server', egg: { features } } as never, node);
    if (!pause) throw new Error('no commands');
    return { pause, commands, notices };
  }
  const never = new AbortController().signal;

  it('sends its commands line by line', async () => {
    const { pause, commands, notices } = createGame();
    await pause.begin(never);
    await pause.end();
    expect(commands).to.deep.equal(['save-off\n', 'save-on\n']);
    expect(notices).to.deep.equal([]);
  });

  it('goes on without an answer, and says so', async () => {
    const { pause, notices } = createGame({ answers: false });
    await pause.begin(never);
    expect(notices.join()).to.contain('has not answered with "Saved"');
  });

  it('asks no game that is not running', async () => {
    const { pause, commands } = createGame({ state: 'offline' });
    await pause.begin(never);
    expect(commands).to.deep.equal([]);
  });

  it('ends for a game that has stopped meanwhile', async () => {
    const { pause } = createGame({ isGone: true });
    await pause.begin(never);
    await pause.end();
  });

  it('makes no pause of saving for an egg without commands', () => {
    const server = { id: 'a server', egg: { features: ['eula'] } };
    expect(createSavePause({ runtimes: { of: () => null } } as never, server as never, node)).to.equal(null);
  });
});
