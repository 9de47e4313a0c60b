import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import type { PowerAction } from '../../src/domain/servers/server.js';
import type { StopGround } from '../../src/models/servers/server-power.js';
import { createStores, type Stores } from '../../src/models/stores.js';
import { testSeal } from '../support/harness.js';
import { aServer } from '../support/server-fixture.js';

describe('operations of power actions', function () {
  this.timeout(180_000);
  let mongo: MongoConnection;
  let stores: Stores;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('power_operations'), { appName: 'test' });
    stores = createStores(mongo, testSeal);
    await createIndexes(mongo);
  });
  after(() => mongo.close());

  const make = async (): Promise<string> => {
    const id = randomUUID();
    await stores.servers.create(aServer({ id, uuidShort: id.slice(0, 8) }));
    return id;
  };
  const leaseOf = (action: PowerAction, ttlMs = 60_000) => ({ id: randomUUID(), action, owner: 'a worker', ttlMs });
  const accept = async (serverId: string, action: PowerAction, ttlMs?: number): Promise<string> => {
    const lock = leaseOf(action, ttlMs);
    expect(await stores.servers.power.accept(serverId, lock)).not.to.equal(null);
    return lock.id;
  };
  const read = async (serverId: string) => (await stores.servers.get(serverId)) ?? expect.fail('no server');
  const outcomes = async (serverId: string) =>
    (await stores.servers.get(serverId))?.powerOperations?.map(({ action, state, error }) => [action, state, error]);

  it('keeps a power operation the same when another worker continues it', async () => {
    const serverId = await make();
    const abandoned = await accept(serverId, 'start', 0);
    const next = leaseOf('start');
    await stores.servers.power.takeOver(serverId, abandoned, next);
    expect(await outcomes(serverId)).to.deep.equal([['start', 'in_progress', null]]);
    await stores.servers.power.release(serverId, next.id);
    expect(await outcomes(serverId)).to.deep.equal([['start', 'completed', null]]);
  });

  it('finds abandoned starts beside more abandoned stops than a page has', async () => {
    const { servers } = stores;
    const nodeId = randomUUID();
    const makeThere = async (): Promise<string> => {
      const id = randomUUID();
      await stores.servers.create(aServer({ id, uuidShort: id.slice(0, 8), nodeId }));
      await accept(id, 'start', 0);
      return id;
    };
    const stops = [await makeThere(), await makeThere(), await makeThere()];
    for (const id of stops) await servers.power.acceptForcedStop(id, leaseOf('stop', 0), { kind: 'shutdown' });
    const start = await makeThere();
    expect((await servers.abandoned([nodeId], 10)).map(({ id }) => id)).to.have.members([...stops, start]);
    expect((await servers.abandonedStarts([nodeId], 1)).map(({ id }) => id)).to.deep.equal([start]);
    expect(await servers.abandonedStarts([randomUUID()], 1)).to.deep.equal([]);
  });

  it('overtakes a power operation by a kill and by what the panel does itself, which is none', async () => {
    const serverId = await make();
    await accept(serverId, 'start', 0);
    const killId = await accept(serverId, 'kill');
    expect(await outcomes(serverId)).to.deep.equal([
      ['kill', 'in_progress', null],
      ['start', 'superseded', null],
    ]);
    await stores.servers.power.acceptForcedStop(serverId, leaseOf('stop'), { kind: 'shutdown' });
    expect(await stores.servers.power.finish(serverId, killId)).to.equal(null);
    expect((await outcomes(serverId))?.[0]).to.deep.equal(['kill', 'superseded', null]);
  });

  it('gives the lease of a start that waits to a stop, and to no restart', async () => {
    const { power } = stores.servers;
    const serverId = await make();
    const startId = await accept(serverId, 'start');
    expect(await power.accept(serverId, leaseOf('stop'))).to.equal(null);
    expect((await power.waitToStart(serverId, startId))?.power.state).to.equal('starting');
    expect(await power.accept(serverId, leaseOf('restart'))).to.equal(null);
    await accept(serverId, 'stop');
    expect(await power.waitToStart(serverId, startId)).to.equal(null);
    expect(await power.accept(serverId, leaseOf('stop'))).to.equal(null);
    expect((await outcomes(serverId))?.map(([, state]) => state)).to.deep.equal(['in_progress', 'superseded']);
  });

  it('takes over from the worker that was seen dead, and from no later one', async () => {
    const serverId = await make();
    const seen = await accept(serverId, 'start', 0);
    await stores.servers.power.release(serverId, seen);
    expect(await stores.servers.power.takeOver(serverId, seen, leaseOf('start'))).to.equal(null);
    const later = await accept(serverId, 'stop', 0);
    expect(await stores.servers.power.takeOver(serverId, seen, leaseOf('start'))).to.equal(null);
    expect(await stores.servers.power.takeOver(serverId, later, leaseOf('stop'))).not.to.equal(null);
  });

  it('adopts no run that was stopped after the state was read', async () => {
    const serverId = await make();
    const stopId = await accept(serverId, 'kill');
    const before = await read(serverId);
    await stores.servers.power.finish(serverId, stopId);
    const { generation } = before.power;
    expect(await stores.servers.power.adopt(before, generation)).to.equal(null);
    expect(await stores.servers.power.adopt(await read(serverId), generation)).not.to.equal(null);
  });

  it('forces no stop on a server for which its ground no longer holds', async () => {
    const { power, updates } = stores.servers;
    const serverId = await make();
    await accept(serverId, 'start', 0);
    const generation = (await stores.servers.get(serverId))?.power.generation ?? 0;
    const isForced = async (ground: StopGround) =>
      (await power.acceptForcedStop(serverId, leaseOf('stop', 0), ground)) !== null;
    const lease = { serverId, operationId: randomUUID(), fence: 1 };
    expect(await isForced({ kind: 'operation', lease })).to.equal(false);
    expect(await isForced({ kind: 'suspended' })).to.equal(false);
    expect(await isForced({ kind: 'stopping', generation })).to.equal(false);
    const stopId = await accept(serverId, 'stop');
    expect(await isForced({ kind: 'stopping', generation }), 'with a worker').to.equal(false);
    await power.renew(serverId, stopId, 0);
    expect(await isForced({ kind: 'stopping', generation: generation - 1 }), 'of another run').to.equal(false);
    expect(await isForced({ kind: 'stopping', generation })).to.equal(true);
    await updates.setSuspended(serverId, true);
    expect(await isForced({ kind: 'suspended' })).to.equal(true);
    await mongo
      .collection<{ _id: string }>('servers')
      .updateOne({ _id: serverId }, { $set: { 'power.state': 'offline' } });
    expect(await isForced({ kind: 'shutdown' })).to.equal(false);
  });

  it('ends a power operation by what its game does when its worker has died', async () => {
    const [started, failed] = [await make(), await make()];
    for (const id of [started, failed]) await accept(id, 'start', 0);
    await mongo
      .collection<{ _id: string }>('servers')
      .updateOne({ _id: started }, { $set: { 'power.state': 'offline' }, $unset: { revision: '' } });
    await stores.servers.power.adopt(await read(started), 1);
    await stores.servers.power.markEnded(failed, 1, null);
    expect((await outcomes(started))?.[0]).to.deep.equal(['start', 'completed', null]);
    expect((await outcomes(failed))?.[0]?.slice(0, 2)).to.deep.equal(['start', 'failed']);
  });

  it('keeps up to 20 power operations, the latest first', async () => {
    const serverId = await make();
    const ids: string[] = [];
    for (let i = 0; i < 23; i++) ids.push(await accept(serverId, 'kill'));
    const retained = (await stores.servers.get(serverId))?.powerOperations?.map(({ id }) => id);
    expect(retained).to.deep.equal(ids.reverse().slice(0, 20));
  });
});
