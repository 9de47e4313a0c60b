import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { createSeal } from '@panel/kit/process';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { createDatabaseStore } from '../../src/models/databases/database.js';
import { createDatabaseHostStore } from '../../src/models/databases/database-host.js';
import { reseal } from '../../src/models/reseal.js';

const host = {
  name: 'host',
  engine: 'mysql',
  address: 'db.example.com',
  port: 3306,
  username: 'panel',
  nodeIds: [],
  maxDatabases: null,
  maxConnections: 0,
} as const;
const database = {
  serverId: randomUUID(),
  engine: 'mysql',
  name: 's_1',
  username: 'u',
  password: 'of database',
  pendingPassword: null,
  remote: '%',
  maxConnections: 0,
  state: 'creating',
  isOnHost: true,
  sizeBytes: 0,
} as const;

describe('texts that are sealed again', () => {
  const [older, newer, foreign] = ['older', 'newer', 'foreign'].map(
    (name) => `${name}-secret-of-at-least-32-characters`,
  );
  const sealOf = (...secrets: (string | undefined)[]) =>
    createSeal(
      secrets.filter((one) => one !== undefined),
      'test',
    );
  const seal = sealOf(newer, older);

  const run = async (sealed: string, modifiedCount = 1) => {
    const replaced: string[] = [];
    const replace = async (resealed: string) => {
      replaced.push(resealed);
      return { modifiedCount };
    };
    const count = await reseal(seal, [{ sealed, aad: 'field', replace }]);
    return { count, replaced };
  };

  it('seals a text of an older key with the newest, for the same field', async () => {
    const { count, replaced } = await run(sealOf(older).seal('secret', 'field'));
    expect(count).to.equal(1);
    expect(replaced.map((one) => sealOf(newer).open(one, 'field'))).to.deep.equal(['secret']);
  });

  it('leaves a text of the newest key, one that no key opens, and one of another field', async () => {
    for (const sealed of [
      seal.seal('secret', 'field'),
      sealOf(foreign).seal('secret', 'field'),
      sealOf(older).seal('secret', 'other'),
    ]) {
      expect(await run(sealed)).to.deep.equal({ count: 0, replaced: [] });
    }
  });

  it('counts no text that was changed meanwhile', async () => {
    expect((await run(sealOf(older).seal('secret', 'field'), 0)).count).to.equal(0);
  });
});

describe('passwords of databases and their hosts', () => {
  const [older, newer] = [['older-secret-of-at-least-32-characters'], ['newer-secret-of-at-least-32-characters']];
  let mongo: MongoConnection;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('servers'), { appName: 'test' });
  });
  after(async () => {
    await mongo.dropDatabase();
    await mongo.close();
  });

  const storesOf = (...secrets: string[]) => {
    const seal = createSeal(secrets, 'test');
    return { hosts: createDatabaseHostStore(mongo, seal), databases: createDatabaseStore(mongo, seal) };
  };

  it('open with a new key alone after they are sealed again', async () => {
    const [hostId, databaseId, at] = [randomUUID(), randomUUID(), new Date()];
    const before = storesOf(...older);
    await before.hosts.create(hostId, { ...host, password: 'of host' }, '', at);
    const made = { ...database, id: databaseId, hostId, createdAt: at, updatedAt: at };
    const lease = await before.databases.create(made, 60_000);
    await before.databases.activate(lease);
    expect(await before.databases.beginRotation(lease, 'next of database')).to.equal(true);
    const both = storesOf(...newer, ...older);
    const sealAll = async () => [await both.hosts.sealPasswords(), await both.databases.sealPasswords()];
    expect([await sealAll(), await sealAll()]).to.deep.equal([
      [1, 2],
      [0, 0],
    ]);
    const after = storesOf(...newer);
    expect((await after.hosts.get(hostId))?.password).to.equal('of host');
    expect(await after.databases.get(databaseId)).to.include({
      password: 'of database',
      pendingPassword: 'next of database',
    });
  });
});
