import { ApiError, createPanelClient } from '@panel/client';
import { testRedisUrl } from '@panel/stack/testing';
import { expect } from 'chai';
import { createGame } from './support/game.js';
import { adminPassword, bootStack, type TestStack } from './support/stack.js';

async function statusOf(promise: Promise<unknown>): Promise<number> {
  return promise.then(
    () => 200,
    (error: unknown) => {
      if (error instanceof ApiError) return error.status;
      throw error;
    },
  );
}

describe('two gateways on one Redis', function () {
  this.timeout(120_000);
  let test: TestStack;
  let second: string;

  before(async function () {
    const redisUrl = await testRedisUrl();
    if (redisUrl === null) this.skip();
    test = await bootStack({ REDIS_URL: redisUrl, RATE_LIMIT_GENERAL: '200' }, { gateways: 2 });
    second = test.stack.gateways[1]?.baseUrl ?? '';
  });

  after(async () => test?.stop());

  it('share the revocation of a session: the next request elsewhere is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const one = createPanelClient({ baseUrl: test.stack.baseUrl });
      const tokens = await one.login(test.stack.adminEmail, adminPassword);
      const other = createPanelClient({ baseUrl: second, token: tokens.access_token });
      expect(await statusOf(other.get('/account'))).to.equal(200);
      await one.logout();
      expect(await statusOf(other.get('/account'))).to.equal(401);
    }
  });

  it('share the deletion of an API key', async () => {
    const { data } = await test.admin.post('/account/api-keys', {
      body: { description: 'to be deleted' },
    });
    const other = createPanelClient({ baseUrl: second, token: data.key });
    expect(await statusOf(other.get('/servers'))).to.equal(200);
    await test.admin.delete('/account/api-keys/{key-id}', { params: { key_id: data.id } });
    expect(await statusOf(other.get('/servers'))).to.equal(401);
  });

  it('close a socket at one within 5 s of the sign-out at the other', async () => {
    const { id } = await createGame(test);
    const one = createPanelClient({ baseUrl: test.stack.baseUrl });
    const tokens = await one.login(test.stack.adminEmail, adminPassword);
    const other = createPanelClient({ baseUrl: second, token: tokens.access_token });
    const console = await other.openConsole(id);
    const begin = performance.now();
    await one.logout();
    expect((await console.closed).code).to.equal(4401);
    expect(performance.now() - begin).to.be.below(5_000);
  });

  it('count one user together, over sessions, keys and gateways, exactly', async () => {
    const { data: key } = await test.admin.post('/account/api-keys', {
      body: { description: 'counts' },
    });
    const callers = [test.stack.baseUrl, second].map((baseUrl) => createPanelClient({ baseUrl, token: key.key }));
    const remaining = async (at: number) => {
      const { headers } = await (callers[at] ?? test.admin).get('/account');
      return Number(headers.get('x-ratelimit-remaining'));
    };
    const start = await remaining(0);
    await Promise.all(Array.from({ length: 20 }, async (_, index) => remaining(index % 2)));
    expect(await remaining(1)).to.equal(start - 21);
  });
});
