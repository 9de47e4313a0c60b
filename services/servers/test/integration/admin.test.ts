import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import {
  type EggSpec,
  ImportEggRequest_Format,
  PowerAction,
  PowerState,
  Server_Status,
  UpdateServerRequest,
} from '@panel/protos/servers';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { type Clients, userActor } from '../support/harness.js';
import { newUser } from '../support/fake-services.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import {
  allReasons,
  createFixture,
  fieldsOf,
  gameEgg,
  reasonOf,
  waitForServer,
  type Fixture,
} from '../support/fixture.js';

describe('server actions of staff and owners', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let admin: Clients;
  let owner: Clients;
  before(async () => {
    fixture = await createFixture({ ports: ['31000-31199'] });
    ({ admin, owner } = fixture);
  });
  after(() => fixture.stop());

  const status = (serverId: string, wanted: Server_Status) =>
    waitForServer(owner, serverId, (server) => server.status === wanted);
  const power = (serverId: string, action: PowerAction) => owner.console.sendPowerAction({ serverId, action });
  const running = async (changes: Parameters<Fixture['installed']>[0] = {}) => {
    const { id } = await fixture.installed(changes);
    await power(id, PowerAction.START);
    await status(id, Server_Status.RUNNING);
    return id;
  };
  const update = (serverId: string, changes: Partial<UpdateServerRequest>) =>
    admin.servers.updateServer(UpdateServerRequest.create({ serverId, ...changes }));
  const allocated = async () => (await admin.nodes.getNode({ nodeId: fixture.nodeId })).node?.allocated;
  const gone = async (serverId: string) => {
    const { getServer } = owner.servers;
    const isGone = async () => (await reasonOf(getServer({ serverId, asStaff: false }))) === 'SERVER_NOT_FOUND';
    await waitUntil('the server to be gone', isGone);
  };
  const freePort = async () => {
    const { allocations } = await admin.allocations.listAllocations({
      nodeId: fixture.nodeId,
      page: { page: 2, perPage: 100, sort: ['port'], search: '' },
    });
    return allocations.filter(({ serverId }) => serverId === '').map(({ id }) => id);
  };

  it('requires the permission of each action', async () => {
    const { id } = await fixture.installed({ skipScripts: true });
    const calls = (clients: Clients) => [
      clients.servers.updateServer(UpdateServerRequest.create({ serverId: id, name: 'mine' })),
      clients.servers.deleteServer({ serverId: id, force: false }),
      clients.servers.suspendServer({ serverId: id }),
      clients.servers.unsuspendServer({ serverId: id }),
    ];
    expect(await allReasons(calls(owner))).to.deep.equal(['PERMISSION_MISSING']);
    const viewer = fixture.harness.clients(userActor(randomUUID(), ['servers.view']), fixture.harness.address);
    const clientCalls = (clients: Clients) => [
      clients.servers.reinstallServer({ serverId: id }),
      clients.servers.renameServer({ serverId: id, name: 'x' }),
      clients.servers.updateStartup({ serverId: id, environment: {} }),
      clients.servers.addServerAllocation({ serverId: id }),
      clients.servers.updateServerAllocation({ serverId: id, allocationId: '', primary: false }),
      clients.servers.removeServerAllocation({ serverId: id, allocationId: '' }),
    ];
    expect(await allReasons(clientCalls(viewer))).to.deep.equal(['SERVER_FORBIDDEN']);
    const stranger = fixture.harness.clients(userActor(randomUUID()), fixture.harness.address);
    expect(await allReasons(clientCalls(stranger))).to.deep.equal(['SERVER_NOT_FOUND']);
    expect(await reasonOf(stranger.servers.getInstallLog({ serverId: id }))).to.equal('SERVER_NOT_FOUND');
  });

  describe('SuspendServer', () => {
    it('closes sockets, stops the game, refuses requests, and starts nothing on unsuspend', async () => {
      const id = await running();
      const watching = new ConsoleWatcher(owner, id);
      await watching.untilLine('ready to play');
      const { server } = await admin.servers.suspendServer({ serverId: id });
      expect(server).to.include({ status: Server_Status.SUSPENDED, suspended: true });
      await watching.until(({ isEnded }) => isEnded);
      expect(watching.endReason).to.equal('REASON_SUSPENDED');
      const open = async () => {
        for await (const _ of owner.console.watchServer({ serverId: id, historyLines: 0 })) return;
      };
      const refused = [
        power(id, PowerAction.START),
        power(id, PowerAction.KILL),
        owner.console.sendCommand({ serverId: id, command: 'x' }),
        owner.servers.grantFileAccess({ serverId: id, permission: 'file.read' }),
        owner.servers.renameServer({ serverId: id, name: 'x' }),
        owner.servers.updateStartup({ serverId: id, environment: {} }),
        owner.servers.reinstallServer({ serverId: id }),
        owner.servers.addServerAllocation({ serverId: id }),
        open(),
      ];
      expect(await allReasons(refused)).to.deep.equal(['SERVER_SUSPENDED']);
      const stateOf = async () => (await owner.console.getResources({ serverId: id })).resources?.state;
      await waitUntil('the end of the game', async () => (await stateOf()) === PowerState.OFFLINE);
      await admin.servers.unsuspendServer({ serverId: id });
      await status(id, Server_Status.OFFLINE);
      await power(id, PowerAction.START);
      await status(id, Server_Status.RUNNING);
    });

    it('suspends once under repetition and concurrency', async () => {
      const id = await running();
      const results = await Promise.all(
        Array.from({ length: 10 }, () => reasonOf(admin.servers.suspendServer({ serverId: id }))),
      );
      expect(new Set(results)).to.deep.equal(new Set(['none']));
      await Promise.all(Array.from({ length: 10 }, () => admin.servers.unsuspendServer({ serverId: id })));
      await status(id, Server_Status.OFFLINE);
      expect(await reasonOf(admin.servers.suspendServer({ serverId: randomUUID() }))).to.equal('SERVER_NOT_FOUND');
    });

    it('leaves a starting server suspended and stopped', async () => {
      const { id } = await fixture.installed();
      await power(id, PowerAction.START);
      await admin.servers.suspendServer({ serverId: id });
      await admin.servers.unsuspendServer({ serverId: id });
      await status(id, Server_Status.OFFLINE);
      expect((await owner.console.getResources({ serverId: id })).resources?.uptimeMs).to.equal(0);
    });

    it('keeps the state of a failed installation', async () => {
      const failing = await createFixture({
        egg: { ...gameEgg, scripts: { installation: { script: 'exit 1', container: 'a', entrypoint: 'sh' } } },
      });
      try {
        const { id } = await failing.installed();
        await failing.admin.servers.suspendServer({ serverId: id });
        const { server } = await failing.admin.servers.unsuspendServer({ serverId: id });
        expect(server?.status).to.equal(Server_Status.INSTALL_FAILED);
      } finally {
        await failing.stop();
      }
    });
  });

  describe('DeleteServer', () => {
    it('removes the game, files, reservation, allocations and record', async () => {
      const before = await allocated();
      const id = await running();
      const directory = path.join(fixture.harness.filesDirectory, 'servers', id);
      expect(existsSync(directory)).to.equal(true);
      const watching = new ConsoleWatcher(owner, id);
      await watching.untilLine('ready to play');
      await admin.servers.deleteServer({ serverId: id, force: false });
      await gone(id);
      await watching.until(({ isEnded }) => isEnded);
      expect(watching.endReason).to.equal('REASON_DELETED');
      expect(existsSync(directory)).to.equal(false);
      expect(await allocated()).to.deep.equal(before);
      expect(await reasonOf(admin.servers.deleteServer({ serverId: id, force: false }))).to.equal('SERVER_NOT_FOUND');
    });

    it('completes while an installation hangs', async () => {
      const slow = await admin.eggs.importEgg({
        content: eggBytes({ scripts: { installation: { script: 'sleep 600', container: 'a', entrypoint: 'sh' } } }),
        format: ImportEggRequest_Format.JSON,
        nestId: '',
      });
      const { id } = await fixture.createServer({ eggId: slow.egg?.id ?? '' });
      await waitForServer(
        owner,
        id,
        ({ operation }) => operation?.step === 'run_script' || (operation?.progressPercent ?? 0) >= 20,
      );
      await admin.servers.deleteServer({ serverId: id, force: false });
      await gone(id);
    });

    it('waits for an unavailable node and skips it when forced', async () => {
      const id = await running();
      fixture.harness.fakes.filesAreDown = true;
      try {
        await admin.servers.deleteServer({ serverId: id, force: false });
        const waiting = await waitForServer(owner, id, ({ operation }) => operation?.problem !== undefined);
        expect(waiting.status).to.equal(Server_Status.DELETING);
        expect(waiting.operation?.step).to.equal('stop');
        expect(waiting.operation?.problem).to.include('can be taken back');
        expect(await reasonOf(power(id, PowerAction.START))).to.equal('SERVER_LOCKED');
        await admin.servers.deleteServer({ serverId: id, force: true });
        await gone(id);
      } finally {
        fixture.harness.fakes.filesAreDown = false;
      }
    });

    it('deletes once for 50 concurrent requests', async () => {
      const { id } = await fixture.installed({ skipScripts: true });
      const results = await Promise.all(
        Array.from({ length: 50 }, () => reasonOf(admin.servers.deleteServer({ serverId: id, force: false }))),
      );
      for (const result of results) expect(['none', 'SERVER_NOT_FOUND']).to.include(result);
      await gone(id);
    });
  });

  describe('ReinstallServer', () => {
    it('stops the game, runs the script over the existing files and stores its output', async () => {
      const id = await running();
      const watching = new ConsoleWatcher(owner, id);
      await watching.untilLine('ready to play');
      const { server } = await owner.servers.reinstallServer({ serverId: id });
      expect(server?.status).to.equal(Server_Status.REINSTALLING);
      expect(await reasonOf(owner.servers.reinstallServer({ serverId: id }))).to.equal('SERVER_LOCKED');
      await status(id, Server_Status.OFFLINE);
      await watching.until(({ installLines }) => installLines.includes('installed'));
      expect(watching.lines).to.include('bye');
      const { lines } = await owner.servers.getInstallLog({ serverId: id });
      expect(lines.map(({ text }) => text)).to.include.members(['installing hello', 'installed']);
      await watching.stop();
    });

    it('applies the current egg, which nothing else does', async () => {
      const imported = await admin.eggs.importEgg({
        content: eggBytes(gameEgg),
        format: ImportEggRequest_Format.JSON,
        nestId: '',
      });
      const egg = imported.egg as { id: string; spec: EggSpec };
      const { id } = await fixture.installed({ eggId: egg.id });
      const spec = {
        ...egg.spec,
        name: 'Changed',
        startup: 'sh game.sh # new',
        dockerImages: [{ label: 'New', image: 'new:1' }],
      };
      const updateFields = ['name', 'startup', 'docker_images'];
      await admin.eggs.updateEgg({ eggId: egg.id, spec, updateFields, nestId: '' });
      const { server: unchanged } = await owner.servers.getServer({ serverId: id, asStaff: false });
      expect(unchanged).to.include({ startup: 'sh game.sh', dockerImage: 'debian:bookworm' });
      expect(unchanged?.egg?.name).to.equal('Echo');
      await owner.servers.reinstallServer({ serverId: id });
      const changed = await waitForServer(owner, id, ({ operation }) => !operation);
      expect(changed).to.include({ startup: 'sh game.sh # new', dockerImage: 'new:1' });
      expect(changed.egg?.name).to.equal('Changed');
    });
  });

  describe('UpdateServer', () => {
    it('changes only the given fields', async () => {
      const created = await fixture.installed({ skipScripts: true });
      const userId = newUser(fixture.harness.fakes);
      const { server } = await update(created.id, {
        name: 'Other',
        userId,
        externalId: 'ext-1',
        environment: { GREETING: 'hi' },
      });
      expect(server).to.include({ name: 'Other', userId, externalId: 'ext-1', description: created.description });
      expect(server?.variables.map(({ serverValue }) => serverValue)).to.deep.equal(['hi']);
      expect(server?.limits).to.deep.equal(created.limits);
      expect(await reasonOf(owner.servers.getServer({ serverId: created.id, asStaff: false }))).to.equal(
        'SERVER_NOT_FOUND',
      );
      const { server: cleared } = await update(created.id, { externalId: '' });
      expect(cleared?.externalId).to.equal('');
    });

    const bad: readonly (readonly [string, Partial<UpdateServerRequest>, string[]])[] = [
      ['little memory', { limits: { memoryMb: 64 } }, ['memory']],
      ['an unknown owner', { userId: randomUUID() }, ['user_id']],
      ['another egg without reinstallation', { eggId: randomUUID() }, ['egg_id']],
      ['an unknown egg', { eggId: randomUUID(), reinstall: true }, ['egg_id']],
      ['a value against its rules', { environment: { GREETING: '' } }, ['environment.GREETING']],
      ['an unknown variable', { environment: { NOPE: '1' } }, ['environment.NOPE']],
      ['an image that is none', { dockerImage: '../x' }, ['docker_image']],
      ['a primary allocation that is not its own', { allocationId: randomUUID() }, ['allocation_id']],
      ['to remove what it has not', { removeAllocationIds: [randomUUID()] }, ['remove_allocation_ids']],
    ];
    for (const [name, changes, fields] of bad) {
      it(`refuses ${name}`, async () => {
        const { id } = await fixture.installed({ skipScripts: true });
        expect(await fieldsOf(update(id, changes))).to.deep.equal(fields);
      });
    }

    it('ends the console streams of the previous owner', async () => {
      const id = await running();
      const watching = new ConsoleWatcher(owner, id);
      await watching.untilLine('ready to play');
      await update(id, { userId: newUser(fixture.harness.fakes) });
      await watching.until(({ isEnded }) => isEnded, 5_000);
      expect(watching.endReason).to.equal('REASON_FORBIDDEN');
    });

    it('never exceeds the capacity of a node and releases unused capacity', async () => {
      const small = await createFixture({ memoryMb: 1000, ports: ['32000-32009'] });
      try {
        const servers = [await small.installed({ skipScripts: true }), await small.installed({ skipScripts: true })];
        const grow = (id: string, memoryMb: number) =>
          reasonOf(
            small.admin.servers.updateServer(UpdateServerRequest.create({ serverId: id, limits: { memoryMb } })),
          );
        const results = await Promise.all(servers.map(({ id }) => grow(id, 600)));
        expect(results.toSorted()).to.deep.equal(['NODE_CAPACITY', 'none']);
        const used = async () => (await small.admin.nodes.getNode({ nodeId: small.nodeId })).node?.allocated?.memoryMb;
        expect(await used()).to.equal(728);
        for (const { id } of servers) expect(await grow(id, 200)).to.equal('none');
        expect(await used()).to.equal(400);
      } finally {
        await small.stop();
      }
    });

    it('moves allocations and reports when a restart is needed', async () => {
      const id = await running();
      const [first = '', second = ''] = await freePort();
      const { server, restartNeeded } = await update(id, { addAllocationIds: [first, second], allocationId: first });
      expect(restartNeeded).to.equal(true);
      expect(server?.allocation?.id).to.equal(first);
      expect(server?.allocations).to.have.length(3);
      const old = server?.allocations.map((one) => one.id).find((one) => one !== first && one !== second) ?? '';
      await update(id, { removeAllocationIds: [old] });
      expect(await freePort().then((free) => free.includes(first))).to.equal(false);
      const other = await fixture.installed({ skipScripts: true });
      expect(await reasonOf(update(other.id, { addAllocationIds: [first] }))).to.equal('ALLOCATION_TAKEN');
      expect(await fieldsOf(update(id, { removeAllocationIds: [first] }))).to.deep.equal(['remove_allocation_ids']);
    });
  });

  it('writes the configuration files of the egg before each start and reports failures', async () => {
    const files = {
      'server.properties': {
        parser: 'properties',
        find: {
          'server-port': '{{server.build.default.port}}',
          motd: '{{env.GREETING}} {{config.token}}{{env.JWT_SECRET}}',
        },
      },
      'broken.yml': {
        parser: 'yaml',
        find: { 'a.b': { '127.0.0.1': '{{server.build.default.ip}}', 'regex:^x$': 'y' } },
      },
      '{{GREETING}}.txt': { parser: 'file', find: { a: 1 } },
    };
    const content = eggBytes({
      ...gameEgg,
      config: { files: JSON.stringify(files), startup: '{"done":"ready"}', logs: '{}', stop: 'stop' },
    });
    const { egg } = await admin.eggs.importEgg({ content, format: ImportEggRequest_Format.JSON, nestId: '' });
    const { id, allocation } = await fixture.installed({ eggId: egg?.id ?? '', environment: { GREETING: '../../up' } });
    const watching = new ConsoleWatcher(owner, id);
    await watching.until(({ states }) => states.length > 0);
    await power(id, PowerAction.START);
    await status(id, Server_Status.RUNNING);
    const asked = fixture.harness.fakes.rewrites.find(({ serverId }) => serverId === id);
    expect(asked?.files.map(({ path: file }) => file)).to.deep.equal(['/server.properties', '/broken.yml']);
    expect(asked?.files[0]?.replacements.map(({ value }) => value?.value)).to.deep.equal([
      String(allocation?.port),
      '../../up {{config.token}}',
    ]);
    expect(asked?.files[1]?.replacements.map(({ condition }) => condition)).to.deep.equal([
      { match: '127.0.0.1', isRegex: false },
      { match: '^x$', isRegex: true },
    ]);
    await watching.until(({ lines }) => lines.some((line) => line.includes('/broken.yml: cannot be read')));
    expect(watching.lines.some((line) => line.includes('leads out of the server'))).to.equal(true);
    await watching.stop();
  });
});
