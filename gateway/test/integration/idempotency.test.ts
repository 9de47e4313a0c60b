import { randomUUID } from 'node:crypto';
import { AppError } from '@panel/kit/errors';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { gatewayFor, giveKey, signIn, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';
import { Fixture } from '../support/fixture.js';

const path = '/api/v1/account/api-keys';

describe('Idempotency-Key', () => {
  const fixture = new Fixture();
  const gateways: TestGateway[] = [];
  const redisPrefix = `test-idempotency-${process.pid}`;
  let redisUrl: string | null;

  before(async () => {
    await fixture.start();
    redisUrl = await testRedisUrl();
    for (let i = 0; i < 2; i++) gateways.push(await gatewayFor(fixture, { redisUrl, redisPrefix }));
  });
  after(async () => {
    await Promise.all(gateways.map(async ({ running }) => running.stop()));
    await fixture.stop();
  });
  beforeEach(() => {
    fixture.calls.length = 0;
    fixture.failing.clear();
  });

  const create = async (token: string, key: string, description = 'x', at = 0) => {
    const json = { description };
    const url = (redisUrl === null ? gateways[0] : gateways[at])?.url ?? '';
    return send(url, path, { token, json, headers: { 'idempotency-key': key } });
  };

  it('repeats the first response to the same request at every gateway', async () => {
    const { token } = signIn(fixture, fixture.createUser());
    const key = randomUUID();
    const first = await create(token, key);
    expect(first.status).to.equal(201);
    expect(first.headers['idempotent-replayed']).to.equal(undefined);
    expect(first.headers['location']).to.equal(path);
    for (const at of [0, 1]) {
      const again = await create(token, key, 'x', at);
      expect([again.status, again.text]).to.deep.equal([201, first.text]);
      expect(again.headers).to.include({ 'idempotent-replayed': 'true', location: path });
    }
    expect(fixture.count('createApiKey')).to.equal(1);
  });

  it('refuses another request with the same key', async () => {
    const { token } = signIn(fixture, fixture.createUser());
    const key = randomUUID();
    await create(token, key);
    const other = await create(token, key, 'y');
    expect([other.status, other.body.error?.code]).to.deep.equal([409, 'conflict']);
    expect(other.body.error?.details).to.deep.equal({ reason: 'idempotency_key_reused' });
  });

  it('separates an Idempotency-Key of one user from those of others', async () => {
    const key = randomUUID();
    const [one, other] = [signIn(fixture, fixture.createUser()).token, signIn(fixture, fixture.createUser()).token];
    const [a, b] = [await create(one, key), await create(other, key)];
    expect(a.text).not.to.equal(b.text);
    expect(fixture.count('createApiKey')).to.equal(2);
  });

  it('separates an API key from the sessions of its owner', async () => {
    const user = fixture.createUser();
    const [key, { token }, apiKey] = [randomUUID(), signIn(fixture, user), giveKey(fixture, user)];
    const [one, other] = [await create(token, key), await create(apiKey, key)];
    expect([one.status, other.status]).to.deep.equal([201, 201]);
    expect(other.text).not.to.equal(one.text);
    expect((await create(signIn(fixture, user).token, key)).text).to.equal(one.text);
  });

  it('executes one of 50 concurrent requests', async () => {
    const { token } = signIn(fixture, fixture.createUser());
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, async (_, i) => create(token, key, 'x', i % 2)));
    expect(fixture.count('createApiKey')).to.equal(1);
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ text }) => text)).size).to.equal(1);
    const others = answers.filter(({ status }) => status !== 201);
    expect(others.every(({ body }) => body.error?.details['reason'] === 'idempotency_in_flight')).to.equal(true);
  });

  it('accepts an Idempotency-Key again after a refusal', async () => {
    const { token } = signIn(fixture, fixture.createUser());
    const key = randomUUID();
    fixture.failing.set('createApiKey', new AppError('resource_exhausted', 'API_KEY_LIMIT', 'too many'));
    expect((await create(token, key)).status).to.equal(409);
    fixture.failing.clear();
    expect((await create(token, key)).status).to.equal(201);
  });

  it('stays claimed while the outcome is unknown', async () => {
    const { token } = signIn(fixture, fixture.createUser());
    const key = randomUUID();
    fixture.failing.set('createApiKey', new AppError('deadline_exceeded', 'DEADLINE_EXCEEDED', 'slow'));
    expect((await create(token, key)).status).to.equal(503);
    fixture.failing.clear();
    const again = await create(token, key);
    expect(again.body.error?.details).to.deep.equal({ reason: 'idempotency_in_flight' });
    expect(fixture.count('createApiKey')).to.equal(1);
  });

  it('passes one id per request to the service, however often it is repeated', async () => {
    const { token } = signIn(fixture, fixture.createUser());
    fixture.failing.set('createApiKey', new AppError('resource_exhausted', 'API_KEY_LIMIT', 'too many'));
    const key = randomUUID();
    fixture.creationIds.length = 0;
    await create(token, key);
    await create(token, key, 'x', 1);
    await create(token, randomUUID());
    const [a, b, c] = fixture.creationIds;
    expect(a).to.match(/^[0-9a-f-]{36}$/);
    expect([a === b, a === c]).to.deep.equal([true, false]);
  });

  it('ignores an Idempotency-Key where nothing is created, and refuses a malformed one', async () => {
    const { token } = signIn(fixture, fixture.createUser());
    const headers = { 'idempotency-key': 'x'.repeat(256) };
    const [{ url } = { url: '' }] = gateways;
    expect((await send(url, '/api/v1/account', { token, headers })).status).to.equal(200);
    expect((await send(url, path, { token, headers, json: { description: 'x' } })).status).to.equal(400);
  });

  it('stores no plain secret in Redis', async function () {
    if (redisUrl === null) {
      this.skip();
      return;
    }
    const { token } = signIn(fixture, fixture.createUser());
    const answer = (await create(token, 'a-key-to-look-for')).body.data as { key: string };
    const redis = new Redis(redisUrl);
    const keys = await redis.keys(`${redisPrefix}:idempotency:*`);
    const everything = `${keys.join()} ${(await Promise.all(keys.map(async (key) => redis.get(key)))).join()}`;
    redis.disconnect();
    expect(keys.length).to.be.greaterThan(0);
    expect(everything).not.to.contain(answer.key);
    expect(everything).not.to.contain('a-key-to-look-for');
  });
});
