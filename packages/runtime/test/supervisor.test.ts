import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createProcessRuntime } from '../src/process/process-runtime.js';
import { membersOf, readProcess, readProcesses, residentBytes } from '../src/process/processes.js';
import type { Runtime } from '../src/runtime.js';
import { Fixture } from './fixture.js';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { EventLog, read, readUntil, within } from '../src/testing/reading.js';

const starter = fileURLToPath(new URL('./starter.js', import.meta.url));
const forever = 'echo ready; while :; do sleep 0.1; done';

describe('supervisor of the process runtime', function () {
  this.timeout(180_000);
  const runDir = mkdtempSync(join(tmpdir(), 'panel-run-'));
  const games = join(runDir, 'games');
  let fixture: Fixture;
  let runtime: Runtime;
  beforeEach(() => {
    fixture = new Fixture({ open: () => createProcessRuntime({ runDir }), image: 'ignored:1' });
    runtime = fixture.runtime;
  });
  afterEach(async () => fixture.close());
  after(() => rmSync(runDir, { recursive: true, force: true }));

  const pidOf = (serverId: string) => Number(readFileSync(join(games, `${serverId}.pid`), 'utf8'));
  const socketIn = () => {
    const name = readdirSync(games).find((each) => each.endsWith('.sock'));
    return join(games, name ?? 'none');
  };

  it('keeps a game and its console over kill -9 of its service', async () => {
    const spec = fixture.spec('i=0; while [ ! -e stop ]; do echo "line $i"; i=$((i+1)); sleep 0.002; done; echo end');
    const service = spawn(process.execPath, [starter, runDir, JSON.stringify(spec)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await within(60_000, 'the service', new Promise((resolve) => service.stdout.once('data', resolve)));
    const before = await readUntil(runtime, spec.serverId, 'line 100\n');
    const ended = new Promise((resolve) => service.once('exit', resolve));
    service.kill('SIGKILL');
    await ended;
    const after = await readUntil(runtime, spec.serverId, 'line 400\n', before.cursor);
    await runtime.signal(spec.serverId, 'SIGTERM').then(async () => runtime.kill(spec.serverId));
    const rest = await read(runtime, spec.serverId, { after: after.cursor });
    const numbers = (before.text + after.text + rest.text).split('\n').filter((line) => line.startsWith('line '));
    const wanted = Array.from({ length: numbers.length }, (_, i) => `line ${i}`);
    expect(numbers.length).to.be.above(400);
    expect(numbers).to.deep.equal(wanted);
  });

  it('leads its own session with the game and writes its pid file', async () => {
    const spec = await fixture.run(forever);
    const shim = readProcess(pidOf(spec.serverId));
    expect(shim?.session).to.equal(shim?.pid);
    expect(shim?.session).not.to.equal(readProcess(process.pid)?.session);
    const members = membersOf(shim?.pid ?? 0, readProcesses());
    expect(members.length).to.be.above(0);
    expect(members.every((member) => member.session === shim?.pid)).to.equal(true);
    await runtime.kill(spec.serverId);
    expect(existsSync(join(games, `${spec.serverId}.pid`))).to.equal(false);
    expect(existsSync(socketIn())).to.equal(false);
    await waitUntil('the end of the supervisor', () => readProcess(shim?.pid ?? 0)?.startTicks !== shim?.startTicks);
  });

  it('uses little memory', async () => {
    const spec = await fixture.run(forever);
    expect(residentBytes(pidOf(spec.serverId)) / 1024 / 1024).to.be.below(64);
  });

  it('ends its game when it is killed, which the runtime reports', async () => {
    const log = new EventLog(fixture.open());
    const spec = await fixture.run('trap "" TERM INT HUP; echo ready; while :; do echo x >> beat; sleep 0.05; done');
    await log.next('started', spec.serverId);
    await readUntil(runtime, spec.serverId, 'ready');
    const members = membersOf(pidOf(spec.serverId), readProcesses());
    process.kill(pidOf(spec.serverId), 'SIGKILL');
    expect(await log.next('exited', spec.serverId)).to.include({ exitCode: 137 });
    expect(await runtime.inspect(spec.serverId)).to.include({ state: 'exited', exitCode: 137 });
    for (const member of members) {
      await waitUntil('the game to be gone', () => ['Z', undefined].includes(readProcess(member.pid)?.state));
    }
    await log.stop();
    await runtime.create({ ...spec, startup: 'echo again' });
    await runtime.start(spec.serverId);
    expect((await read(runtime, spec.serverId)).text).to.equal('again\n');
  });

  it('stops gracefully, keeps the saved game and the exit code', async () => {
    const spec = await fixture.run(`sh -c 'trap "echo saved; exit 4" TERM; echo ready; while :; do sleep 0.05; done'`);
    await readUntil(runtime, spec.serverId, 'ready');
    process.kill(pidOf(spec.serverId), 'SIGTERM');
    expect((await read(runtime, spec.serverId)).text).to.include('saved');
    expect(await runtime.inspect(spec.serverId)).to.include({ state: 'exited', exitCode: 4 });
  });

  it('tolerates every malformed client', async () => {
    const spec = await fixture.run('echo ready; while read l; do echo "got $l"; done');
    await readUntil(runtime, spec.serverId, 'ready');
    const garbage = [
      '\n\n\n',
      '{}\n',
      'null\n',
      '[]\n',
      '{"do":"signal","signal":"SIGNONSENSE"}\n',
      '{"do":"input"}\n',
    ];
    garbage.push('{"do":"input","data":{"a":1}}\n', '\u0000\u0001\n', '{'.repeat(1000) + '\n', 'x'.repeat(3_000_000));
    for (const text of garbage) {
      const socket = connect(socketIn());
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.write(text, resolve));
      socket.destroy();
    }
    const idle = Array.from({ length: 100 }, () => connect(socketIn()).on('error', () => undefined));
    await runtime.writeInput(spec.serverId, 'hello\n');
    await readUntil(runtime, spec.serverId, 'got hello');
    for (const socket of idle) socket.destroy();
  });

  it('bounds the log of an endless game without stopping it', async () => {
    const spec = await fixture.run('yes "0123456789012345678901234567890123456789" | head -c 30000000; echo; echo end');
    const { text, chunks } = await read(runtime, spec.serverId, { timeoutMs: 25_000 });
    expect(text.endsWith('\nend\n')).to.equal(true);
    const held = await read(runtime, spec.serverId, { after: chunks[0]?.cursor });
    expect(held.text.length).to.be.within(4 * 1024 * 1024, 12 * 1024 * 1024);
    expect(text.endsWith(held.text)).to.equal(true);
    const files = readdirSync(join(games, spec.serverId), { recursive: true }).map(String);
    const bytes = files.reduce((sum, name) => sum + statSync(join(games, spec.serverId, name)).size, 0);
    expect(bytes).to.be.below(12 * 1024 * 1024);
  });

  it('shows a prompt without a newline', async () => {
    const spec = await fixture.run('printf "name? "; read n; echo "hello $n"');
    const { cursor } = await readUntil(runtime, spec.serverId, 'name? ');
    await runtime.writeInput(spec.serverId, 'you\n');
    await readUntil(runtime, spec.serverId, 'hello you\n', cursor);
  });

  it('passes no descriptor, secret or privilege to the game', async () => {
    process.env.PANEL_TEST_SECRET = 'secret-of-the-panel';
    try {
      const spec = await fixture.run(
        'echo "opens" > /dev/stdout; ls /proc/self/fd | tr "\\n" " "; id -u; cat /proc/$PPID/environ; echo',
      );
      const { text } = await read(runtime, spec.serverId);
      expect(text).to.include('opens\n').and.not.include('secret-of-the-panel');
      expect(text).to.match(/^0 1 2 3 (\d+)\n/m);
      if (process.getuid?.() === 0) expect(text).to.match(new RegExp(`^0 1 2 3 ${spec.volume.uid}\n`, 'm'));
    } finally {
      delete process.env.PANEL_TEST_SECRET;
    }
  });

  it('keeps its files private', async () => {
    const spec = await fixture.run(forever, { environment: { TOKEN: 'secret' } });
    expect(statSync(games).mode & 0o777).to.equal(0o700);
    expect(statSync(join(games, spec.serverId, 'game.json')).mode & 0o777).to.equal(0o600);
  });

  it('refuses a startup with the mount point when the volume path cannot be quoted', async () => {
    const volume = fixture.volume();
    const odd = { ...volume, path: join(volume.path, 'a b;c') };
    mkdirSync(odd.path);
    const naming = fixture.spec('ls /home/container', { volume: odd });
    expect(await reasonOf(runtime.create(naming))).to.equal('INVALID_SPEC');
    const spec = await fixture.run('pwd', { volume: odd });
    expect((await read(runtime, spec.serverId)).text).to.equal(`${odd.path}\n`);
  });

  it('runs a script by sh when its shell is missing, and reports it', async () => {
    const missing = ['zsh', 'ksh', 'ash'].find(
      (name) => !existsSync(`/bin/${name}`) && !existsSync(`/usr/bin/${name}`),
    );
    let output = '';
    const onOutput = (chunk: Buffer) => (output += chunk.toString());
    const spec = fixture.install('echo ran', { entrypoint: missing ?? 'sh' });
    expect(await runtime.install(spec, onOutput, new AbortController().signal)).to.include({ exitCode: 0 });
    expect(output).to.match(missing ? /^\[.*\]\nran\n$/ : /^ran\n$/);
  });

  it('refuses to run a script of another interpreter by sh', async () => {
    const spec = fixture.install('print(1)', { entrypoint: 'no-such-interpreter' });
    const work = runtime.install(spec, () => undefined, new AbortController().signal);
    expect(await reasonOf(work)).to.equal('START_FAILED');
  });

  it('fails when its directory cannot be created', async () => {
    const broken = createProcessRuntime({ runDir: join(fileURLToPath(import.meta.url), 'below') });
    expect(await reasonOf(broken.ping())).to.equal('NODE_UNREACHABLE');
  });
});
