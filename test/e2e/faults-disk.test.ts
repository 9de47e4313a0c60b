import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ApiError } from '@panel/client';
import { expect } from 'chai';
import { ensureBusybox, needEngine } from './support/engine.js';
import { fillDisk } from './support/full-disk.js';
import { ask, createGame, power, startGame, untilStatus } from './support/game.js';
import { bootStack, type TestStack } from './support/stack.js';

const run = promisify(execFile);

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw error;
}

describe('node with a full disk', function () {
  this.timeout(180_000);
  let test: TestStack;
  let dataRoot = '';
  const ballast = () => path.join(dataRoot, 'ballast');

  before(async function () {
    await needEngine(this);
    if (process.getuid?.() !== 0) this.skip();
    await ensureBusybox();
    dataRoot = await mkdtemp(path.join(tmpdir(), 'panel-full-'));
    await run('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=711', 'panel-test', dataRoot]);
    await chmod(dataRoot, 0o711);
    test = await bootStack(
      { RUNTIME: 'docker' },
      {
        // The floor of free space exceeds this disk.
        overrides: { files: { DATA_ROOT: dataRoot, MIN_FREE_DISK_MB: '0' }, servers: { NODE_MIN_FREE_DISK: '0' } },
      },
    );
  });
  after(async () => {
    await test?.stop();
    if (dataRoot === '') return;
    await run('umount', ['-l', dataRoot]);
    await rmdir(dataRoot);
  });

  const fill = () => fillDisk(ballast());
  const empty = () => rmSync(ballast(), { force: true });
  const write = (id: string, file: string, content: string) =>
    test.admin.put('/servers/{id}/files/write', { params: { id }, body: { path: file, content } });
  const read = async (id: string, file: string) => {
    const { data } = await test.admin.get('/servers/{id}/files/contents', { params: { id }, query: { path: file } });
    return data.content;
  };

  it('keeps games and consoles, refuses writes completely and accepts them when space is freed', async () => {
    const { id } = await createGame(test);
    await startGame(test.admin, id);
    await write(id, '/notes.txt', 'before');
    const console = await test.admin.openConsole(id);
    fill();
    await ask(console, 'say still here', '[say] still here');
    const refused = await failure(write(id, '/notes.txt', 'x'.repeat(200_000)));
    expect([refused.status, refused.code]).to.deep.equal([409, 'conflict']);
    expect(refused.message).to.match(/disk|space|room/i);
    expect(await read(id, '/notes.txt')).to.equal('before');
    await ask(console, 'say and still', '[say] and still');
    const { data } = await test.admin.get('/servers/{id}', { params: { id } });
    expect(data.status).to.equal('running');
    empty();
    await write(id, '/notes.txt', 'x'.repeat(200_000));
    expect(await read(id, '/notes.txt')).to.have.length(200_000);
    await power(test.admin, id, 'stop');
    await untilStatus(test.admin, id, 'offline');
    await console.close();
  });

  it('fails an installation with its reason and installs when space is freed', async () => {
    fill();
    const error: unknown = await createGame(test, { name: 'too much' }).catch((thrown: unknown) => thrown);
    expect(String(error)).to.match(/exit code|space|disk/i);
    const { data: found } = await test.admin.get('/servers');
    const server = found.find(({ status }) => status === 'install_failed');
    expect(server?.install_error).to.match(/exit code|space|disk/i);
    const id = server?.id ?? '';
    expect((await failure(power(test.admin, id, 'start'))).status).to.equal(409);
    empty();
    await test.admin.post('/servers/{id}/reinstall', { params: { id } });
    await untilStatus(test.admin, id, 'offline', 60_000);
    await startGame(test.admin, id);
    await power(test.admin, id, 'kill');
    await untilStatus(test.admin, id, 'offline');
  });
});
