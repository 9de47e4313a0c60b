import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { expect } from 'chai';
import { defaultPolicy } from '../../src/domain/policy.js';
import { createStores, type Stores } from '../../src/models/stores.js';
import { authenticateApiKey, authenticateSession, type Identity } from '../../src/usecases/sessions/authenticate.js';
import { addUser, type Harness, startHarness, times } from './harness.js';

const callerCount = 50;
const keyId = 'secret';
const ip = '198.51.100.7';

describe('authentication of concurrent callers', () => {
  let harness: Harness;
  let mongo: MongoConnection;
  let stores: Stores;
  let context: never;
  let userIds: string[];
  /** Collections of sent queries. */
  let queried: string[] = [];

  before(async () => {
    harness = await startHarness();
    mongo = await connectMongo(harness.config.mongoUrl, { appName: 'test', monitorCommands: true });
    mongo.getClient().on('commandStarted', ({ command, commandName }) => {
      if (commandName === 'find') queried.push(String(command['find']));
    });
    stores = createStores(mongo);
    context = {
      ...stores,
      apiKeyGenerator: { hashOf: (key: string) => key },
      clock: () => new Date(),
      policy: { current: () => defaultPolicy },
      tasks: { run: () => undefined },
      tokens: { keyId },
    } as never;
    userIds = [];
    for (let index = 0; index < callerCount; index++) userIds.push((await addUser(harness)).id);
  });
  after(async () => {
    await mongo.close();
    await harness.stop();
  });

  const addSession = async (userId: string): Promise<string> => {
    const id = randomUUID();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + 60_000);
    const times = { createdAt: now, lastUsedAt: now, expiresAt, unconfirmedSince: null };
    await stores.sessions.insert({
      id,
      userId,
      epoch: 1,
      keyId,
      refreshHash: id,
      rotated: [],
      ip,
      userAgent: '',
      ...times,
    });
    return id;
  };
  const addApiKey = async (userId: string): Promise<string> => {
    const id = randomUUID();
    const restrictions = { permissions: null, allowedIps: [], expiresAt: null };
    const shown = { description: 'key', identifier: id, createdAt: new Date(), lastUsedAt: null };
    await stores.apiKeys.insert({ id, userId, slot: 0, hash: id, ...restrictions, ...shown });
    return id;
  };

  interface Proof {
    readonly collection: string;
    readonly add: (userId: string) => Promise<string>;
    readonly authenticate: (credential: string) => Promise<Identity>;
  }
  const proofs: readonly Proof[] = [
    { collection: 'sessions', add: addSession, authenticate: async (id) => authenticateSession(context, id) },
    { collection: 'api_keys', add: addApiKey, authenticate: async (key) => authenticateApiKey(context, key, ip) },
  ];
  for (const { collection, add, authenticate } of proofs) {
    it(`reads ${collection}, users and roles of one event-loop turn with one query each`, async () => {
      const credentials = await Promise.all(userIds.map(add));
      queried = [];
      const identities = await Promise.all(credentials.map(authenticate));
      expect(queried).to.deep.equal([collection, 'users', 'roles']);
      expect(identities.map(({ user }) => user.id)).to.deep.equal(userIds);
    });
  }

  it('fails the callers of a failed query and no others', async () => {
    const [credential = ''] = await Promise.all(userIds.slice(0, 1).map(addSession));
    const model = mongo.model('Session');
    Object.assign(model, {
      find: () => {
        Reflect.deleteProperty(model, 'find');
        throw new Error('the database is down');
      },
    });
    const failing = times(2, async () => authenticateSession(context, credential).catch(String));
    const error = 'Error: the database is down';
    expect(await Promise.all(failing)).to.deep.equal([error, error]);
    expect((await authenticateSession(context, credential)).session.id).to.equal(credential);
  });
});
