import { expect } from 'chai';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram } from '@panel/programs';
import { readEgg } from '../../src/seed/demo.js';
import { waitUntil } from '@panel/kit/testing';

interface Egg {
  startup: string;
  config: { startup: string; stop: string };
  scripts: { installation: { script: string } };
}

const egg = JSON.parse(readEgg('lantern-caverns')) as Egg;
const { done } = JSON.parse(egg.config.startup) as { done: string };

for (const shell of [['sh'], ['dash'], ['bash'], ['busybox', 'sh']]) {
  if (findProgram(shell[0] ?? '', process.env['PATH'] ?? '') === undefined) continue;

  describe(`Lantern Caverns under ${shell.join(' ')}`, () => {
    let directory: string;
    let running: Game[];

    before(() => {
      directory = mkdtempSync(path.join(tmpdir(), 'panel-caverns-'));
      running = [];
    });
    afterEach(() => {
      for (const game of running) game.child.kill('SIGKILL');
      rmSync(path.join(directory, 'world.txt'), { force: true });
    });
    after(() => rmSync(directory, { recursive: true, force: true }));

    it('installs with progress', () => {
      const script = egg.scripts.installation.script.replaceAll('/mnt/server', directory);
      const [command = '', ...args] = shell;
      const installed = spawnSync(command, [...args, '-c', script], { encoding: 'utf8' });
      expect(installed.stderr).to.equal('');
      expect(installed.status).to.equal(0);
      expect(installed.stdout).to.match(/Step 1 of 3.*Step 2 of 3.*Step 3 of 3.*is installed/s);
    });

    it('opens, answers commands, prints output, saves and stops', async () => {
      const game = start({ CAVE_NAME: 'Deep "Thought" $HOME', DIFFICULTY: 'calm', SERVER_PORT: '25565' });
      await game.says(done);
      expect(game.output()).to.include('cave Deep "Thought" $HOME, difficulty calm').and.include(':25565');
      game.type('help');
      await game.says('Commands:');
      game.type('say hello  $(touch pwned) `id` *');
      await game.says('[say] hello  $(touch pwned) `id` *');
      game.type('dig\ndig\nlook\nstatus');
      await game.says('depth 2, gems');
      game.type('juggle');
      await game.says('Unknown command: juggle');
      await game.says('flickers');
      game.type(egg.config.stop);
      expect(await game.ended).to.equal(0);
      expect(game.output()).to.include('The caverns are closed.');
      expect(readFileSync(path.join(directory, 'world.txt'), 'utf8')).to.match(/^depth=2\n/);
    });

    it('loads its world again and validates it', async () => {
      writeFileSync(
        path.join(directory, 'world.txt'),
        'depth=41\ngems=$(id)\noil=08\nmoves=-1\nseed=99999999999999\nPATH=/\n',
      );
      const game = start({});
      await game.says('World loaded at depth 41.');
      game.type('status');
      await game.says('depth 41, gems 0, oil 100, moves 0.');
      game.type('dig\nsave');
      await game.says('World saved at depth 42.');
    });

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`saves and stops at ${signal} without input`, async () => {
        const game = start({});
        await game.says(done);
        game.child.kill(signal);
        expect(await game.ended).to.equal(0);
        expect(game.output()).to.include('World saved at depth 0.');
      });
    }

    it('continues when its console is closed', async () => {
      const game = start({});
      await game.says(done);
      game.child.stdin?.end();
      const before = game.output().length;
      await waitUntil('more output of the game', () => game.output().length > before);
      game.child.kill('SIGTERM');
      expect(await game.ended).to.equal(0);
    });

    function start(env: Record<string, string>): Game {
      const [command = '', ...args] = shell;
      const startup = egg.startup.replace('exec sh', ['exec', command, ...args].join(' '));
      const child = spawn('/bin/sh', ['-c', startup], {
        cwd: directory,
        env: { ...process.env, TICK_SECONDS: '1', ...env },
      });
      const game = watch(child);
      running.push(game);
      return game;
    }
  });
}

interface Game {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  output(): string;
  says(text: string): Promise<void>;
  type(lines: string): void;
}

function watch(child: ChildProcess): Game {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    child,
    ended: once(child, 'close').then(([code]) => code as unknown),
    output: () => output,
    says: async (text) => {
      await waitUntil(`the output "${text}"`, () => output.includes(text));
    },
    type: (lines) => void child.stdin?.write(`${lines}\n`),
  };
}
