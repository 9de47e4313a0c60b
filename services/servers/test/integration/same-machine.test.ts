import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { Node_Status } from '@panel/protos/servers';
import { engineMissing, engineUrl, socketPath } from '@panel/testing/engine';
import { expect } from 'chai';
import { type FakeServices, startFakeServices } from '../support/fake-services.js';
import { createFixture, emptyNode, engineAt, type Fixture } from '../support/fixture.js';
import { removeDirectory, serviceSecret } from '../support/harness.js';

/** The engine under another address. */
class Relay {
  readonly #server: Server = createServer((client) => {
    const engine = createConnection(socketPath);
    client.on('error', () => engine.destroy()).on('close', () => engine.destroy());
    engine.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(engine).pipe(client);
  });
  port = 0;

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve));
    const address = this.#server.address();
    this.port = typeof address === 'object' && address ? address.port : 0;
    return this;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `tcp://127.0.0.1:${this.port}`;
  }
}

describe('a machine that is registered twice', function () {
  this.timeout(120_000);
  let fixture: Fixture;
  const relays: Relay[] = [];
  const disks: { files: FakeServices; directory: string }[] = [];

  const relay = async () => {
    const opened = await new Relay().open();
    relays.push(opened);
    return opened;
  };
  /** Files service of a data root of its own. */
  const disk = async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'panel-files-other-'));
    const files = await startFakeServices(directory, serviceSecret);
    disks.push({ files, directory });
    return files.address;
  };
  const register = async (url: string, filesAddress = '', name: string = randomUUID()) => {
    const { node } = await fixture.admin.nodes.createNode({ ...emptyNode, ...engineAt(url), name, filesAddress });
    return node?.id ?? '';
  };
  const change = async (nodeId: string, url: string) =>
    fixture.admin.nodes.updateNode({ ...engineAt(url), nodeId, tags: undefined, emulatedPlatforms: undefined });
  const refusalOf = async (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => (isAppError(error) ? { reason: error.reason, ...error.metadata } : error),
    );
  const node = async (nodeId: string) => (await fixture.admin.nodes.getNode({ nodeId })).node;

  before(async function () {
    const missing = await engineMissing();
    if (missing !== null && process.env.CI) throw new Error(missing);
    if (missing !== null) this.skip();
    fixture = await createFixture({ engineUrl });
  });
  after(async () => {
    await fixture?.stop();
    for (const each of relays) await each.close().catch(() => undefined);
    for (const { files, directory } of disks) {
      await files.stop();
      removeDirectory(directory);
    }
  });

  it('refuses the same addresses, and names the other node', async () => {
    expect(await refusalOf(register(engineUrl))).to.deep.equal({
      reason: 'NODE_EXISTS',
      node_id: fixture.nodeId,
      node: 'local',
    });
    const spelled = fixture.harness.fakes.address.replace(/^/, 'dns:///');
    expect(await refusalOf(register(engineUrl, spelled))).to.include({ reason: 'NODE_EXISTS' });
  });

  it('refuses another address of the same engine', async () => {
    expect(await refusalOf(register((await relay()).url))).to.include({ reason: 'NODE_EXISTS', node: 'local' });
  });

  it('refuses the change of a node to be it, and leaves that node as it was', async () => {
    const nodeId = await register('tcp://127.0.0.1:1');
    for (const url of [engineUrl, (await relay()).url])
      expect(await refusalOf(change(nodeId, url))).to.include({ reason: 'NODE_EXISTS', node: 'local' });
    expect((await node(nodeId))?.engine?.url).to.equal('tcp://127.0.0.1:1');
    await fixture.admin.nodes.deleteNode({ nodeId });
  });

  it('takes a node for each disk of a machine', async () => {
    const nodeId = await register((await relay()).url, await disk());
    await waitUntil('the node to be online', async () => (await node(nodeId))?.status === Node_Status.ONLINE);
    expect((await node(nodeId))?.statusReason).to.equal('');
  });

  it('leaves one of 50 parallel registrations', async () => {
    const [files, first, second] = [await disk(), await relay(), await relay()];
    const names = Array.from({ length: 50 }, () => randomUUID());
    const refusals = await Promise.all(
      names.map(async (name, index) => refusalOf(register((index % 2 ? first : second).url, files, name))),
    );
    const made = names[refusals.indexOf(null)];
    expect(refusals.filter((refusal) => refusal === null)).to.have.length(1);
    for (const refusal of refusals)
      if (refusal !== null) expect(refusal).to.include({ reason: 'NODE_EXISTS', node: made });
  });

  it('names a second one that is found out later, until the other one is gone', async () => {
    const files = await disk();
    const late = await relay();
    const original = await register((await relay()).url, files, 'the original');
    await late.close();
    const twin = await register(late.url, files);
    await late.open();
    await waitUntil(
      'the reason',
      async () => (await node(twin))?.statusReason.includes('the same machine') === true,
      60_000,
    );
    const { status, statusReason } = (await node(twin)) ?? {};
    expect(status).to.equal(Node_Status.ONLINE);
    expect(statusReason).to.equal(
      'the node "the original" is the same machine: it has this engine, and the data root of this files service: it gets no new servers',
    );
    await fixture.admin.nodes.deleteNode({ nodeId: original });
    await waitUntil('the end of it', async () => (await node(twin))?.statusReason === '', 60_000);
  });
});
