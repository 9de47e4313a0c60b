import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ImportEggRequest_Format, Server_Status, UpdateServerRequest } from '@panel/protos/servers';
import { eggBytes } from '../domain/eggs/egg-file.js';
import type { Clients } from '../support/harness.js';
import { createFixture, fieldsOf, gameEgg, reasonOf, waitForServer, type Fixture } from '../support/fixture.js';

describe('UpdateServer by staff', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let admin: Clients;
  before(async () => {
    fixture = await createFixture({ ports: ['31000-31099'] });
    ({ admin } = fixture);
  });
  after(() => fixture.stop());

  const status = (serverId: string, wanted: Server_Status) =>
    waitForServer(fixture.owner, serverId, (server) => server.status === wanted);
  const update = (serverId: string, changes: Partial<UpdateServerRequest>) =>
    admin.servers.updateServer(UpdateServerRequest.create({ serverId, ...changes }));

  it('changes nothing when the requested reinstallation cannot start', async () => {
    const { id } = await fixture.installed({ skipScripts: true });
    await admin.servers.suspendServer({ serverId: id });
    const changes = { name: 'Changed', limits: { memoryMb: 256 }, reinstall: true };
    expect(await reasonOf(update(id, changes))).to.equal('SERVER_SUSPENDED');
    const { server } = await admin.servers.getServer({ serverId: id, asStaff: true });
    expect([server?.name, server?.limits?.memoryMb]).to.deep.equal(['a game', 128]);
  });

  it('changes the egg together with its values, image and startup command', async () => {
    const { egg } = await admin.eggs.importEgg({
      content: eggBytes({
        ...gameEgg,
        uuid: undefined,
        variables: [
          { name: 'Map', env_variable: 'MAP', default_value: '', rules: 'required|in:hills,sea' },
          { name: 'Greeting', env_variable: 'GREETING', default_value: 'x', rules: 'required|max:3' },
        ].map((one) => ({ description: '', user_viewable: true, user_editable: true, ...one })),
      }),
      format: ImportEggRequest_Format.JSON,
      nestId: '',
    });
    const eggId = egg?.id ?? '';
    const { id } = await fixture.installed({ skipScripts: true, environment: { GREETING: 'hello' } });
    const change = { eggId, reinstall: true, skipScripts: true };
    expect(await fieldsOf(update(id, change))).to.deep.equal(['environment.GREETING', 'environment.MAP']);
    expect(await fieldsOf(update(id, { ...change, environment: { GREETING: 'hi', MAP: 'moon' } }))).to.deep.equal([
      'environment.MAP',
    ]);
    const environment = { GREETING: 'hi', MAP: 'sea' };
    await update(id, { ...change, environment, dockerImage: 'busybox:own', startup: 'sh own.sh' });
    await status(id, Server_Status.OFFLINE);
    const { server } = await admin.servers.getServer({ serverId: id, asStaff: true });
    expect(server).to.include({ dockerImage: 'busybox:own', startup: 'sh own.sh' });
    expect(server?.egg?.id).to.equal(eggId);
    const values = server?.variables.map(({ envVariable, serverValue }) => [envVariable, serverValue]);
    expect(Object.fromEntries(values ?? [])).to.deep.equal(environment);
  });

  it('names the insufficient resource of the node', async () => {
    const small = await createFixture({ memoryMb: 100_000, ports: ['32000-32009'] });
    try {
      const { id } = await small.installed({ skipScripts: true });
      await small.admin.nodes.updateNode({
        nodeId: small.nodeId,
        cpuPercent: 100,
        tags: undefined,
        emulatedPlatforms: undefined,
        engine: undefined,
      });
      const grow = UpdateServerRequest.create({ serverId: id, limits: { cpuPercent: 101 } });
      const refused = await small.admin.servers.updateServer(grow).catch((error: unknown) => error);
      expect(refused).to.have.property('reason', 'NODE_CAPACITY');
      expect(refused).to.have.nested.property('metadata.resource', 'cpu');
    } finally {
      await small.stop();
    }
  });

  it('refuses an allocation of another node', async () => {
    const { id } = await fixture.installed({ skipScripts: true });
    expect(await fieldsOf(update(id, { addAllocationIds: [randomUUID()] }))).to.deep.equal(['add_allocation_ids']);
  });

  it('reserves exactly the new limits under concurrent updates', async () => {
    const small = await createFixture({ memoryMb: 1500, ports: ['32000-32009'] });
    try {
      const ids = [await small.installed({ skipScripts: true }), await small.installed({ skipScripts: true })].map(
        ({ id }) => id,
      );
      const memoryOf = async (id: string) =>
        (await small.admin.servers.getServer({ serverId: id, asStaff: true })).server?.limits?.memoryMb ?? 0;
      for (let round = 0; round < 8; round++) {
        const change = async (index: number) => {
          const memoryMb = [128, 300, 700, 1000, 1300][(index * 7 + round * 3) % 5] ?? 128;
          const serverId = ids[index % 2] ?? '';
          const request = UpdateServerRequest.create({ serverId, limits: { memoryMb } });
          return reasonOf(small.admin.servers.updateServer(request));
        };
        const reasons = new Set(await Promise.all(Array.from({ length: 20 }, async (_, index) => change(index))));
        // On a busy machine the last changes may time out.
        expect(['none', 'NODE_CAPACITY', 'SERVER_CHANGED']).to.include.members([...reasons]);
        const [one = 0, other = 0] = await Promise.all(ids.map(memoryOf));
        const { node } = await small.admin.nodes.getNode({ nodeId: small.nodeId });
        expect([node?.allocated?.memoryMb, one + other <= 1500]).to.deep.equal([one + other, true]);
      }
    } finally {
      await small.stop();
    }
  });
});
