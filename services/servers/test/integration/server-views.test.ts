import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection, parsePage } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { sortable } from '../../src/handlers/server/read-request.js';
import { createStores, type Stores } from '../../src/models/stores.js';
import { testSeal } from '../support/harness.js';
import { aServer, aSubuser } from '../support/server-fixture.js';

const page = parsePage(undefined, sortable);

describe('views of servers', function () {
  this.timeout(180_000);
  let mongo: MongoConnection;
  let otherMongo: MongoConnection;
  let reader: Stores;
  let writer: Stores;
  /** True per find of a whole document. */
  let finds: boolean[] = [];
  /** Offset of the reader's clock. */
  let aheadMs = 0;
  before(async () => {
    const url = testMongoUrl('server_views');
    mongo = await connectMongo(url, { appName: 'test', monitorCommands: true });
    otherMongo = await connectMongo(url, { appName: 'test' });
    const clock = () => new Date(Date.now() + aheadMs);
    [reader, writer] = [createStores(mongo, testSeal, { clock }), createStores(otherMongo, testSeal)];
    await createIndexes(mongo);
    mongo.getClient().on('commandStarted', ({ command, commandName }) => {
      const { find, projection } = command as { find?: string; projection?: object };
      if (commandName === 'find' && find === 'servers') finds.push('name' in (projection ?? {}));
    });
  });
  after(async () => {
    await mongo.close();
    await otherMongo.close();
  });

  const make = async (name = 'one', userId: string = randomUUID()): Promise<string> => {
    const id = randomUUID();
    await writer.servers.create(aServer({ id, uuidShort: id.slice(0, 8), name, userId }));
    return id;
  };
  const rename = async (id: string, name: string) => writer.servers.updates.update(id, { name });
  const findsOf = async (work: () => Promise<unknown>): Promise<boolean[]> => {
    finds = [];
    await work();
    return finds;
  };

  it('reads a document once, and its revision alone after that', async () => {
    const id = await make();
    expect(await findsOf(async () => reader.servers.getView(id))).to.deep.equal([true]);
    expect(await findsOf(async () => reader.servers.getView(id))).to.deep.equal([false]);
    await rename(id, 'two');
    expect(await findsOf(async () => reader.servers.getView(id))).to.deep.equal([false, true]);
    expect((await reader.servers.getView(id))?.name).to.equal('two');
  });

  it('reads only the changed documents of a page', async () => {
    const userId = randomUUID();
    const ids = await Promise.all(['a', 'b', 'c'].map(async (name) => make(name, userId)));
    const list = async () => (await reader.servers.list({ userId, status: null }, page)).servers;
    expect(await findsOf(list)).to.deep.equal([false, true]);
    expect(await findsOf(list)).to.deep.equal([false]);
    await rename(ids[1] ?? '', 'changed');
    expect((await list()).map(({ name }) => name)).to.have.members(['a', 'changed', 'c']);
    await writer.servers.delete(ids[0] ?? '');
    expect((await list()).map(({ name }) => name)).to.have.members(['changed', 'c']);
  });

  it('shows a view as new as the last acknowledged write of another replica, with 50 at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, async () => make()));
    for (const round of ['first', 'second', 'third']) {
      await Promise.all(
        ids.map(async (id) => {
          await rename(id, `${round} ${id}`);
          expect((await reader.servers.getView(id))?.name).to.equal(`${round} ${id}`);
        }),
      );
    }
  });

  it('notices every way of changing a server', async () => {
    const id = await make();
    const { nodeId } = aServer();
    const subuser = aSubuser(randomUUID());
    const shown = async () => JSON.stringify(await reader.servers.getView(id));
    const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['a name', async () => rename(id, 'three')],
      ['the name of its node', async () => writer.servers.setNodeName(nodeId, { name: 'new node', revision: 9 }, id)],
      ['a subuser', async () => writer.servers.subusers.add(id, subuser, {}, null)],
      ['the removal of a user', async () => writer.servers.subusers.removeUser(subuser.userId ?? '')],
    ];
    for (const [what, change] of ways) {
      const before = await shown();
      await change();
      expect(await shown(), what).not.to.equal(before);
    }
    await writer.servers.delete(id);
    expect(await reader.servers.getView(id)).to.equal(null);
  });

  it('writes a new revision with every write through the model', async () => {
    const id = await make();
    const servers = otherMongo.model('Server');
    const rows = mongo.collection<{ _id: string; revision?: string }>('servers');
    const revision = async () => (await rows.findOne({ _id: id }))?.revision;
    const writes = [
      async () => servers.updateOne({ _id: id }, { $set: { description: 'x' } }),
      async () => servers.updateOne({ _id: id }, { description: 'y' }),
      async () => servers.updateMany({ _id: id }, { $unset: { description: 1 } }),
      async () => servers.findOneAndUpdate({ _id: id }, { $set: { description: 'z' } }),
      async () => servers.updateOne({ _id: id }, [{ $set: { description: 'w' } }], { updatePipeline: true }),
    ];
    const seen = new Set([await revision()]);
    for (const write of writes) {
      await write();
      seen.add(await revision());
    }
    expect(seen.size).to.equal(writes.length + 1);
  });

  it('returns the same view object for everybody, until the document changes', async () => {
    const userId = randomUUID();
    const id = await make('one', userId);
    const subuser = aSubuser(randomUUID());
    await writer.servers.subusers.add(id, subuser, {}, null);
    const listed = async (viewer: string) =>
      (await reader.servers.list({ userId: viewer, status: null }, page)).servers;
    const seen = await reader.servers.getView(id);
    for (const viewer of [userId, subuser.userId ?? '']) expect((await listed(viewer))[0]).to.equal(seen);
    await rename(id, 'two');
    const [changed] = await listed(userId);
    expect(changed?.name).to.equal('two');
    expect(changed).not.to.equal(seen);
  });

  it('leaves a subuser out from the moment in which the access ends, without a write', async () => {
    const userId = randomUUID();
    const id = await make('one', userId);
    const [lasting, ending] = [aSubuser(randomUUID()), aSubuser(randomUUID())];
    const endsAt = new Date(Date.now() + 3_600_000);
    for (const subuser of [lasting, { ...ending, expiresAt: endsAt, endsAt }])
      await writer.servers.subusers.add(id, subuser, {}, null);
    const seen = async () => {
      const [listed] = (await reader.servers.list({ userId, status: null }, page)).servers;
      return [await reader.servers.getView(id), listed].map((view) => view?.subusers?.map((one) => one.userId));
    };
    const both = [lasting.userId, ending.userId];
    expect(await seen()).to.deep.equal([both, both]);
    aheadMs = 3_600_001;
    expect(await seen()).to.deep.equal([[lasting.userId], [lasting.userId]]);
    aheadMs = 0;
    expect(await seen()).to.deep.equal([both, both]);
  });
});
