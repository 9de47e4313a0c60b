import { expect } from 'chai';
import { ListServersRequest, ListServersRequest_Scope, UpdateServerRequest } from '@panel/protos/servers';
import { type Clients, userActor } from '../support/harness.js';
import { newUser } from '../support/neighbours.js';
import { createWorld, reasonOf, type World } from '../support/world.js';

describe('reads of servers', function () {
  this.timeout(60_000);
  let world: World;
  let there: Clients;
  let serverId: string;
  before(async () => {
    world = await createWorld();
    const address = await world.harness.startReplica();
    there = world.harness.clients(userActor(world.ownerId), address);
    serverId = (await world.installed({ skipScripts: true })).id;
  });
  after(() => world.stop());

  const shown = async (clients: Clients) => (await clients.servers.getServer({ serverId, asStaff: false })).server;
  const listed = async (clients: Clients) => {
    const { servers } = await clients.servers.listServers(
      ListServersRequest.create({ scope: ListServersRequest_Scope.OWN }),
    );
    return servers.find(({ id }) => id === serverId);
  };

  it('show every change to the next reader at the same replica', async () => {
    for (let round = 0; round < 20; round++) {
      const name = `round ${round}`;
      await Promise.all([shown(world.owner), listed(world.owner)]);
      await world.owner.servers.renameServer({ serverId, name });
      expect((await shown(world.owner))?.name).to.equal(name);
      expect((await listed(world.owner))?.name).to.equal(name);
    }
  });

  it('show changed notes and a suspension to the next reader', async () => {
    const { allocation } = (await shown(world.owner)) ?? {};
    await world.owner.servers.updateServerAllocation({
      serverId,
      allocationId: allocation?.id ?? '',
      notes: 'the main one',
      primary: false,
    });
    expect((await shown(world.owner))?.allocation?.notes).to.equal('the main one');
    await world.admin.servers.suspendServer({ serverId });
    expect((await shown(world.owner))?.suspended).to.equal(true);
    await world.admin.servers.unsuspendServer({ serverId });
    expect((await shown(world.owner))?.suspended).to.equal(false);
  });

  it('show a change of another replica to the next reader', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `elsewhere ${round}`;
      await shown(there);
      await world.owner.servers.renameServer({ serverId, name });
      expect((await shown(there))?.name).to.equal(name);
      expect((await listed(there))?.name).to.equal(name);
    }
  });

  it('never show a server to its previous owner at any replica once the change of owner is answered', async () => {
    const others = newUser(world.harness.neighbours);
    const over = new AbortController();
    // Reads that are in progress when the owner changes.
    const reading = (async () => {
      while (!over.signal.aborted) await reasonOf(there.servers.getServer({ serverId, asStaff: false }));
    })();
    for (const userId of [others, world.ownerId, others]) {
      await world.admin.servers.updateServer(UpdateServerRequest.create({ serverId, userId }));
      const wanted = userId === world.ownerId ? 'none' : 'SERVER_NOT_FOUND';
      const reads = [world.owner, there].map(({ servers }) =>
        reasonOf(servers.getServer({ serverId, asStaff: false })),
      );
      expect(await Promise.all(reads)).to.deep.equal([wanted, wanted]);
    }
    over.abort();
    await reading;
  });
});
