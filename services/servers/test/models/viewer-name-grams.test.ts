import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection, parsePage } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { sortable } from '../../src/handlers/server/read-request.js';
import { trigramsOf } from '../../src/models/servers/name-search.js';
import {
  viewerNameGramsFor,
  viewerNameGramsOf,
  viewerNameGramsStage,
} from '../../src/models/servers/viewer-name-grams.js';
import { createStores } from '../../src/models/stores.js';
import { testSeal } from '../support/harness.js';
import { aServer, aSubuser } from '../support/server-fixture.js';

describe('parts of names by viewer', () => {
  let mongo: MongoConnection;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('viewer_name_grams'), { appName: 'test' });
  });
  after(() => mongo.close());

  const names = fc.string({ unit: 'grapheme', maxLength: 60 });
  const viewers = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 60 });

  it('writes the same parts for a new server and for an update', async () => {
    const servers = mongo.collection<{ _id: string; viewerNameGrams: string[] }>('servers');
    await fc.assert(
      fc.asyncProperty(names, viewers, async (name, viewerIds) => {
        const nameTrigrams = trigramsOf(name);
        await servers.replaceOne({ _id: 'a' }, { viewerIds, nameTrigrams } as never, { upsert: true });
        await servers.updateOne({ _id: 'a' }, [{ $set: viewerNameGramsStage }]);
        const stored = await servers.findOne({ _id: 'a' });
        // as the database stores halves of characters
        const expected = viewerNameGramsOf(viewerIds, nameTrigrams).map((entry) => Buffer.from(entry).toString());
        expect(stored?.viewerNameGrams).to.deep.equal(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('writes an entry for every text of three characters or more in the name, and for no other viewer', () => {
    fc.assert(
      fc.property(names, viewers, fc.nat(), fc.nat(), (name, viewerIds, from, length) => {
        const key = name.toLowerCase();
        const text = key.slice(from % (key.length + 1), (from % (key.length + 1)) + length);
        const stored = new Set(viewerNameGramsOf(viewerIds, trigramsOf(name)));
        for (const viewerId of viewerIds) {
          const wanted = viewerNameGramsFor(viewerId, text);
          if (text.length < 3) expect(wanted).to.equal(null);
          else expect(wanted?.some((entry) => stored.has(entry))).to.equal(true);
        }
        expect(viewerNameGramsFor('another', 'text')?.some((entry) => stored.has(entry))).to.equal(false);
      }),
    );
  });

  it('follows a new name, new and removed subusers, and a new owner', async () => {
    const stores = createStores(mongo, testSeal);
    await createIndexes(mongo);
    const [owner, subuser, next] = [randomUUID(), randomUUID(), randomUUID()];
    const id = randomUUID();
    await stores.servers.create(aServer({ id, uuidShort: id.slice(0, 8), name: 'first name', userId: owner }));
    const page = (search: string) => parsePage({ page: 1, perPage: 10, sort: [], search }, sortable);
    const viewersWhoFind = async (text: string) => {
      const found = [owner, subuser, next].map(async (userId) => {
        const { total } = await stores.servers.list({ userId, status: null }, page(text));
        return total === 1 ? userId : null;
      });
      return (await Promise.all(found)).filter((userId) => userId !== null);
    };
    expect(await viewersWhoFind('rst na')).to.deep.equal([owner]);
    await stores.servers.subusers.add(id, aSubuser(subuser), {}, null);
    expect(await viewersWhoFind('rst na')).to.deep.equal([owner, subuser]);
    await stores.servers.updates.update(id, { name: 'second name' });
    expect(await viewersWhoFind('rst na')).to.deep.equal([]);
    expect(await viewersWhoFind('cond na')).to.deep.equal([owner, subuser]);
    await stores.servers.updates.update(id, { userId: next });
    expect(await viewersWhoFind('cond na')).to.deep.equal([subuser, next]);
    await stores.servers.subusers.removeUser(subuser);
    expect(await viewersWhoFind('cond na')).to.deep.equal([next]);
  });

  it('writes a few hundred parts at most, or one for each viewer', () => {
    fc.assert(
      fc.property(names, viewers, (name, viewerIds) => {
        const { length } = viewerNameGramsOf(viewerIds, trigramsOf(name));
        expect(length <= 512 || length === viewerIds.length).to.equal(true);
      }),
    );
  });
});
