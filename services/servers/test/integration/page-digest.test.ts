import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import {
  ListServersRequest,
  ListServersRequest_Scope,
  type ListServersResponse,
  PowerAction,
  Server,
  Server_Status,
} from '@panel/protos/servers';
import { type Clients, userActor } from '../support/harness.js';
import { newAccount, newUser } from '../support/fake-services.js';
import { createFixture, type Fixture, reasonOf, waitForServer } from '../support/fixture.js';

const perPage = 2;

/** In a page of up to two servers. */
async function readPage(clients: Clients, changes: Partial<ListServersRequest> = {}, page = 1, sort = '') {
  const request = ListServersRequest.create({
    scope: ListServersRequest_Scope.OWN,
    page: { page, perPage, sort: sort === '' ? [] : [sort], search: '' },
    sharesVariables: true,
    ...changes,
  });
  return clients.servers.listServers(request);
}

function serversOf({ listed }: ListServersResponse): Server[] {
  return listed.map(({ server }) => Server.decode(server));
}

describe('digest of a page of servers', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let there: string;
  let ownerId: string;
  let owner: Clients;
  let serverId: string;
  let movedMs = 0;
  const clock = () => new Date(Date.now() + movedMs);
  before(async () => {
    // A check of the node would refresh its health.
    const environment = { RECONCILE_INTERVAL: '1h', INVITATION_CHECK_INTERVAL: '1h', INVITATION_LIMIT: '1000' };
    fixture = await createFixture({ environment, overrides: { clock } });
    there = await fixture.harness.startReplica(environment, { clock });
  });
  after(() => fixture.stop());
  beforeEach(async () => {
    movedMs = 0;
    ownerId = newUser(fixture.harness.fakes);
    owner = as(ownerId);
    serverId = await create('one');
  });

  const as = (userId: string, address = fixture.harness.address) => fixture.harness.clients(userActor(userId), address);
  const create = async (name: string, changes = {}): Promise<string> => {
    const { id } = await fixture.createServer({ userId: ownerId, skipScripts: true, name, ...changes });
    await waitForServer(owner, id, ({ operation }) => operation === undefined);
    return id;
  };
  const invite = async (permissions: string[], expireTime?: Date) => {
    const { id: userId, email } = newAccount(fixture.harness.fakes, `user${Math.random()}`);
    const request = { serverId, email, permissions, roleId: '', pathRules: [], expireTime };
    const { subuser } = await owner.subusers.createSubuser(request);
    return { clients: as(userId), subuserId: subuser?.id ?? '' };
  };

  /** The page after a change, for a caller who names the page before it. */
  const pageAfter = async (clients: Clients, change: () => Promise<unknown>): Promise<Server[]> => {
    const before = await readPage(clients);
    const same = await readPage(clients, { knownDigest: before.digest });
    expect(same, 'unchanged').to.deep.equal({ ...before, listed: [], variables: [] });
    await change();
    const after = await readPage(clients, { knownDigest: before.digest });
    expect(after.digest, 'changed').not.to.equal(before.digest);
    expect(after).to.deep.equal(await readPage(clients));
    return serversOf(after);
  };

  it('changes with the name of a server', async () => {
    const [server] = await pageAfter(owner, () => owner.servers.renameServer({ serverId, name: 'renamed' }));
    expect(server?.name).to.equal('renamed');
  });

  it('changes with the status of a server', async () => {
    const [server] = await pageAfter(owner, () => fixture.admin.servers.suspendServer({ serverId }));
    expect(server?.status).to.equal(Server_Status.SUSPENDED);
  });

  it('changes when the health of the node of a running server expires', async () => {
    serverId = await create('running', { skipScripts: false });
    await owner.console.sendPowerAction({ serverId, action: PowerAction.START });
    await waitForServer(owner, serverId, ({ status }) => status === Server_Status.RUNNING);
    const servers = await pageAfter(owner, async () => {
      movedMs = 61_000;
    });
    expect(servers.find(({ id }) => id === serverId)?.status).to.equal(Server_Status.UNKNOWN);
  });

  it('changes with the rights of a subuser', async () => {
    const { clients, subuserId } = await invite(['file.read']);
    const grant = { $case: 'permissions' as const, value: { permissions: ['file.read', 'file.update'] } };
    const [server] = await pageAfter(clients, () =>
      owner.subusers.updateSubuser({ serverId, subuserId, grant, pathRules: undefined, expiry: undefined }),
    );
    expect(server?.permissions).to.deep.equal(['file.read', 'file.update']);
  });

  it('changes when the access of a subuser ends by time', async () => {
    const { clients } = await invite(['file.read'], new Date(clock().getTime() + 3_600_000));
    const servers = await pageAfter(clients, async () => {
      movedMs = 3_600_001;
    });
    expect(servers).to.deep.equal([]);
  });

  it('changes with the name of an egg that a server takes over', async () => {
    const { egg } = await fixture.admin.eggs.getEgg({ eggId: fixture.eggId });
    const rename = async (name: string) => {
      const spec = egg?.spec && { ...egg.spec, name };
      await fixture.admin.eggs.updateEgg({ eggId: fixture.eggId, spec, updateFields: ['name'], nestId: '' });
    };
    const [server] = await pageAfter(owner, async () => {
      await rename('Renamed');
      await fixture.admin.servers.reinstallServer({ serverId });
      await waitForServer(owner, serverId, ({ operation }) => operation === undefined);
    });
    await rename(egg?.spec?.name ?? '');
    expect(server?.egg?.name).to.equal('Renamed');
  });

  it('changes with the deletion of a server', async () => {
    const retainedId = await create('kept');
    const servers = await pageAfter(owner, async () => {
      await fixture.admin.servers.deleteServer({ serverId, force: true, keepBackups: false });
      const isDeleted = async () =>
        (await reasonOf(owner.servers.getServer({ serverId, asStaff: false }))) === 'SERVER_NOT_FOUND';
      await waitUntil('the deletion', isDeleted);
    });
    expect(servers.map(({ id }) => id)).to.deep.equal([retainedId]);
  });

  it('differs between pages and orders, and keeps while only the total grows', async () => {
    await create('two');
    await create('three');
    const first = await readPage(owner, {}, 1, 'created_at');
    for (const [page, sort] of [
      [2, 'created_at'],
      [1, '-created_at'],
    ] as const) {
      const other = await readPage(owner, { knownDigest: first.digest }, page, sort);
      expect(other, sort).to.deep.equal(await readPage(owner, {}, page, sort));
      expect(other.listed, sort).not.to.deep.equal([]);
    }
    await create('four');
    const grown = await readPage(owner, { knownDigest: first.digest }, 1, 'created_at');
    expect(grown).to.deep.include({ digest: first.digest, listed: [], page: { page: 1, perPage, total: 4 } });
  });

  it('differs between viewers who see one server differently, and is equal on every replica', async () => {
    const { clients } = await invite(['file.read']);
    const ofOwner = await readPage(owner);
    const ofSubuser = await readPage(clients, { knownDigest: ofOwner.digest });
    expect(serversOf(ofSubuser)).to.have.length(1);
    expect(serversOf(ofSubuser)[0]).to.deep.include({ isOwner: false, permissions: ['file.read'] });
    expect((await readPage(as(ownerId, there))).digest).to.equal(ofOwner.digest);
  });

  it('shows 50 concurrent readers nothing older than what was acknowledged before their request', async () => {
    let acknowledged = 0;
    const rounds = 15;
    const writing = (async () => {
      for (let round = 1; round <= rounds; round++) {
        await owner.servers.renameServer({ serverId, name: `${round}` });
        acknowledged = round;
      }
    })();
    const reused = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const clients = as(ownerId, index % 2 === 0 ? fixture.harness.address : there);
        let retained: ListServersResponse | undefined;
        let reuses = 0;
        let shown = 0;
        while (shown < rounds) {
          const atLeast = acknowledged;
          const answer = await readPage(clients, { knownDigest: retained?.digest });
          if (answer.listed.length > 0) retained = answer;
          else reuses += 1;
          expect(answer.digest).to.equal(retained?.digest);
          const [server] = retained ? serversOf(retained) : [];
          shown = Number(server?.name === 'one' ? 0 : server?.name);
          expect(shown).to.be.at.least(atLeast);
        }
        return reuses;
      }),
    );
    await writing;
    expect(reused.reduce((sum, reuses) => sum + reuses)).to.be.greaterThan(0);
  });
});
