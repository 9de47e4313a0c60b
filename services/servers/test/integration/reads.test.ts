import type { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import {
  ListServersRequest,
  ListServersRequest_Scope,
  type ListServersResponse,
  Server,
  UpdateServerRequest,
} from '@panel/protos/servers';
import { type Clients, userActor } from '../support/harness.js';
import { newUser } from '../support/fake-services.js';
import { createFixture, reasonOf, type Fixture } from '../support/fixture.js';

describe('read consistency of servers', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let there: Clients;
  let serverId: string;
  before(async () => {
    fixture = await createFixture();
    const address = await fixture.harness.startReplica();
    there = fixture.harness.clients(userActor(fixture.ownerId), address);
    serverId = (await fixture.installed({ skipScripts: true })).id;
  });
  after(() => fixture.stop());

  const shown = async (clients: Clients) => (await clients.servers.getServer({ serverId, asStaff: false })).server;
  const listed = async (clients: Clients) => {
    const scope = ListServersRequest_Scope.OWN;
    const [{ servers }, { listed: encoded }] = await Promise.all(
      [false, true].map(async (sharesVariables) =>
        clients.servers.listServers(ListServersRequest.create({ scope, sharesVariables })),
      ) as [Promise<ListServersResponse>, Promise<ListServersResponse>],
    );
    const isThis = ({ id }: Server) => id === serverId;
    const found = servers.find(isThis);
    // The shared encoding is equal.
    const decoded = encoded.map(({ server }) => Server.decode(server)).find(isThis);
    expect(decoded && { ...decoded, variables: [], variableValues: [] }).to.deep.equal(
      found && { ...found, variables: [] },
    );
    return found;
  };

  it('shows every change to the next read at the same replica', async () => {
    for (let round = 0; round < 20; round++) {
      const name = `round ${round}`;
      await Promise.all([shown(fixture.owner), listed(fixture.owner)]);
      await fixture.owner.servers.renameServer({ serverId, name });
      expect((await shown(fixture.owner))?.name).to.equal(name);
      expect((await listed(fixture.owner))?.name).to.equal(name);
    }
  });

  it('says what is missing from a list without a scope, and refuses filters of all servers for own ones', async () => {
    const { UNSPECIFIED, OWN, ALL } = ListServersRequest_Scope;
    const fieldsOf = async (request: Partial<ListServersRequest>) =>
      fixture.admin.servers.listServers(ListServersRequest.create(request)).then(
        () => null,
        (error: AppError) => error.metadata['fields'],
      );
    const missing = { scope: ['must be SCOPE_OWN (servers of the actor) or SCOPE_ALL (all, for staff)'] };
    expect(await fieldsOf({ scope: UNSPECIFIED })).to.deep.equal(missing);
    const wrong = { scope: ['must be SCOPE_ALL with user_id, node_id, egg_id or external_id'] };
    expect(await fieldsOf({ scope: OWN, nodeId: 'a' })).to.deep.equal(wrong);
    expect(await fieldsOf({ scope: ALL, nodeId: 'a' })).to.equal(null);
  });

  it('shows changed notes and a suspension to the next read', async () => {
    const { allocation } = (await shown(fixture.owner)) ?? {};
    await fixture.owner.servers.updateServerAllocation({
      serverId,
      allocationId: allocation?.id ?? '',
      notes: 'the main one',
      primary: false,
    });
    expect((await shown(fixture.owner))?.allocation?.notes).to.equal('the main one');
    await fixture.admin.servers.suspendServer({ serverId });
    expect((await shown(fixture.owner))?.suspended).to.equal(true);
    await fixture.admin.servers.unsuspendServer({ serverId });
    expect((await shown(fixture.owner))?.suspended).to.equal(false);
  });

  it('names what a list has encoded anew with each change, and as before while there is none', async () => {
    const digest = async (clients: Clients) => {
      const { listed } = await clients.servers.listServers(
        ListServersRequest.create({ scope: ListServersRequest_Scope.OWN, sharesVariables: true }),
      );
      return listed.find(({ server }) => Server.decode(server).id === serverId)?.digest ?? '';
    };
    const seen = new Set<string>();
    for (const name of ['once', 'twice', 'three times']) {
      await fixture.owner.servers.renameServer({ serverId, name });
      const [here, again, elsewhere] = [await digest(fixture.owner), await digest(fixture.owner), await digest(there)];
      expect([again, elsewhere]).to.deep.equal([here, here]);
      seen.add(here);
    }
    expect(seen.size).to.equal(3);
    expect(seen).not.to.include(await digest(fixture.admin));
  });

  it('shows a change of another replica to the next read', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `elsewhere ${round}`;
      await shown(there);
      await fixture.owner.servers.renameServer({ serverId, name });
      expect((await shown(there))?.name).to.equal(name);
      expect((await listed(there))?.name).to.equal(name);
    }
  });

  it('hides a server from its previous owner at every replica once the change is answered', async () => {
    const others = newUser(fixture.harness.fakes);
    const over = new AbortController();
    // Reads during the change of owner.
    const reading = (async () => {
      while (!over.signal.aborted) await reasonOf(there.servers.getServer({ serverId, asStaff: false }));
    })();
    for (const userId of [others, fixture.ownerId, others]) {
      await fixture.admin.servers.updateServer(UpdateServerRequest.create({ serverId, userId }));
      const wanted = userId === fixture.ownerId ? 'none' : 'SERVER_NOT_FOUND';
      const reads = [fixture.owner, there].map(({ servers }) =>
        reasonOf(servers.getServer({ serverId, asStaff: false })),
      );
      expect(await Promise.all(reads)).to.deep.equal([wanted, wanted]);
    }
    over.abort();
    await reading;
  });
});
