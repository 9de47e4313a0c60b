import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { needPrograms, startBreakableProxy } from '@panel/testing';
import { expect } from 'chai';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { ImportEggRequest_Format, Node_Runtime, Node_Status, PowerAction, Server_Status } from '@panel/protos/servers';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { type FakeServices, startFakeServices } from '../support/fake-services.js';
import { removeDirectory, serviceSecret, userActor } from '../support/harness.js';
import { PrivateEngine, privateEngineMissing } from '../support/private-engine.js';
import { type KeyPair, TestAuthority } from '../support/pki.js';
import { TlsRelay } from '../support/tls-relay.js';
import { createFixture, emptyNode, fieldsOf, localImage, waitForServer, type Fixture } from '../support/fixture.js';

const missing = await privateEngineMissing();
const port = 2376;

describe('engine behind TLS', function () {
  if (missing !== null) {
    it(
      `skips an engine behind TLS: needs its own engine (${missing})`,
      process.env.CI ? () => Promise.reject(new Error(missing)) : undefined,
    );
    return;
  }
  this.timeout(180_000);
  let authority: TestAuthority;
  let stranger: TestAuthority;
  let client: KeyPair;
  let engine: PrivateEngine;
  let relay: TlsRelay;
  let fixture: Fixture;
  let mongo: MongoConnection;

  before(async function () {
    needPrograms(this, 'openssl');
    authority = new TestAuthority('panel');
    stranger = new TestAuthority('stranger');
    authority.issue('engine', 'serverAuth');
    client = authority.issue('client', 'clientAuth');
    const file = (name: string) => authority.fileOf(name);
    const certificates = [
      '--tlscacert',
      file('ca.pem'),
      '--tlscert',
      file('engine.pem'),
      '--tlskey',
      file('engine.key'),
    ];
    engine = await PrivateEngine.start({ flags: ['-H', `tcp://127.0.0.1:${port}`, '--tlsverify', ...certificates] });
    relay = await TlsRelay.open(engine, port);
    await startFixture();
  });
  const startFixture = async () => {
    fixture = await createFixture({
      egg: {
        docker_images: { Shell: localImage },
        startup: 'echo ready to play; read word; echo bye',
        scripts: { installation: { script: 'echo installed', container: localImage, entrypoint: 'sh' } },
      },
    });
    mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
  };
  const stopFixture = async () => {
    await mongo?.close();
    await fixture?.stop();
    for (const { files, directory } of disks.splice(0)) {
      await files.stop();
      removeDirectory(directory);
    }
  };
  after(async () => {
    await stopFixture();
    relay?.close();
    await engine?.remove();
    authority?.remove();
    stranger?.remove();
  });

  const engineWith = (ca: string, { cert, key }: KeyPair, at = relay.port) => {
    const url = `tcp://127.0.0.1:${at}`;
    return { runtime: Node_Runtime.DOCKER, engine: { url, tlsCa: ca, tlsCert: cert, tlsKey: key, tls: false } };
  };
  const disks: { files: FakeServices; directory: string }[] = [];
  /** Each with a disk of its own: they are nodes of one engine. */
  const create = async (ca: string, pair: KeyPair, at?: number) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'panel-files-tls-'));
    chmodSync(directory, 0o711);
    const files = await startFakeServices(directory, serviceSecret);
    disks.push({ files, directory });
    const { node } = await fixture.admin.nodes.createNode({
      ...emptyNode,
      name: randomUUID(),
      filesAddress: files.address,
      ...engineWith(ca, pair, at),
    });
    return node?.id ?? '';
  };
  const look = async (nodeId: string, wanted: Node_Status, clients = fixture.admin) => {
    return waitUntil(`the status ${wanted} of the node`, async () => {
      const { node } = await clients.nodes.getNode({ nodeId });
      return node?.status === wanted && node;
    });
  };
  const stored = async (nodeId: string): Promise<string> => {
    const found = await mongo.collection<{ _id: string; engine: { tlsKey: string } }>('nodes').findOne({ _id: nodeId });
    return found?.engine.tlsKey ?? '';
  };

  it('runs games with valid client certificates', async () => {
    const nodeId = await create(authority.ca, client);
    await look(nodeId, Node_Status.ONLINE);
    const { allocations } = await fixture.admin.allocations.createAllocations({
      nodeId,
      ip: '127.0.0.1',
      alias: '',
      ports: ['25565'],
    });
    const { id } = await fixture.installed({ nodeId, allocationId: allocations[0]?.id ?? '' });
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
    expect((await engine.docker.getContainer(id).inspect()).State.Running).to.equal(true);
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.STOP });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE);
  });

  describe('whose connection changes while a game runs', () => {
    /** Counts in its console. */
    const startCounting = async (nodeId: string, gamePort: string) => {
      await look(nodeId, Node_Status.ONLINE);
      const ports = { nodeId, ip: '127.0.0.1', alias: '', ports: [gamePort] };
      const { allocations } = await fixture.admin.allocations.createAllocations(ports);
      const { egg } = await fixture.admin.eggs.importEgg({
        content: eggBytes({
          docker_images: { Shell: localImage },
          startup: 'echo ready to play; i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.1; done',
          scripts: { installation: { script: 'echo installed', container: localImage, entrypoint: 'sh' } },
        }),
        format: ImportEggRequest_Format.JSON,
        nestId: '',
      });
      const place = { nodeId, allocationId: allocations[0]?.id ?? '', eggId: egg?.id ?? '' };
      const { id } = await fixture.installed(place);
      await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
      const watching = new ConsoleWatcher(fixture.owner, id, 1000);
      const counted = () => Number(watching.lines.at(-1)?.slice('line '.length) ?? 0);
      await watching.until(() => counted() >= 5, 30_000);
      return { id, watching, counted };
    };
    const change = async (nodeId: string, next: ReturnType<typeof engineWith>['engine']) =>
      fixture.admin.nodes.updateNode({ nodeId, engine: next, tags: undefined, emulatedPlatforms: undefined });
    const expectEveryLine = async ({ id, watching, counted }: Awaited<ReturnType<typeof startCounting>>) => {
      const before = counted();
      await watching.until(() => counted() >= before + 100, 60_000);
      const numbers = watching.lines.filter((line) => line.startsWith('line ')).map((line) => Number(line.slice(5)));
      expect(numbers).to.deep.equal(numbers.map((_, at) => (numbers[0] ?? 0) + at));
      await watching.stop();
      await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.KILL });
      await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE);
    };

    it('goes on with the console with new certificates, without a lost line', async () => {
      const nodeId = await create(authority.ca, client);
      const game = await startCounting(nodeId, '25566');
      await change(nodeId, engineWith(authority.ca, authority.issue('next', 'clientAuth')).engine);
      await expectEveryLine(game);
    });

    it('goes on with the console at another address of the engine, without a lost line', async () => {
      const [old, next] = [await proxy(), await proxy()];
      try {
        const nodeId = await create(authority.ca, client, old.port);
        const game = await startCounting(nodeId, '25567');
        await change(nodeId, engineWith(authority.ca, client, next.port).engine);
        await old.close();
        await expectEveryLine(game);
      } finally {
        await old.close();
        await next.close();
      }
    });

    const proxy = async () => startBreakableProxy({ host: '127.0.0.1', port: relay.port });
  });

  const refused: [string, RegExp, string, () => Promise<string>][] = [
    [
      'another authority signed our certificate',
      /alert|certificate/i,
      'client_certificate_refused',
      () => {
        return create(authority.ca, stranger.issue('client', 'clientAuth'));
      },
    ],
    [
      'our certificate has run out',
      /alert|expired/i,
      'client_certificate_refused',
      () => {
        return create(authority.ca, authority.issue('late', 'clientAuth', 0));
      },
    ],
    [
      'our certificate is one of an engine',
      /alert|certificate/i,
      'client_certificate_refused',
      () => {
        return create(authority.ca, authority.issue('server-only', 'serverAuth'));
      },
    ],
    [
      'the authority that we trust is another one',
      /unable to verify|self.signed|unable to get/i,
      'engine_certificate_untrusted',
      () => {
        return create(stranger.ca, client);
      },
    ],
  ];
  for (const [what, words, problem, make] of refused) {
    it(`shows a node offline and reports why when ${what}`, async () => {
      const node = await look(await make(), Node_Status.OFFLINE);
      expect(node.statusReason).to.match(words);
      expect(node.problem).to.equal(problem);
    });
  }

  it('refuses a key that does not match its certificate, and incomplete credentials', async () => {
    const other = stranger.issue('other', 'clientAuth');
    expect(await fieldsOf(create(authority.ca, { cert: client.cert, key: other.key }))).to.deep.equal(['engine.tls']);
    expect(await fieldsOf(create(authority.ca, { cert: client.cert, key: '' }))).to.deep.equal(['engine.tls']);
    expect(await fieldsOf(create('-----BEGIN nothing', client))).to.deep.equal(['engine.tls']);
  });

  it('seals the key in the database, reseals it after rotation and cannot use it without the keys', async () => {
    try {
      const nodeId = await create(authority.ca, client);
      const first = await stored(nodeId);
      expect(first).to.match(/^sealed\./);
      await fixture.harness.stopReplica();
      const restart = async (environment: Record<string, string>) => {
        const address = await fixture.harness.startReplica(environment);
        return fixture.harness.clients(userActor(fixture.ownerId, ['*']), address);
      };
      const sealedAnew = async (before: string) => {
        await waitUntil('another seal', async () => {
          const now = await stored(nodeId);
          return now.startsWith('sealed.') && now !== before;
        });
        return stored(nodeId);
      };
      const ownKey = 'a-key-of-its-own-for-what-is-sealed-1';
      // SERVICE_SECRET as a second key opens earlier seals.
      let clients = await restart({ ENCRYPTION_KEYS: `${ownKey},${serviceSecret}` });
      await look(nodeId, Node_Status.ONLINE, clients);
      const second = await sealedAnew(first);
      await fixture.harness.stopReplica();
      clients = await restart({ ENCRYPTION_KEYS: `a-newer-key-for-what-is-to-be-sealed,${ownKey}` });
      await look(nodeId, Node_Status.ONLINE, clients);
      const third = await sealedAnew(second);
      const keyOf = (sealed: string) => sealed.split('.')[2];
      expect(new Set([first, second, third].map(keyOf)).size).to.equal(3);
      await fixture.harness.stopReplica();
      clients = await restart({});
      expect((await look(nodeId, Node_Status.OFFLINE, clients)).statusReason).to.include('ENCRYPTION_KEYS');
      expect(await stored(nodeId)).to.equal(third);
      expect(await clients.nodes.getNode({ nodeId }).then(({ node }) => node?.engine)).to.include({
        tlsKey: '',
        tls: true,
      });
    } finally {
      // Its clients use the stopped replica.
      await stopFixture();
      await startFixture();
    }
  });
});
