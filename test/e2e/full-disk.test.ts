import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiError, createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { fillDisk } from './support/full-disk.js';
import { adminPassword } from './support/stack.js';

const launcher = import.meta.resolve('@panel/stack/launcher');

/* `npm start` with launcher and logs on one full disk. */
describe('panel on a full disk', function () {
  this.timeout(180_000);
  let disk = '';
  let child: ChildProcess;
  let closed: Promise<unknown>;
  let output = '';
  let admin: PanelClient;
  let baseUrl = '';

  const ballast = () => path.join(disk, 'ballast');
  const pids = () => {
    const { pids: all } = JSON.parse(readFileSync(path.join(disk, 'data', 'stack.json'), 'utf8')) as {
      pids: Record<string, number>;
    };
    // The database may end on a full disk and restart.
    const { mongo: _, ...others } = all;
    return others;
  };
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  before(async function () {
    if (process.getuid?.() !== 0) this.skip();
    disk = await mkdtemp(path.join(tmpdir(), 'panel-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=800m,mode=711', 'panel-test', disk]);
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      DATA_DIR: path.join(disk, 'data'),
      PORT: '0',
      SEED: 'none',
      RUNTIME: 'process',
      ADMIN_PASSWORD: adminPassword,
      RATE_LIMIT_GENERAL: '100000',
      RATE_LIMIT_AUTH: '10000',
    };
    const program = `import(${JSON.stringify(launcher)}).then(({ runLauncher }) => runLauncher())`;
    child = spawn(process.execPath, ['-e', program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    closed = once(child, 'close');
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await waitUntil('the panel', () => output.includes('Ctrl-C stops everything') || child.exitCode !== null, 90_000);
    expect(child.exitCode, output).to.equal(null);
    baseUrl = /address +(\S+)\/api\/v1/.exec(output)?.[1] ?? '';
    // MongoDB creates indexes only with 500 MB free. From now on less is left, to fill little memory.
    const { blocks, bfree, bsize } = statfsSync(disk);
    const usedMb = Math.ceil(((blocks - bfree) * bsize) / 1024 ** 2);
    execFileSync('mount', ['-o', `remount,size=${usedMb + 160}m`, disk]);
    admin = createPanelClient({ baseUrl });
    await admin.login('admin@localhost.localdomain', adminPassword);
  });
  after(async () => {
    if (disk === '') return;
    rmSync(ballast(), { force: true });
    child.kill('SIGTERM');
    await closed;
    execFileSync('umount', ['-l', disk]);
    rmdirSync(disk);
  });

  const fill = () => fillDisk(ballast());

  const answerOf = async (request: Promise<unknown>): Promise<string> =>
    request.then(
      () => 'done',
      (error: unknown) =>
        error instanceof ApiError ? `${error.status} ${String(error.details['reason'])}` : String(error),
    );
  const reads = async () =>
    Promise.all(
      [
        admin.get('/account'),
        admin.get('/servers'),
        admin.get('/admin/nodes'),
        admin.get('/admin/settings'),
        admin.get('/store/products'),
        admin.get('/admin/activity'),
      ].map(answerOf),
    );
  /** One write of each database that users write to. */
  const writes = async () =>
    Promise.all(
      [
        admin.put('/account', { body: { first_name: 'Ada' } }),
        admin.post('/admin/nests', { body: { name: randomUUID(), author: 'a@b.example' } }),
        admin.put('/admin/settings', { body: { general: { name: `Panel ${randomUUID()}` } } }),
        admin.post('/admin/billing/coupons', {
          body: { code: randomUUID().slice(0, 8).toUpperCase(), type: 'percent', value: 10 },
        }),
      ].map(answerOf),
    );
  const onlyOf = (answers: readonly string[]) => [...new Set(answers)];

  it('reads on, refuses writes with the reason, and is whole by itself when there is room', async () => {
    expect(onlyOf(await writes())).to.deep.equal(['done']);
    const nest = randomUUID();
    await admin.post('/admin/nests', { body: { name: nest, author: 'a@b.example' } });
    const before = pids();
    fill();
    let goodRounds = 0;
    let answers: { read: string[]; written: string[] } = { read: [], written: [] };
    const isReadOnly = async () => {
      answers = { read: onlyOf(await reads()), written: onlyOf(await writes()) };
      const isGood = answers.read.join() === 'done' && answers.written.join() === '503 database_full';
      goodRounds = isGood ? goodRounds + 1 : 0;
      return goodRounds === 5;
    };
    // The engine may end on the full disk and recover from its reserve.
    await waitUntil('reads to be answered and writes to be refused', isReadOnly, 45_000).catch((error: unknown) => {
      throw new Error(`${String(error)}; last: ${JSON.stringify(answers)}`);
    });
    expect(child.exitCode, output).to.equal(null);
    expect(pids()).to.deep.equal(before);
    expect(Object.values(before).filter((pid) => !isAlive(pid))).to.deep.equal([]);
    rmSync(ballast());
    const isWhole = async () => onlyOf([...(await reads()), ...(await writes())]).join() === 'done';
    // Takes a second; the rest is for a busy machine.
    await waitUntil('everything to be whole', isWhole, 30_000);
    await createPanelClient({ baseUrl }).login('admin@localhost.localdomain', adminPassword);
    const { data: nests } = await admin.get('/admin/nests', { query: { search: nest } });
    expect(nests.map(({ name }) => name)).to.deep.equal([nest]);
    expect(pids()).to.deep.equal(before);
  });
});
