import { randomUUID } from 'node:crypto';
import { quickestMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { EggSpec, ImportEggRequest_Format, PowerAction, Server_Status } from '@panel/protos/servers';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { type Clients } from '../support/harness.js';
import { newUser } from '../support/fake-services.js';
import { createFixture, fieldsOf, gameEgg, reasonOf, waitForServer, type Fixture } from '../support/fixture.js';

describe('server changes by the owner', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let admin: Clients;
  let owner: Clients;
  before(async () => {
    fixture = await createFixture({ ports: ['31300-31499'] });
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

  it('renames the server', async () => {
    const { id } = await fixture.installed({ skipScripts: true });
    const { server } = await owner.servers.renameServer({ serverId: id, name: ' New name ', description: 'words' });
    expect(server).to.include({ name: 'New name', description: 'words' });
    expect(await fieldsOf(owner.servers.renameServer({ serverId: id, name: '' }))).to.deep.equal(['name']);
  });

  it('sets editable variables and chooses among the offered images', async () => {
    const variables = [
      {
        name: 'Open',
        env_variable: 'OPEN',
        default_value: 'a',
        user_viewable: true,
        user_editable: true,
        rules: 'string|max:3',
      },
      {
        name: 'Fixed',
        env_variable: 'FIXED',
        default_value: 'b',
        user_viewable: true,
        user_editable: false,
        rules: 'string',
      },
      {
        name: 'Hidden',
        env_variable: 'HIDDEN',
        default_value: 'secret',
        user_viewable: false,
        user_editable: true,
        rules: 'string',
      },
    ];
    const content = eggBytes({ ...gameEgg, variables, startup: 'run {{OPEN}} {{HIDDEN}}' });
    const { egg } = await admin.eggs.importEgg({ content, format: ImportEggRequest_Format.JSON, nestId: '' });
    const { id } = await fixture.installed({ eggId: egg?.id ?? '', skipScripts: true });
    const set = (environment: Record<string, string>, dockerImage?: string) =>
      owner.servers.updateStartup({ serverId: id, environment, dockerImage });
    const { server } = await set({ OPEN: 'xyz' }, 'ghcr.io/example/other:1');
    expect(server).to.include({ dockerImage: 'ghcr.io/example/other:1', invocation: 'run xyz [hidden]' });
    expect(server?.variables.map(({ envVariable }) => envVariable)).to.deep.equal(['OPEN', 'FIXED']);
    expect(JSON.stringify(server)).not.to.include('secret');
    expect(await fieldsOf(set({ OPEN: 'long' }))).to.deep.equal(['environment.OPEN']);
    expect(await fieldsOf(set({ FIXED: 'x', HIDDEN: 'x' }))).to.deep.equal(['environment.FIXED', 'environment.HIDDEN']);
    expect(await fieldsOf(set({}, 'evil:1'))).to.deep.equal(['docker_image']);
  });

  it('chooses among the offered startup commands and keeps the choice over egg changes', async () => {
    const startup_commands = { Default: 'run', Debug: 'run -v {{GREETING}}' };
    const content = eggBytes({ ...gameEgg, meta: { version: 'PLCN_v3' }, startup: undefined, startup_commands });
    const { egg } = await admin.eggs.importEgg({ content, format: ImportEggRequest_Format.JSON, nestId: '' });
    const eggId = egg?.id ?? '';
    const { id } = await fixture.installed({ eggId, skipScripts: true });
    const choose = (startupCommand: string) =>
      owner.servers.updateStartup({ serverId: id, environment: {}, startupCommand });
    const { server: before } = await owner.servers.getServer({ serverId: id, asStaff: false });
    expect(before?.startup).to.equal('run');
    expect(before?.startupCommands.map(({ label }) => label)).to.deep.equal(['Default', 'Debug']);
    expect(await fieldsOf(choose('rm -rf /'))).to.deep.equal(['startup_command']);
    const { server } = await choose('Debug');
    expect(server).to.include({ startup: 'run -v {{GREETING}}', invocation: 'run -v hello' });
    const commands = [
      { label: 'Default', command: 'run' },
      { label: 'Debug', command: 'run -vv' },
    ];
    const spec = EggSpec.create({ startupCommands: commands });
    await admin.eggs.updateEgg({ eggId, nestId: '', spec, updateFields: ['startup_commands'] });
    await owner.servers.reinstallServer({ serverId: id });
    const after = await waitForServer(owner, id, ({ operation }) => operation === undefined);
    expect(after.startup).to.equal('run -vv');
  });

  it('adds allocations up to the limit under 50 concurrent requests and removes them', async () => {
    const { id } = await fixture.installed({
      skipScripts: true,
      featureLimits: { databases: 0, backups: 0, allocations: 4 },
    });
    const results = await Promise.all(
      Array.from({ length: 50 }, () => reasonOf(owner.servers.addServerAllocation({ serverId: id }))),
    );
    expect(results.filter((result) => result === 'none')).to.have.length(3);
    expect(new Set(results)).to.deep.equal(new Set(['none', 'ALLOCATION_LIMIT']));
    const { server } = await owner.servers.getServer({ serverId: id, asStaff: false });
    expect(server?.allocations).to.have.length(4);
    const { allocations } = await admin.allocations.listAllocations({
      nodeId: fixture.nodeId,
      page: { page: 1, perPage: 100, sort: [], search: '' },
    });
    const more = await admin.allocations.listAllocations({
      nodeId: fixture.nodeId,
      page: { page: 2, perPage: 100, sort: [], search: '' },
    });
    expect([...allocations, ...more.allocations].filter(({ serverId }) => serverId === id)).to.have.length(4);
    const [, second] = server?.allocations ?? [];
    const allocationId = second?.id ?? '';
    const change = (changes: { notes?: string; primary: boolean }) =>
      owner.servers.updateServerAllocation({ serverId: id, allocationId, ...changes });
    expect((await change({ notes: 'query port', primary: true })).allocation?.notes).to.equal('query port');
    expect(await reasonOf(owner.servers.removeServerAllocation({ serverId: id, allocationId }))).to.equal(
      'ALLOCATION_PRIMARY',
    );
    const first = server?.allocation?.id ?? '';
    await owner.servers.removeServerAllocation({ serverId: id, allocationId: first });
    expect(await reasonOf(owner.servers.removeServerAllocation({ serverId: id, allocationId: first }))).to.equal(
      'ALLOCATION_NOT_FOUND',
    );
    expect(await reasonOf(owner.servers.addServerAllocation({ serverId: id }))).to.equal('none');
  });

  it('returns the resources of many own servers and of no other', async () => {
    const mine = [await running(), (await fixture.installed({ skipScripts: true })).id];
    const foreign = await fixture
      .installed({ skipScripts: true, userId: newUser(fixture.harness.fakes) })
      .catch(() => null);
    const serverIds = [...mine, foreign?.id ?? randomUUID(), randomUUID(), 'x'];
    const ask = async () => owner.console.batchGetResources({ serverIds });
    expect(await quickestMs(ask)).to.be.below(1_500);
    const { resourcesByServerId } = await ask();
    expect(Object.keys(resourcesByServerId).toSorted()).to.deep.equal(mine.toSorted());
    expect(resourcesByServerId[mine[0] ?? '']?.memoryBytes).to.be.greaterThan(0);
  });
});
