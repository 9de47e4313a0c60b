import { randomUUID } from 'node:crypto';
import type { ActivityEvent } from '@panel/activity';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { createLogger } from '@panel/kit/process';
import { ImportEggRequest_Format } from '@panel/protos/servers';
import { expect } from 'chai';
import { Gauge, Registry } from 'prom-client';
import { createReferenceStore, type ReferenceStore } from '../../src/models/references.js';
import { createStores, type Stores } from '../../src/models/stores.js';
import { deleteEgg } from '../../src/usecases/eggs/delete-egg.js';
import { updateEgg } from '../../src/usecases/eggs/update-egg.js';
import { createRegistry } from '../../src/usecases/registries/create-registry.js';
import { updateRegistry } from '../../src/usecases/registries/update-registry.js';
import { deleteNest } from '../../src/usecases/nests/delete-nest.js';
import { repairReferences } from '../../src/references/repair-references.js';
import { createSchedule as createScheduleOf } from '../../src/usecases/schedules/create-schedule.js';
import { beginReinstall as beginReinstallOf } from '../../src/usecases/servers/reinstall-server.js';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { newAccount, newUser } from '../support/fake-services.js';
import {
  createFixture,
  emptyNode,
  fieldsOf,
  type Fixture,
  gameEgg,
  reasonOf,
  waitForServer,
} from '../support/fixture.js';
import { type Clients, testSeal, userActor } from '../support/harness.js';
import { createSchedule } from '../support/schedules.js';

