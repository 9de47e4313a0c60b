import { ApiError, type ConsoleSocket, createPanelClient, type PanelClient } from '@panel/client';
import { realTime, waitUntil } from '@panel/kit/testing';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { createGame } from './support/game.js';
import { bootStack, type TestStack } from './support/stack.js';

const socketsPerUser = 20;

const codeOf = (error: unknown): string =>
  error instanceof ApiError ? `${error.status} ${error.code}` : String(error);

describe('limits at two gateways', function () {
  this.timeout(180_000);
  let test: TestStack;
  let clients: PanelClient[];
  let serverId: string;

  before(async function () {
    const redisUrl = await testRedisUrl();
    if (redisUrl === null) {
      this.skip();
      return;
    }
    test = await bootStack({ REDIS_URL: redisUrl, RATE_LIMIT_BACKUP: '2' }, { gateways: 2 });
    serverId = (await createGame(test, { backups_limit: 10 })).id;
    clients = test.stack.gateways.map(({ baseUrl }) => createPanelClient({ baseUrl, token: test.admin.token() ?? '' }));
  });
  after(async () => test?.stop());

  const open = async (at: number): Promise<ConsoleSocket> => (clients[at] ?? expect.fail()).openConsole(serverId);
  const refusal = async (at: number) =>
    open(at).then(
      () => 'opened',
      (error: unknown) => (error instanceof ApiError ? error.status : String(error)),
    );

  it('limits the rate of backups for each server', async () => {
    const answers = [];
    for (let count = 0; count < 3; count++) {
      const creating = clients[0]?.post('/servers/{id}/backups', { params: { id: serverId }, body: {} });
      answers.push(await creating?.then(() => 'none', codeOf));
    }
    expect(answers).to.deep.equal(['none', 'none', '429 rate_limit_exceeded']);
  });

  it('limits socket slots per user at two gateways and releases them when a gateway is killed', async () => {
    const sockets: ConsoleSocket[] = [];
    for (let count = 0; count < socketsPerUser; count++) sockets.push(await open(1));
    for (const at of [0, 1]) expect(await refusal(at)).to.equal(429);
    await test.stack.kill('gateway-2', 'SIGKILL');
    await Promise.all(sockets.map(async ({ closed }) => closed));
    expect(await refusal(0)).to.equal(429);
    await waitUntil(
      'the leases to end',
      async () => (await refusal(0)) === 'opened' || (await realTime(500, 'each try takes of the rate limit')),
      10_000,
    );
  });
});
