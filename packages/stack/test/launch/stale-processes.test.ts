import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killGames, killStaleProcesses, recordProcesses } from '../../src/launch/stale-processes.js';
import { silent } from '@panel/programs';

const sleeper = 'setInterval(() => undefined, 1000)';

describe('processes of a killed launcher', () => {
  let directory: string;
  let started: ChildProcess[];
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'panel-left-'));
    started = [];
  });
  afterEach(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  it('stops the processes of a killed launcher at the next start', async () => {
    const file = path.join(directory, 'processes.json');
    const child = start([]);
    recordProcesses(file, [child.pid ?? 0]);
    const ended = once(child, 'exit');
    await killStaleProcesses(file, silent);
    expect(await ended).to.deep.equal([null, 'SIGTERM']);
    expect(existsSync(file)).to.equal(false);
  });

  for (const [name, content] of [
    ['empty', ''],
    ['cut short', '[{"pid": 12'],
    ['of another shape', '{"a": 1}'],
  ] as const) {
    it(`ignores a list of processes that is ${name}, and writes it again`, async () => {
      const file = path.join(directory, 'processes.json');
      writeFileSync(file, content);
      await killStaleProcesses(file, silent);
      expect(existsSync(file)).to.equal(false);
      recordProcesses(file, [process.pid]);
      expect(existsSync(file)).to.equal(true);
    });
  }

  it('keeps a process whose pid belongs to another one', async () => {
    const file = path.join(directory, 'processes.json');
    const child = start([]);
    writeFileSync(file, JSON.stringify([{ pid: child.pid, started: '1' }]));
    await killStaleProcesses(file, silent);
    expect(child.exitCode ?? child.signalCode).to.equal(null);
  });

  it('ignores a damaged record of a process', async () => {
    const file = path.join(directory, 'processes.json');
    writeFileSync(file, '[{"pid":-1}]');
    await killStaleProcesses(file, silent);
  });

  it('stops games with their sessions by their pid files', async () => {
    const games = path.join(directory, 'node-1', 'games');
    mkdirSync(games, { recursive: true });
    const child = start(
      [directory, 'server-1'],
      `require('child_process').spawn(process.execPath, ['-e', '${sleeper}'], { stdio: 'inherit' }); ${sleeper}`,
    );
    writeFileSync(path.join(games, 'server-1.pid'), `${child.pid}\n`);
    // The game's child shares standard output.
    const closed = once(child, 'close');
    child.stdout?.resume();
    await once(child, 'spawn');
    killGames(directory, silent);
    expect(await closed).to.deep.equal([null, 'SIGKILL']);
    expect(existsSync(path.join(games, 'server-1.pid'))).to.equal(false);
  });

  it('leaves processes of other programs alone', () => {
    const games = path.join(directory, 'node-1', 'games');
    mkdirSync(games, { recursive: true });
    const child = start(['/somewhere/else']);
    writeFileSync(path.join(games, 'server-1.pid'), `${child.pid}`);
    killGames(directory, silent);
    expect(child.exitCode ?? child.signalCode).to.equal(null);
  });

  function start(args: string[], script = sleeper): ChildProcess {
    const child = spawn(process.execPath, ['-e', script, '--', ...args], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    started.push(child);
    return child;
  }
});