const rounds = 3;
const parallel = 10;
const clock = () => new Date();
const login = { username: 'ada', password: 'secret' };
const everyMinute = { minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' };
const scheduleFields = {
  name: 'a schedule',
  cron: everyMinute,
  timezone: 'UTC',
  isActive: true,
  onlyWhenOnline: false,
  trigger: { kind: 'cron' as const, emptyMinutes: 0, joinPattern: '', leavePattern: '' },
};

describe('references', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let admin: Clients;
  let mongo: MongoConnection;
  let stores: Stores;
  let references: ReferenceStore;
  before(async () => {
    fixture = await createFixture({ memoryMb: 1_000_000, ports: ['20000-20199'] });
    ({ admin } = fixture);
    mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    stores = createStores(mongo, testSeal);
    references = createReferenceStore(mongo);
  });
  after(async () => {
    await mongo.close();
    await fixture.stop();
  });

  const newEgg = async (nestId = '') => {
    const content = eggBytes({ ...gameEgg, name: randomUUID() });
    const { egg } = await admin.eggs.importEgg({ content, format: ImportEggRequest_Format.JSON, nestId });
    return egg ?? expect.fail('no egg in the answer');
  };
  const newNest = async () => {
    const { nest } = await admin.nests.createNest({ name: randomUUID(), description: '', author: '' });
    return nest?.id ?? expect.fail('no nest in the answer');
  };
  const newNode = async (ports: string[]) => {
    const { node } = await admin.nodes.createNode({ ...emptyNode, name: randomUUID() });
    const nodeId = node?.id ?? '';
    if (ports.length > 0) await admin.allocations.createAllocations({ nodeId, ip: '127.0.0.1', alias: '', ports });
    return nodeId;
  };
  const referred = async (collection: string, field: string) =>
    (await mongo.collection(collection).distinct(field)) as string[];
  /** Creations with a deletion among them; resolves with all answers. */
  const race = async (create: (index: number) => Promise<unknown>, remove: () => Promise<unknown>) => {
    const calls = Array.from({ length: parallel }, (_, index) =>
      index === parallel / 2 ? reasonOf(remove()) : reasonOf(create(index)),
    );
    return Promise.all(calls);
  };

  describe('under creations concurrent with the deletion of their target', () => {
    it('leaves no egg in a deleted nest to which it was moved', async () => {
      const egg = await newEgg();
      const nestId = await newNest();
      const update: typeof stores.eggs.update = async (...change) => {
        if (change[1].nestId === nestId) await deleteNest({ stores, clock }, nestId);
        return stores.eggs.update(...change);
      };
      const raced = { ...stores, eggs: { ...stores.eggs, update } };
      const move = updateEgg({ stores: raced, clock }, egg.id, { nestId, spec: {} });
      expect(await reasonOf(move)).to.equal('INVALID_FIELDS');
      expect((await stores.eggs.get(egg.id))?.nestId).to.equal(egg.nestId);
    });

    it('leaves no server with a deleted egg that a reinstallation gave it', async () => {
      const { id } = await fixture.installed({ skipScripts: true });
      const server = (await stores.servers.get(id)) ?? expect.fail('no server');
      const egg = await newEgg();
      const beginReinstall: typeof stores.servers.updates.beginReinstall = async (...change) => {
        await deleteEgg({ stores, clock, products: null }, egg.id);
        return stores.servers.updates.beginReinstall(...change);
      };
      const updates = { ...stores.servers.updates, beginReinstall };
      const raced = { ...stores, servers: { ...stores.servers, updates } };
      await beginReinstallOf(raced, server, { eggId: egg.id, skipScripts: true });
      expect((await stores.servers.get(id))?.eggId).to.equal(egg.id);
      expect((await stores.eggs.get(egg.id))?.spec.name).to.equal(egg.spec?.name);
      await waitForServer(fixture.owner, id, ({ operation }) => operation === undefined);
    });

    it('shows no egg to billing while its products are searched', async () => {
      const { id: eggId } = await newEgg();
      let seen = '';
      const listProducts = async () => {
        seen = await reasonOf(admin.eggs.getEgg({ eggId }));
        return { products: [] };
      };
      await deleteEgg({ stores, clock, products: { listProducts } as never }, eggId);
      expect(seen).to.equal('EGG_NOT_FOUND');
    });

    it('leaves no registry of a deleted egg, made while it was deleted', async () => {
      const { id: eggId } = await newEgg();
      const create: typeof stores.registries.create = async (...registry) => {
        await deleteEgg({ stores, clock, products: null }, eggId);
        return stores.registries.create(...registry);
      };
      const raced = { ...stores, registries: { ...stores.registries, create } };
      const creation = createRegistry({ stores: raced, clock }, { host: 'ghcr.io', eggId, ...login });
      expect(await fieldsOf(creation)).to.deep.equal(['egg_id']);
      expect(await stores.registries.eggIds()).not.to.include(eggId);
    });

    it('leaves a registry as it was that was moved to an egg while that was deleted', async () => {
      const { id: eggId } = await newEgg();
      const registry = await createRegistry({ stores, clock }, { host: 'quay.io', eggId: null, ...login });
      const update: typeof stores.registries.update = async (...change) => {
        await deleteEgg({ stores, clock, products: null }, eggId);
        return stores.registries.update(...change);
      };
      const raced = { ...stores, registries: { ...stores.registries, update } };
      const change = { host: 'ghcr.io', eggId, username: 'bob', password: 'another' };
      const move = updateRegistry({ stores: raced, clock }, registry.id, change);
      expect(await fieldsOf(move)).to.deep.equal(['egg_id']);
      const found = await stores.registries.openFor('quay.io', eggId);
      expect(found?.secret).to.equal(login.password);
      expect(found?.registry).to.include({ id: registry.id, eggId: null, username: login.username, host: 'quay.io' });
    });

    it('leaves no schedule of a deleted server', async () => {
      const { id: serverId } = await fixture.installed({ skipScripts: true });
      const create: typeof stores.schedules.create = async (schedule) => {
        await stores.schedules.deleteOfServer(serverId);
        await stores.servers.updates.beginDelete(serverId, {
          id: randomUUID(),
          kind: 'deleting',
          step: 'waiting',
          options: { force: true },
        });
        return stores.schedules.create(schedule);
      };
      const raced = { ...stores, schedules: { ...stores.schedules, create } };
      const players = { refresh: async () => undefined };
      const actor = userActor(fixture.ownerId);
      const call = { actor, permission: { server: ['schedule.create'] } } as never;
      const creationQueue = { run: async (_: string, task: () => Promise<unknown>) => task() };
      const fields = { ...scheduleFields, tasks: [] };
      const creation = createScheduleOf(
        { stores: raced, installationClock: clock, players, creationQueue } as never,
        serverId,
        fields,
        call,
      );
      expect(await reasonOf(creation)).to.equal('SERVER_NOT_FOUND');
      expect(await stores.schedules.ofServer(serverId)).to.deep.equal([]);
    });

    it('leaves no allocation and no server on a deleted node', async () => {
      for (let round = 0; round < rounds; round++) {
        const nodeId = await newNode(['30000-30020']);
        await race(
          async (index) =>
            index % 2 === 0
              ? fixture.createServer({
                  nodeId,
                  allocationId: (await stores.allocations.takeAny(nodeId, '', new Date()))?.id ?? '',
                })
              : admin.allocations.createAllocations({
                  nodeId,
                  ip: '127.0.0.2',
                  alias: '',
                  ports: [`${30_000 + index}`],
                }),
          async () => admin.nodes.deleteNode({ nodeId }),
        );
        expect(await references.missing('nodes', await referred('allocations', 'nodeId'))).to.deep.equal([]);
        expect(await references.missing('nodes', await referred('servers', 'nodeId'))).to.deep.equal([]);
      }
    });
  });

  describe('to what is gone', () => {
    const repair = async () => {
      const recorded: ActivityEvent[] = [];
      const gauge = new Gauge({
        name: 'missing',
        help: 'missing',
        labelNames: ['reference'],
        registers: [new Registry()],
      });
      const users = {
        byIds: async (ids: readonly string[]) =>
          new Map(ids.filter((id) => fixture.harness.fakes.users.has(id)).map((id) => [id, {} as never])),
      };
      await repairReferences(
        {
          references,
          stores,
          users,
          activity: { record: async (event) => void recorded.push(event) },
          log: createLogger({ service: 'test', level: 'silent' }),
          gauge,
          claimMs: 0,
        },
        new AbortController().signal,
      );
      const { values } = await gauge.get();
      return { recorded, counts: Object.fromEntries(values.map(({ labels, value }) => [labels.reference, value])) };
    };

    it('reports references to what is gone to staff, and keeps the server', async () => {
      const userId = newUser(fixture.harness.fakes);
      const { id: serverId } = await fixture.installed({ skipScripts: true, userId }).catch(async () => {
        const { servers } = await stores.servers.list(
          { userId, status: null },
          { skip: 0, perPage: 1, page: 1, sort: { createdAt: 1 }, search: '' },
        );
        return servers[0] ?? expect.fail('no server');
      });
      expect((await repair()).counts).to.deep.equal({ owner: 0, node: 0, egg: 0, database: 0 });
      fixture.harness.fakes.users.delete(userId);
      const { recorded, counts } = await repair();
      expect(counts).to.include({ owner: 1 });
      expect(recorded).to.deep.equal([
        { event: 'server:reference.missing', serverId, properties: { reference: 'owner', id: userId } },
      ]);
      expect(await stores.servers.exists(serverId)).to.equal(true);
      fixture.harness.fakes.users.add(userId);
    });

    it('removes registries of deleted eggs, and no others', async () => {
      const [gone, retained] = [await newEgg(), await newEgg()];
      for (const { id: eggId } of [gone, retained])
        await createRegistry({ stores, clock }, { host: 'left.example.com', eggId, ...login });
      await mongo.collection<{ _id: string }>('eggs').deleteOne({ _id: gone.id });
      await repair();
      expect(await stores.registries.eggIds())
        .to.include(retained.id)
        .and.not.include(gone.id);
    });

    it('ends references to deleted subusers, and removes schedules of deleted servers', async () => {
      const server = await fixture.installed({ skipScripts: true });
      const guest = newAccount(fixture.harness.fakes, `guest-${randomUUID()}`);
      await fixture.owner.subusers.createSubuser({
        serverId: server.id,
        email: guest.email,
        permissions: ['control.console'],
        roleId: '',
        pathRules: [],
        expiresTime: undefined,
      } as never);
      const schedule = await createSchedule(admin, server.id);
      await mongo
        .collection<{ _id: string }>('schedules')
        .updateOne({ _id: schedule.id }, { $set: { serverId: randomUUID() } });
      fixture.harness.fakes.users.delete(guest.id);
      await repair();
      expect((await stores.servers.get(server.id))?.subusers).to.deep.equal([]);
      expect(await stores.schedules.get(schedule.id)).to.equal(null);
    });
  });
});
