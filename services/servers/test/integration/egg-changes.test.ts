import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import {
  EggApplication_Outcome,
  ImportEggRequest_Format,
  ListServersRequest,
  ListServersRequest_Scope,
  Server_Status,
} from '@panel/protos/servers';
import { expect } from 'chai';
import { createStores, type Stores } from '../../src/models/stores.js';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { createFixture, type Fixture, gameEgg, reasonOf } from '../support/fixture.js';
import { type Clients, testSeal } from '../support/harness.js';

const json = ImportEggRequest_Format.JSON;
const { CHANGED, UNCHANGED, BUSY } = EggApplication_Outcome;

describe('changes of nests and eggs in use', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let admin: Clients;
  let mongo: MongoConnection;
  let stores: Stores;
  before(async () => {
    fixture = await createFixture();
    ({ admin } = fixture);
    mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    stores = createStores(mongo, testSeal);
  });
  after(async () => {
    await mongo.close();
    await fixture.stop();
  });

  const newEgg = async (name: string, nestId = '') => {
    const { egg } = await admin.eggs.importEgg({ content: eggBytes({ ...gameEgg, name }), format: json, nestId });
    if (!egg?.spec) throw new Error('no egg in the answer');
    return { ...egg, spec: egg.spec };
  };
  const newNest = async () => {
    const { nest } = await admin.nests.createNest({ name: `nest ${randomUUID()}`, description: '', author: '' });
    if (!nest) throw new Error('no nest in the answer');
    return nest;
  };

  describe('UpdateNest', () => {
    it('changes only the given fields', async () => {
      const { id, name } = await newNest();
      const { nest } = await admin.nests.updateNest({ nestId: id, description: 'voxel games' });
      expect(nest).to.include({ id, name, description: 'voxel games', eggsCount: 0 });
      const renamed = `Voxel ${randomUUID()}`;
      expect((await admin.nests.updateNest({ nestId: id, name: renamed })).nest).to.include({ name: renamed });
    });

    it('refuses a taken name, ignoring case, an invalid one and an unknown nest', async () => {
      const [first, second] = [await newNest(), await newNest()];
      const rename = (nestId: string, name: string) => reasonOf(admin.nests.updateNest({ nestId, name }));
      expect(await rename(second.id, first.name.toUpperCase())).to.equal('NEST_NAME_TAKEN');
      // The database truncates its error message.
      for (const start of ['', 'a', 'aa', 'aaa']) {
        const name = `${start}${'💥'.repeat(40)}`;
        const { nest } = await admin.nests.createNest({ name, description: '', author: '' });
        try {
          expect(await rename(second.id, name)).to.equal('NEST_NAME_TAKEN');
        } finally {
          await admin.nests.deleteNest({ nestId: nest?.id ?? '' });
        }
      }
      expect(await rename(second.id, 'a\nb')).to.equal('INVALID_FIELDS');
      expect(await rename(randomUUID(), 'c')).to.equal('NEST_NOT_FOUND');
      expect((await admin.nests.getNest({ nestId: second.id })).nest?.name).to.equal(second.name);
    });
  });

  describe('DeleteNest', () => {
    it('deletes an empty nest and frees its name', async () => {
      const { id, name } = await newNest();
      await admin.nests.deleteNest({ nestId: id });
      expect(await reasonOf(admin.nests.getNest({ nestId: id }))).to.equal('NEST_NOT_FOUND');
      expect(await reasonOf(admin.nests.deleteNest({ nestId: id }))).to.equal('NEST_NOT_FOUND');
      expect(await reasonOf(admin.nests.createNest({ name, description: '', author: '' }))).to.equal('none');
    });

    it('refuses while the nest has eggs and names them', async () => {
      const { id } = await newNest();
      await newEgg('Occupant', id);
      const error: unknown = await admin.nests.deleteNest({ nestId: id }).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('reason', 'NEST_IN_USE');
      expect(error).to.have.nested.property('metadata.eggs').that.deep.equals(['Occupant']);
      expect((await admin.nests.getNest({ nestId: id })).nest?.eggsCount).to.equal(1);
    });

    it('leaves no egg without a nest when eggs are created concurrently', async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await newNest();
        const content = eggBytes({ name: 'Racer' });
        const creations = Array.from({ length: 5 }, () =>
          reasonOf(admin.eggs.importEgg({ content, format: json, nestId: id })),
        );
        const deletion = reasonOf(admin.nests.deleteNest({ nestId: id }));
        const created = (await Promise.all(creations)).filter((reason) => reason === 'none');
        const isDeleted = (await deletion) === 'none';
        const { eggs } = await admin.eggs.listEggs({
          nestId: '',
          page: { page: 1, perPage: 100, sort: [], search: 'Racer' },
        });
        const left = eggs.filter(({ nestId }) => nestId === id);
        expect(left).to.have.length(isDeleted ? 0 : created.length);
      }
    });
  });

  describe('DeleteEgg', () => {
    it('deletes an unused egg', async () => {
      const { id } = await newEgg('Unused');
      await admin.eggs.deleteEgg({ eggId: id });
      expect(await reasonOf(admin.eggs.getEgg({ eggId: id }))).to.equal('EGG_NOT_FOUND');
      expect(await reasonOf(admin.eggs.deleteEgg({ eggId: id }))).to.equal('EGG_NOT_FOUND');
    });

    it('refuses while servers use the egg and names them', async () => {
      const { id } = await newEgg('Used');
      const server = await fixture.createServer({ eggId: id, name: 'the user', skipScripts: true });
      const error: unknown = await admin.eggs.deleteEgg({ eggId: id }).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('reason', 'EGG_IN_USE');
      expect(error).to.have.nested.property('metadata.servers').that.deep.equals(['the user']);
      expect((await admin.eggs.getEgg({ eggId: id })).egg?.id).to.equal(id);
      expect(server.egg?.id).to.equal(id);
    });

    it('refuses while products sell the egg and names them', async () => {
      const { id } = await newEgg('Sold');
      const { products } = fixture.harness.fakes;
      products.set('sold', { name: 'Small server', eggId: id });
      const error: unknown = await admin.eggs.deleteEgg({ eggId: id }).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('reason', 'EGG_IN_USE');
      expect(error).to.have.nested.property('metadata.products').that.deep.equals(['Small server']);
      expect((await admin.eggs.getEgg({ eggId: id })).egg?.id).to.equal(id);
      products.delete('sold');
      await admin.eggs.deleteEgg({ eggId: id });
    });

    it('refuses while billing does not answer', async () => {
      const { id } = await newEgg('Perhaps sold');
      fixture.harness.fakes.billingIsDown = true;
      expect(await reasonOf(admin.eggs.deleteEgg({ eggId: id }))).to.equal('BILLING_UNREACHABLE');
      fixture.harness.fakes.billingIsDown = false;
      expect((await admin.eggs.getEgg({ eggId: id })).egg?.id).to.equal(id);
    });

    it('does not go on with a deletion that another one has cancelled', async () => {
      const { id } = await newEgg('Claimed twice');
      const { eggs } = stores;
      const [first, second] = [new Date(Date.now() - 5), new Date()];
      const claimedAt = (await eggs.beginDelete(id, first)) ?? expect.fail('no claim');
      expect(await eggs.beginDelete(id, second)).to.deep.equal(claimedAt);
      await eggs.cancelDelete(id);
      await eggs.beginDelete(id, second);
      expect(await eggs.delete(id, claimedAt)).to.equal(false);
      expect(await eggs.exists(id)).to.equal(true);
      await eggs.cancelDelete(id);
    });

    it('leaves no server with a deleted egg when servers are created concurrently', async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await newEgg('Raced');
        const creation = reasonOf(fixture.createServer({ eggId: id, name: `raced ${round}`, skipScripts: true }));
        const deletion = reasonOf(admin.eggs.deleteEgg({ eggId: id }));
        const [created, deleted] = await Promise.all([creation, deletion]);
        const page = { page: 1, perPage: 10, sort: [], search: `raced ${round}` };
        const { servers } = await admin.servers.listServers({
          ...ListServersRequest.create(),
          scope: ListServersRequest_Scope.ALL,
          status: Server_Status.UNSPECIFIED,
          page,
        });
        expect(servers.length, `${created}, ${deleted}`).to.equal(deleted === 'none' ? 0 : Number(created === 'none'));
      }
    });

    it('shows the egg again a minute after a deletion died', async () => {
      const { id } = await newEgg('Interrupted');
      const { eggs } = stores;
      await eggs.beginDelete(id, new Date(Date.now() - 61_000));
      expect(await eggs.get(id)).to.have.property('id', id);
      await eggs.beginDelete(id, new Date());
      expect(await eggs.get(id)).to.equal(null);
    });
  });

  describe('ApplyEgg', () => {
    const changed = { startup: 'sh game.sh --new', config: { stop: '^C' } };

    async function twoServers() {
      const egg = await newEgg(`Applied ${randomUUID()}`);
      const plain = await fixture.installed({ eggId: egg.id, name: 'plain' });
      const chosen = await fixture.installed({ eggId: egg.id, name: 'chosen', startup: 'sh game.sh --mine' });
      const spec = {
        ...egg.spec,
        startup: changed.startup,
        config: egg.spec.config && { ...egg.spec.config, stop: changed.config.stop },
      };
      await admin.eggs.updateEgg({ eggId: egg.id, spec, updateFields: ['startup', 'config'], nestId: '' });
      return { egg, plain, chosen };
    }
    const apply = (eggId: string, isPreview: boolean, serverIds: string[] = []) =>
      admin.eggs.applyEgg({ eggId, serverIds, isPreview, afterServerId: '' });
    const startupOf = async (serverId: string) =>
      (await admin.servers.getServer({ serverId, asStaff: true })).server?.startup;

    it('previews every difference and changes nothing', async () => {
      const { egg, plain, chosen } = await twoServers();
      const { servers, nextServerId } = await apply(egg.id, true);
      expect(nextServerId).to.equal('');
      const byId = new Map(servers.map((server) => [server.serverId, server]));
      expect(byId.get(plain.id)?.outcome).to.equal(CHANGED);
      expect(byId.get(plain.id)?.differences).to.deep.equal([
        { field: 'startup', before: 'sh game.sh', after: 'sh game.sh --new' },
        { field: 'config.stop', before: 'stop', after: '^C' },
      ]);
      expect(byId.get(chosen.id)?.differences.map(({ field }) => field)).to.deep.equal(['config.stop']);
      expect(await startupOf(plain.id)).to.equal('sh game.sh');
    });

    it('updates servers of the egg, keeps what was chosen for a server, and changes nothing when repeated', async () => {
      const { egg, plain, chosen } = await twoServers();
      const { servers } = await apply(egg.id, false);
      expect(servers.map(({ outcome }) => outcome)).to.deep.equal([CHANGED, CHANGED]);
      expect(await startupOf(plain.id)).to.equal('sh game.sh --new');
      expect(await startupOf(chosen.id)).to.equal('sh game.sh --mine');
      const again = await apply(egg.id, false);
      expect(again.servers.map(({ outcome }) => outcome)).to.deep.equal([UNCHANGED, UNCHANGED]);
    });

    it('reports nobody as busy when the same request comes five times at once', async () => {
      const { egg, plain } = await twoServers();
      const answers = await Promise.all(Array.from({ length: 5 }, async () => apply(egg.id, false)));
      const outcomes = answers.flatMap(({ servers }) => servers.map(({ outcome }) => outcome));
      expect(outcomes).to.have.length(10).and.not.include(BUSY);
      expect(await startupOf(plain.id)).to.equal('sh game.sh --new');
    });

    it('updates only the given servers, and none of another egg', async () => {
      const { egg, plain, chosen } = await twoServers();
      const other = await fixture.installed({ name: 'other' });
      const { servers } = await apply(egg.id, false, [plain.id, other.id]);
      expect(servers.map(({ serverId }) => serverId)).to.deep.equal([plain.id]);
      expect((await apply(egg.id, true, [chosen.id])).servers[0]?.outcome).to.equal(CHANGED);
    });

    it('reports a server with an operation in progress as busy and leaves it', async () => {
      const { egg, plain } = await twoServers();
      const operation = { id: randomUUID(), kind: 'reinstalling' as const, step: 'waiting', options: {} };
      await stores.servers.updates.beginReinstall(plain.id, operation, null);
      const { servers } = await apply(egg.id, false, [plain.id]);
      expect(servers[0]?.outcome).to.equal(BUSY);
    });

    it('refuses an unknown egg', async () => {
      expect(await reasonOf(apply(randomUUID(), false))).to.equal('EGG_NOT_FOUND');
    });
  });
});
