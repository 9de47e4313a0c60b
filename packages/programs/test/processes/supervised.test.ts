import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../src/log.js';
import { freePorts, bindErrorCode } from '../../src/processes/ports.js';
import { supervise, type SupervisedProcess } from '../../src/processes/supervised.js';
import { waitUntil } from '@panel/kit/testing';

const program = fileURLToPath(new URL('../fakes/child.js', import.meta.url));

describe('supervised process', () => {
  let directory: string;
  let port: number;
  let lines: string[];
  let started: SupervisedProcess | undefined;

  beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'panel-supervised-'));
    [port = 0] = await freePorts(1);
    lines = [];
  });
  afterEach(async () => {
    await started?.stop(0);
    started = undefined;
    rmSync(directory, { recursive: true, force: true });
  });

  it('reports a process ready when it says so, and logs to its file', async () => {
    started = await start('serve');
    expect(started.said()).to.include({ listen: `127.0.0.1:${port}` });
    await canConnect();
    expect(logged()).to.include('"msg":"serving"');
  });

  it('returns on the same port after kill -9', async () => {
    started = await start('serve');
    const pid = started.pid();
    await started.kill('SIGKILL');
    await started.whenReady();
    expect(started.pid()).to.not.equal(pid);
    await canConnect();
    expect(lines[0]).to.include('fake ended by SIGKILL').and.include('starting it again');
  });

  it('restarts a process on request', async () => {
    started = await start('serve');
    const pid = started.pid();
    await started.restart();
    expect(started.pid()).to.not.equal(pid);
    await canConnect();
  });

  it('restarts a process repeatedly while it fails', async () => {
    const env: NodeJS.ProcessEnv = { FAKE: 'serve' };
    started = await start('serve', env);
    env['FAKE'] = 'bad-config';
    const killed = started.kill('SIGKILL');
    await waitUntil('two failed starts', () => lines.filter((line) => line.includes('does not start')).length >= 2);
    expect(lines.find((line) => line.includes('does not start'))).to.include('JWT_SECRET is not set');
    env['FAKE'] = 'serve';
    await killed;
    await started.whenReady();
    await canConnect();
  });

  it('shows the line with which it fails to start', async () => {
    expect(await failureOf(start('bad-config'))).to.include('ended with code 1: fake: JWT_SECRET is not set');
  });

  it('fails when it does not become ready', async () => {
    expect(await failureOf(start('never-ready', {}, 300))).to.include('not ready after 0.3 s');
  });

  it('fails when the start is aborted', async () => {
    const abort = new AbortController();
    const starting = start('never-ready', {}, 60_000, abort.signal);
    abort.abort();
    expect(await failureOf(starting)).to.include('stopped while starting');
  });

  it('fails when its program is missing', async () => {
    const spec = { name: 'fake', command: path.join(directory, 'missing'), args: [], ready: 'message' as const };
    const starting = supervise({ ...spec, readyTimeoutMs: 5_000 }, () => undefined);
    expect(await failureOf(starting)).to.include('ENOENT');
  });

  it('kills a process that ignores SIGTERM', async () => {
    started = await start('deaf');
    const stoppingAt = Date.now();
    await started.stop(200);
    expect(Date.now() - stoppingAt).to.be.within(190, 3_000);
    expect(isAlive(started.pid())).to.equal(false);
  });

  it('leaves no process of its group', async () => {
    started = await start('leaves-child');
    await waitUntil('the line of the process', () => logged().includes('"left"'));
    const left = Number(/"left":(\d+)/.exec(logged())?.[1]);
    expect(isAlive(left)).to.equal(true);
    await started.stop(2_000);
    await waitUntil('the process to be gone', () => !isAlive(left));
  });

  it('leaves a process stopped that crashes during the stop', async () => {
    started = await start('serve');
    await Promise.all([started.stop(2_000), started.kill('SIGKILL')]);
    await started.stop(2_000);
    expect(await bindErrorCode(port, '127.0.0.1')).to.equal(undefined);
    expect(lines).to.deep.equal([]);
  });

  function start(
    fake: string,
    env: NodeJS.ProcessEnv = {},
    readyTimeoutMs = 10_000,
    signal?: AbortSignal,
  ): Promise<SupervisedProcess> {
    env['FAKE'] ??= fake;
    env['LISTEN'] = `127.0.0.1:${port}`;
    const logFile = path.join(directory, 'fake.log');
    const child = { name: 'fake', command: process.execPath, args: [program], env, logFile, readyTimeoutMs, signal };
    return supervise({ ...child, ready: 'message' }, (line) => void lines.push(line));
  }

  async function canConnect(): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  }

  function logged(): string {
    return readFileSync(path.join(directory, 'fake.log'), 'utf8');
  }
});

async function failureOf(starting: Promise<unknown>): Promise<string> {
  try {
    await starting;
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
  throw new Error('it started');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
