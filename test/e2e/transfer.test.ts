import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { type AdminServer, ApiError, type ConsoleSocket } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { readEgg } from '@panel/stack';
import { expect } from 'chai';
import { docker, ensureBusybox, needEngine } from './support/engine.js';
import { ask, createServer, importEgg, lineWith, power, startGame, untilStatus } from './support/game.js';
import { addNode, type Place } from './support/nodes.js';
import { freePort } from './support/ports.js';
import { bootStack, type TestStack } from './support/stack.js';

/** Some seconds of copying, without blocking the database's disk. */
const largeMb = 240;
/** Long enough for requests in the meantime. */
const largestMb = 480;
const overrides = { servers: { NODE_LEASE_TTL: '4s', STOP_GRACE: '5s' } };

describe('transfer of a game server between two nodes', function () {
  this.timeout(240_000);
  let test: TestStack;
  let eggId: string;
  let a: Place;
  let b: Place;

  before(async () => {
    test = await bootStack({}, { files: 2, overrides });
    eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
    const { data } = await test.admin.get('/admin/nodes');
    const local = data.find(({ name }) => name === 'local');
    a = { id: local?.id ?? '', dataRoot: local?.data_root ?? '' };
    b = await addNode(test, 'second', { runtime: 'process' }, '26000-26009');
  });

  after(async () => test?.stop());

  const volumeOf = (place: Place, id: string) => path.join(place.dataRoot, 'servers', id);
  const view = async (id: string): Promise<AdminServer> =>
    (await test.admin.get('/admin/servers/{id}', { params: { id } })).data;
  const allocated = async ({ id }: Place) =>
    (await test.admin.get('/admin/nodes/{id}', { params: { id } })).data.allocated;
  const allocationsOf = async ({ id }: Place) =>
    (await test.admin.get('/admin/nodes/{id}/allocations', { params: { id }, query: { per_page: 100 } })).data;
  const transfer = async (id: string, to: Place): Promise<AdminServer> =>
    (await test.admin.post('/admin/servers/{id}/transfer', { params: { id }, body: { node_id: to.id } })).data;
  const cancel = async (id: string) => test.admin.delete('/admin/servers/{id}/transfer', { params: { id } });

  /** Waits until the server is on one node, with no remains on the other. */
  async function settled(id: string, to: Place, from: Place): Promise<AdminServer> {
    const server = await waitUntil(
      'the end of the transfer',
      async () => {
        // A restarted service is briefly unavailable.
        const now = await view(id).catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 503) return null;
          throw error;
        });
        return now?.operation === null ? now : null;
      },
      120_000,
    );
    expect(server.node_id, JSON.stringify(server.last_transfer)).to.equal(to.id);
    await waitUntil('nothing on the other node', async () => !existsSync(volumeOf(from, id)), 30_000);
    await waitUntil(
      'the reservations on the other node to be free',
      async () => (await allocationsOf(from)).every(({ server_id: serverId }) => serverId !== id),
      30_000,
    );
    return view(id);
  }

  /** A game on node A at a depth, unsaved. */
  async function digger(depth: number) {
    const allocationId = (await allocationsOf(a)).find(({ assigned }) => !assigned)?.id;
    const fields = { memory: 128, disk: 4096, environment: { TICK_SECONDS: '1' } };
    const { id } = await createServer(test, eggId, { ...fields, node_id: a.id, allocation_id: allocationId });
    await startGame(test.admin, id);
    const console = await test.admin.openConsole(id);
    await lineWith(console, 'The caverns are open', false);
    for (let now = 1; now <= depth; now++) await ask(console, 'dig', `You dig to depth ${now}`);
    return { id, console };
  }

  /** Fills a volume, to interrupt its copy; the digest proves completeness. */
  async function fill(place: Place, id: string, megabytes: number): Promise<Buffer> {
    const piece = randomBytes(4 * 1024 * 1024);
    const file = await open(path.join(volumeOf(place, id), 'atlas.bin'), 'w');
    for (let written = 0; written < megabytes; written += 4) {
      piece.writeUInt32BE(written, 0);
      await file.write(piece);
    }
    await file.close();
    return piece;
  }

  /** Waits until the copy is partial. */
  async function copying(id: string): Promise<void> {
    await waitUntil('the middle of the copy', async () => {
      const { operation } = await view(id);
      return operation !== null && operation.step === 'copy' && operation.progress > 5;
    });
  }

  /** A gateway that cannot check rights for 5 s ends sockets (1012), so the old one may be closed. */
  async function reopened(id: string, old: ConsoleSocket): Promise<ConsoleSocket> {
    await old.close();
    await untilStatus(test.admin, id, 'running', 60_000);
    const console = await test.admin.openConsole(id);
    await lineWith(console, 'World loaded at depth 2', false);
    return console;
  }

  it('moves a running game with its world, address and console', async () => {
    const { id, console } = await digger(3);
    const before = await view(id);
    const begun = await transfer(id, b);
    expect(begun).to.include({ id, status: 'transferring' });
    expect(begun.operation).to.deep.include({ kind: 'transferring' });
    await lineWith(console, 'moving to the node second', false);
    await lineWith(console, 'World saved at depth 3.', false, 30_000);
    await lineWith(console, 'World loaded at depth 3', false, 60_000);
    const after = await settled(id, b, a);
    expect(after.allocation?.port).to.be.within(26_000, 26_009);
    expect(after.allocation?.id).not.to.equal(before.allocation?.id);
    expect(after.last_transfer).to.include({ outcome: 'completed', error: null });
    await untilStatus(test.admin, id, 'running');

    // The same socket stayed open and receives the game on its new node.
    await ask(console, 'dig', 'You dig to depth 4');
    await ask(console, 'save', 'World saved at depth 4.');
    await console.waitFor('statistics', ({ type }) => type === 'stats', { fromNow: true });
    expect(await readFile(path.join(volumeOf(b, id), 'world.txt'), 'utf8')).to.contain('depth=4');
    const operations = console.messages.flatMap((message) => (message.type === 'operation' ? [message.step] : []));
    expect(operations).to.include.members(['stop', 'copy', 'switch']);
    expect(operations.at(-1)).to.equal(null);
    await console.close();

    const { data: file } = await test.admin.get('/servers/{id}/files/contents', {
      params: { id },
      query: { path: '/world.txt' },
    });
    expect(file.content).to.contain('depth=4');
    await remove(id, b);
  });

  /** An endless upload of one kilobyte until it is ended. */
  function beginUpload(id: string, name: string) {
    const headers = {
      authorization: `Bearer ${test.admin.token() ?? ''}`,
      'content-type': 'application/octet-stream',
      'content-length': 1024,
    };
    const url = `${test.stack.baseUrl}/api/v1/servers/${id}/files/write?path=/${name}`;
    const upload = request(url, { method: 'PUT', headers });
    upload.write(Buffer.alloc(1000, name));
    const answer = once(upload, 'response').then(async ([response]: IncomingMessage[]) => {
      if (!response) throw new Error('no answer');
      const { error } = (await json(response)) as { error?: { code: string } };
      return [response.statusCode, error?.code];
    });
    return { answer, end: () => upload.end(Buffer.alloc(24, name)), giveUp: () => upload.destroy() };
  }

  it('keeps every acknowledged upload and refuses one that is held open', async () => {
    const { id, console } = await digger(1);
    const [quick, slow] = [beginUpload(id, 'quick'), beginUpload(id, 'slow')];
    await waitUntil('both to be under way', async () => {
      const names = await readdir(volumeOf(a, id));
      return names.filter((name) => name.endsWith('.part')).length === 2;
    });
    await transfer(id, b);
    quick.end();
    expect(await quick.answer).to.deep.equal([200, undefined]);
    expect(await slow.answer).to.deep.equal([409, 'server_locked']);
    slow.giveUp();
    await settled(id, b, a);
    expect(await readFile(path.join(volumeOf(b, id), 'quick'))).to.have.length(1024);
    expect(await readdir(volumeOf(b, id))).not.to.include('slow');
    await untilStatus(test.admin, id, 'running', 60_000);
    const again = beginUpload(id, 'slow');
    again.end();
    expect(await again.answer).to.deep.equal([200, undefined]);
    expect(await readFile(path.join(volumeOf(b, id), 'slow'))).to.have.length(1024);
    await console.close();
    await remove(id, b);
  });

  it('resumes after the servers process dies during the copy', async () => {
    const game = await digger(2);
    const { id } = game;
    let { console } = game;
    await fill(a, id, largeMb);
    await transfer(id, b);
    await copying(id);
    await test.stack.kill('servers', 'SIGKILL');
    await test.stack.whenReady('servers');
    await settled(id, b, a);
    console = await reopened(id, console);
    expect((await stat(path.join(volumeOf(b, id), 'atlas.bin'))).size).to.equal(largeMb * 1024 * 1024);
    await ask(console, 'dig', 'You dig to depth 3');
    await console.close();
    await remove(id, b);
  });

  for (const name of ['files', 'files-2']) {
    it(`resumes after the files service of the ${name === 'files' ? 'old' : 'new'} node dies during the copy`, async () => {
      const game = await digger(2);
      const { id } = game;
      let { console } = game;
      const piece = await fill(a, id, largeMb);
      await transfer(id, b);
      await copying(id);
      await test.stack.kill(name, 'SIGKILL');
      await settled(id, b, a);
      console = await reopened(id, console);
      const file = await open(path.join(volumeOf(b, id), 'atlas.bin'));
      const last = Buffer.alloc(piece.length);
      await file.read(last, 0, last.length, (largeMb - 4) * 1024 * 1024);
      await file.close();
      expect(last.equals(piece)).to.equal(true);
      await console.close();
      await remove(id, b);
    });
  }

  /** By every access to a server. */
  async function refusesEverything(id: string, console: ConsoleSocket): Promise<void> {
    const locked = { status: 409, code: 'server_locked' };
    const errors = await Promise.all(
      [
        ...(['start', 'stop', 'restart', 'kill'] as const).map(async (action) => power(test.admin, id, action)),
        test.admin.post('/servers/{id}/command', { params: { id }, body: { command: 'dig' } }),
        test.admin.get('/servers/{id}/files/list', { params: { id }, query: { directory: '/' } }),
        test.admin.post('/servers/{id}/files/delete', { params: { id }, body: { files: ['/atlas.bin'] } }),
        test.admin.post('/servers/{id}/reinstall', { params: { id } }),
        test.admin.post('/admin/servers/{id}/transfer', { params: { id }, body: { node_id: b.id } }),
      ].map(async (request) => request.catch((thrown: unknown) => thrown)),
    );
    for (const error of errors) expect(error).to.include(locked);
    for (const say of [() => console.command('dig'), () => console.power('kill')]) {
      const answer = console.next('error', { fromNow: true });
      say();
      expect(await answer).to.include({ code: 'server_locked' });
    }
  }

  it('leaves the game running on its node when it is cancelled midway', async () => {
    const { id, console } = await digger(2);
    await fill(a, id, largestMb);
    const [before, room] = await Promise.all([view(id), allocated(b)]);
    await transfer(id, b);
    await copying(id);
    await refusesEverything(id, console);
    await cancel(id);
    await lineWith(console, 'the transfer was cancelled', false, 30_000);
    await lineWith(console, 'World loaded at depth 2', false, 60_000);
    const after = await settled(id, a, b);
    expect(after.last_transfer).to.include({ outcome: 'cancelled' });
    expect(after.allocation).to.deep.equal(before.allocation);
    await untilStatus(test.admin, id, 'running');
    await ask(console, 'dig', 'You dig to depth 3');
    expect(await allocated(b)).to.deep.equal(room);
    const again = await cancel(id).catch((error: unknown) => error);
    expect(again).to.be.instanceOf(ApiError).with.property('status', 409);
    expect(again).to.have.nested.property('details.reason', 'no_transfer');
    await console.close();
    await remove(id, a);
  });

  it('changes nothing when it is refused', async () => {
    const { id, console } = await digger(1);
    const refusals: [object, number, string][] = [
      [{ node_id: a.id }, 422, 'validation_error'],
      [{ node_id: '99999999-9999-4999-8999-999999999999' }, 422, 'validation_error'],
      [{ node_id: b.id, allocation_id: (await view(id)).allocation?.id }, 422, 'validation_error'],
      [{}, 422, 'validation_error'],
      [{ node_id: b.id, speed: 'fast' }, 422, 'validation_error'],
    ];
    for (const [body, status, code] of refusals) {
      const asked = test.admin.call('POST', `/admin/servers/${id}/transfer`, { body });
      const error = await asked.catch((thrown: unknown) => thrown);
      expect(error, JSON.stringify(body)).to.include({ status, code });
    }
    const maintain = async (isOn: boolean) =>
      test.admin.put('/admin/nodes/{id}', { params: { id: b.id }, body: { maintenance_mode: isOn } });
    await maintain(true);
    const error = await transfer(id, b).catch((thrown: unknown) => thrown);
    expect(error).to.include({ status: 409, code: 'conflict' });
    expect(error).to.have.nested.property('details.reason', 'node_maintenance');
    await maintain(false);
    await ask(console, 'dig', 'You dig to depth 2');
    await console.close();
    await remove(id, a);
  });

  it('moves from a process to a container and back', async function () {
    await needEngine(this);
    await ensureBusybox();
    const contained = await addNode(
      test,
      'engine',
      { runtime: 'docker', engine: { url: 'unix:///var/run/docker.sock' } },
      String(await freePort()),
    );
    const { id, console } = await digger(5);
    await transfer(id, contained);
    await lineWith(console, 'World loaded at depth 5', false, 90_000);
    const there = await settled(id, contained, a);
    const [container] = await docker.listContainers({ filters: { name: [id] } });
    expect(container?.Ports.map(({ PublicPort }) => PublicPort)).to.include(there.allocation?.port);
    await ask(console, 'dig', 'You dig to depth 6');
    await untilStatus(test.admin, id, 'running');
    const back = lineWith(console, 'World loaded at depth 6', true, 90_000);
    await transfer(id, a);
    await back;
    await settled(id, a, contained);
    await waitUntil('the container to be gone', async () => {
      const left = await docker.listContainers({ all: true, filters: { name: [id] } });
      return left.length === 0;
    });
    await untilStatus(test.admin, id, 'running');
    await ask(console, 'dig', 'You dig to depth 7');
    await console.close();
    await remove(id, a);
  });

  it('abandons a transfer for a forced deletion and leaves nothing on either node', async () => {
    const { id, console } = await digger(1);
    await fill(a, id, largeMb);
    const room = await allocated(b);
    await transfer(id, b);
    await copying(id);
    const begun = performance.now();
    await remove(id, b, true);
    expect(performance.now() - begun).to.be.below(60_000);
    expect((await console.closed).code).to.equal(4404);
    for (const place of [a, b]) expect(existsSync(volumeOf(place, id))).to.equal(false);
    expect(await allocated(b)).to.deep.equal(room);
  });

  async function remove(id: string, place: Place, force = false): Promise<void> {
    await test.admin.delete('/admin/servers/{id}', { params: { id }, query: { force: force ? 'true' : 'false' } });
    await waitUntil(
      'the deletion',
      async () =>
        view(id).then(
          () => false,
          (error: unknown) => error instanceof ApiError && error.status === 404,
        ),
      60_000,
    );
    expect(existsSync(volumeOf(place, id))).to.equal(false);
  }
});
