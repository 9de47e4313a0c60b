import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@panel/kit/testing';

const program = fileURLToPath(new URL('./fakes/launcher.js', import.meta.url));

interface Launched {
  readonly child: ChildProcess;
  readonly closed: Promise<unknown>;
  readonly output: () => string;
}

describe('launcher', function () {
  this.timeout(400_000);
  let root: string;
  let started: Launched[];

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'panel-launcher-'));
    chmodSync(root, 0o755);
    started = [];
    const scripts = { start: `node ${program}` };
    writeFileSync(path.join(root, 'package.json'), JSON.stringify({ name: 'x', private: true, scripts }));
  });
  afterEach(async () => {
    for (const { child } of started) child.kill('SIGTERM');
    await Promise.all(started.map(({ closed }) => closed));
    for (const pid of pids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    rmSync(root, { recursive: true, force: true });
  });

  it('prints its address and how to try it, and stops everything within 10 s at SIGINT', async () => {
    const launched = await launch();
    const { output } = launched;
    expect(output()).to.match(/Ready after [\d.]+ s\./);
    expect(output()).to.match(/console +http:\/\/127\.0\.0\.1:\d+\/\n/);
    expect(output()).to.match(/SFTP +127\.0\.0\.1:\d+\n/);
    expect(output()).to.match(/address +http:\/\/127\.0\.0\.1:\d+\/api\/v1/);
    expect(output()).to.match(/password +\S{16,} +\(shown only this once\)/);
    expect(output()).to.include('curl -s http://127.0.0.1:').and.include('MongoDB: embedded engine');
    await stopsAt('SIGINT', launched);
  });

  it('stops everything within 10 s at SIGHUP', async () => stopsAt('SIGHUP', await launch()));

  it('stops everything when only npm receives the SIGTERM', async () => {
    const { child, closed } = await launch('npm', ['start']);
    const all = pids();
    child.kill('SIGTERM');
    await closed;
    await waitUntil('the processes to be gone', () => all.every((pid) => !isAlive(pid)));
  });

  it('stops started processes when the signal arrives during the start', async () => {
    const { child, closed, output } = run(process.execPath, [program]);
    await waitUntil('the start of admin', () => output().includes('starting admin'));
    child.kill('SIGTERM');
    expect(await closed).to.equal(0);
    expect(output()).to.not.include('Ready');
  });

  it('starts again after kill -9 with its data, and stops everything within 10 s at SIGTERM', async () => {
    const first = await launch();
    const all = pids();
    first.child.kill('SIGKILL');
    await first.closed;
    const second = await launch();
    for (const pid of all) expect(isAlive(pid)).to.equal(false);
    expect(second.output())
      .to.include('administrator admin@localhost.localdomain is there')
      .and.not.include('password ');
    await stopsAt('SIGTERM', second);
  });

  it('exits with 1 and one line when it cannot start', async () => {
    const { closed, output } = run(process.execPath, [program], { PORT: 'nonsense' });
    expect(await closed).to.equal(1);
    expect(output()).to.equal('PORT is not valid: must be a whole number\n');
  });

  async function stopsAt(signal: NodeJS.Signals, { child, closed }: Launched): Promise<void> {
    const all = pids();
    expect(all).to.have.length.above(6);
    const before = Date.now();
    child.kill(signal);
    expect(await closed).to.equal(0);
    expect(Date.now() - before).to.be.below(10_000);
    for (const pid of all) expect(isAlive(pid)).to.equal(false);
    expect(existsSync(path.join(root, 'data', 'stack.json'))).to.equal(false);
  }

  async function launch(command = process.execPath, args = [program]): Promise<Launched> {
    const launched = run(command, args);
    await waitUntil(
      'everything to have ended',
      () => launched.output().includes('Ctrl-C stops everything') || launched.child.exitCode !== null,
      120_000,
    );
    if (launched.child.exitCode !== null) throw new Error(`it ended: ${launched.output()}`);
    return launched;
  }

  function run(command: string, args: string[], env: Record<string, string> = {}): Launched {
    const own = { DATA_DIR: path.join(root, 'data'), PORT: '0', SEED: 'none', RUNTIME: 'process', LOG_LEVEL: 'silent' };
    const given = { HOME: process.env['HOME'], PATH: process.env['PATH'], FAKE_STATE: root, ...own, ...env };
    const child = spawn(command, args, { cwd: root, env: given });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const closed = once(child, 'close').then(([code]) => code as unknown);
    const launched = { child, closed, output: () => output };
    started.push(launched);
    return launched;
  }

  function pids(): number[] {
    const file = path.join(root, 'data', 'run', 'processes.json');
    if (!existsSync(file)) return [];
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }[]).map(({ pid }) => pid);
  }
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
