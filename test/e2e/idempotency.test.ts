import { randomUUID } from 'node:crypto';
import { createPanelClient } from '@panel/client';
import { databaseUrl } from '@panel/programs';
import { readEgg } from '@panel/stack';
import { waitUntil } from '@panel/kit/testing';
import { testMongoUrl, testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { type Databases, openDatabases } from './security/support/database.js';
import { type Answer, send } from './security/support/requests.js';
import { importEgg, untilStatus } from './support/game.js';
import { insertInto, LostReplyProxy } from './support/lost-reply-proxy.js';
import { bootStack, type TestStack } from './support/stack.js';

/** A creating request, and the count of its objects. */
interface Creation {
  readonly name: string;
  readonly path: string;
  readonly json: object;
  readonly service: 'identity' | 'servers';
  readonly collection: string;
  readonly filter: object;
  readonly key: string;
}

/** A dead worker's claim on a key lapses after 15 s. */
const lapseMs = 30_000;

describe('creation whose response is lost', function () {
  this.timeout(180_000);
  let test: TestStack;
  let databases: Databases;
  let redis: LostReplyProxy;
  const mongo = new Map<Creation['service'], LostReplyProxy>();
  let eggId: string;

  before(async function () {
    const [mongoUrl, redisUrl] = [testMongoUrl('idempotency'), await testRedisUrl()];
    if (redisUrl === null) {
      this.skip();
      return;
    }
    redis = await LostReplyProxy.start(redisUrl);
    const overrides: Record<string, Record<string, string>> = { gateway: { REDIS_URL: redis.proxiedUrl(redisUrl) } };
    for (const service of ['identity', 'servers'] as const) {
      const proxy = await LostReplyProxy.start(mongoUrl);
      mongo.set(service, proxy);
      overrides[service] = { MONGO_URL: proxy.proxiedUrl(direct(databaseUrl(mongoUrl, service))) };
    }
    test = await bootStack({ MONGO_URL: mongoUrl, REDIS_URL: redisUrl }, { overrides });
    databases = await openDatabases(test.stack);
    eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
  });

  after(async () => {
    await databases?.close();
    await test?.stop();
    for (const proxy of [redis, ...mongo.values()]) proxy?.close();
  });

  /** Directly to the proxy, despite the database's own address. */
  const direct = (url: string) =>
    url.includes('directConnection=') ? url : `${url}${url.includes('?') ? '&' : '?'}directConnection=true`;

  const users = (): Creation => {
    const username = `u${randomUUID().slice(0, 8)}`;
    const json = { email: `${username}@example.org`, username, password: 'correct horse battery' };
    const stored = { service: 'identity', collection: 'users', filter: { username } } as const;
    return { name: 'users', path: '/admin/users', json, ...stored, key: randomUUID() };
  };
  const roles = (): Creation => {
    const name = randomUUID();
    const stored = { service: 'identity', collection: 'roles', filter: { name } } as const;
    return { name: 'roles', path: '/admin/roles', json: { name, permissions: [] }, ...stored, key: randomUUID() };
  };
  const apiKeys = (): Creation => {
    const description = randomUUID();
    const stored = { service: 'identity', collection: 'api_keys', filter: { description } } as const;
    return { name: 'API keys', path: '/account/api-keys', json: { description }, ...stored, key: randomUUID() };
  };
  const nodes = (): Creation => {
    const name = randomUUID();
    const place = { fqdn: 'localhost', runtime: 'process', files_address: '127.0.0.1:1', data_root: '/nowhere' };
    const json = { name, ...place, memory: 1024, disk: 1024, maintenance_mode: true };
    const stored = { service: 'servers', collection: 'nodes', filter: { name } } as const;
    return { name: 'nodes', path: '/admin/nodes', json, ...stored, key: randomUUID() };
  };
  const nests = (): Creation => {
    const name = randomUUID();
    const stored = { service: 'servers', collection: 'nests', filter: { name } } as const;
    const json = { name, author: 'me@example.org' };
    return { name: 'nests', path: '/admin/nests', json, ...stored, key: randomUUID() };
  };
  const servers = (): Creation => {
    const name = randomUUID();
    const json = { name, user_id: test.adminId, egg_id: eggId, memory: 128, cpu: 50, disk: 256 };
    const stored = { service: 'servers', collection: 'servers', filter: { name } } as const;
    return { name: 'servers', path: '/admin/servers', json, ...stored, key: randomUUID() };
  };

  const ask = async ({ path, json, key }: Creation): Promise<Answer> =>
    send(test.stack.baseUrl, `/api/v1${path}`, {
      token: test.admin.token() ?? '',
      json,
      headers: { 'idempotency-key': key },
    });
  const idOf = (answer: Answer) => (answer.body.data as { id: string }).id;
  const rowsOf = async ({ service, collection, filter }: Creation) =>
    databases.collection(service, collection).find(filter).toArray();
  /** Repeats the request until an answer, as a client without one. */
  const insist = async (creation: Creation): Promise<Answer> => {
    const seen = new Set<string>();
    const answer = await waitUntil(
      `an answer for ${creation.name}, not ${[...seen].join()}`,
      async () => {
        const given = await ask(creation);
        if (given.status === 201) return given;
        const reason = String(given.body.error?.details['reason']);
        seen.add(`${given.status} ${reason}`);
        if (given.status !== 503 && reason !== 'idempotency_in_flight') throw new Error(given.text);
        return null;
      },
      lapseMs,
    );
    return answer;
  };
  const failureOf = async (promise: Promise<Answer>) =>
    promise.then(
      ({ status }) => status,
      () => 'no answer',
    );
  const theOne = async (creation: Creation, answer: Answer): Promise<void> => {
    const rows = await rowsOf(creation);
    expect(rows.map(({ _id }) => _id)).to.deep.equal([idOf(answer)]);
  };
  const works = async (answer = expect.fail('no answer') as Answer) => {
    const { key } = answer.body.data as { readonly key: string };
    const { data } = await createPanelClient({ baseUrl: test.stack.baseUrl, token: key }).get('/account');
    expect(data.id).to.equal(test.adminId);
  };

  it('results in one object when the service is killed between insert and response', async () => {
    const creations = [users(), roles(), apiKeys(), nodes(), nests(), servers()];
    const lost: Promise<number | string>[] = [];
    for (const creation of creations) {
      const replyLost = mongo.get(creation.service)?.loseReply(insertInto(creation.collection));
      lost.push(failureOf(ask(creation)));
      await replyLost;
      await waitUntil(`${creation.name} in the database`, async () => (await rowsOf(creation)).length > 0);
    }
    for (const service of mongo.keys()) await test.stack.kill(service, 'SIGKILL');
    expect(new Set(await Promise.all(lost))).to.deep.equal(new Set([503]));
    for (const service of mongo.keys()) await test.stack.whenReady(service);
    const made = await Promise.all(creations.map(async (creation) => (await rowsOf(creation))[0]?._id));
    const answers = await Promise.all(creations.map(insist));
    expect(answers.map(idOf)).to.deep.equal(made);
    for (const [index, creation] of creations.entries()) {
      const answer = answers[index] ?? expect.fail();
      await theOne(creation, answer);
      const again = await ask(creation);
      expect([again.status, again.text]).to.deep.equal([201, answer.text]);
      expect(again.headers['idempotent-replayed']).to.equal('true');
    }
    await works(answers[2]);
    await untilStatus(test.admin, idOf(answers[5] ?? expect.fail()), 'offline', 60_000);
  });

  it('results in one object with a working key when the gateway is killed before it stores the response', async () => {
    const creations = [users(), roles(), apiKeys(), nodes(), nests(), servers()];
    for (const creation of creations) {
      const replyLost = redis.loseReply(' response ', 'drop');
      const lost = failureOf(ask(creation));
      await replyLost;
      await test.stack.kill('gateway', 'SIGKILL');
      expect(await lost).to.equal('no answer');
      await test.stack.whenReady('gateway');
      expect(await rowsOf(creation)).to.have.length(1);
    }
    const answers = await Promise.all(creations.map(insist));
    for (const [index, creation] of creations.entries()) await theOne(creation, answers[index] ?? expect.fail());
    expect(answers.every(({ headers }) => headers['idempotent-replayed'] === undefined)).to.equal(true);
    await works(answers[2]);
  });
});
