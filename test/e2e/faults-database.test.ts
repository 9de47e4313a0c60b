import { randomUUID } from 'node:crypto';
import { ApiError, type ConsoleSocket } from '@panel/client';
import { messageOf } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { type BreakableProxy, startBreakableProxy, testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { ask, createGame, startGame } from './support/game.js';
import { bootStack, type TestStack } from './support/stack.js';

/** With a known outage: a second, and less than two consecutive waits of a second. */
const maxAnswerMs = 1_900;

describe('unreachable database', function () {
  this.timeout(180_000);
  let test: TestStack;
  let proxy: BreakableProxy;
  let console: ConsoleSocket;
  let serverId: string;

  before(async () => {
    const url = new URL(testMongoUrl('outage'));
    proxy = await startBreakableProxy({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${proxy.port}`;
    test = await bootStack({ MONGO_URL: url.href });
    serverId = (await createGame(test)).id;
    await startGame(test.admin, serverId);
    console = await test.admin.openConsole(serverId);
    await ask(console, 'say ready', '[say] ready');
  });
  after(async () => {
    await proxy?.mend();
    await test?.stop();
    await proxy?.close();
  });

  const requests: Readonly<Record<string, () => Promise<unknown>>> = {
    'GET /servers': async () => test.admin.get('/servers'),
    'GET /servers/{id}': async () => test.admin.get('/servers/{id}', { params: { id: serverId } }),
    'GET /account': async () => test.admin.get('/account'),
    'GET /admin/settings': async () => test.admin.get('/admin/settings'),
    'GET /billing/invoices': async () => test.admin.get('/billing/invoices'),
    'PUT /servers/{id}': async () =>
      test.admin.put('/servers/{id}', { params: { id: serverId }, body: { name: 'renamed' } }),
    'POST /admin/nests': async () =>
      test.admin.post('/admin/nests', { body: { name: randomUUID(), author: 'a@b.example' } }),
  };

  /** Time and status of all requests. */
  const askAll = async () =>
    Promise.all(
      Object.entries(requests).map(async ([name, request]) => {
        const begin = performance.now();
        const status = await request().then(
          () => 200,
          (error: unknown) => (error instanceof ApiError ? error.status : String(error)),
        );
        return { name, status, ms: performance.now() - begin };
      }),
    );

  /** The fastest of three rounds excludes machine load. */
  const expectFastRefusals = async () => {
    const fastest = new Map<string, number>();
    for (let round = 0; round < 3; round += 1) {
      for (const { name, status, ms } of await askAll()) {
        expect(status, name).to.equal(503);
        fastest.set(name, Math.min(ms, fastest.get(name) ?? Infinity));
      }
    }
    for (const [name, ms] of fastest) expect(ms, name).to.be.below(maxAnswerMs);
  };

  const expectOpenConsole = async () =>
    console.waitFor('a line during the outage', ({ type }) => type === 'console_output', { fromNow: true });

  const expectRecovery = async () => {
    let wrong = '';
    const isWell = async () => {
      const refused = (await askAll()).filter(({ status }) => status !== 200);
      wrong = refused.map(({ name, status }) => `${name} ${status}`).join(', ');
      return refused.length === 0;
    };
    await waitUntil('every request to work again', isWell).catch((cause: unknown) => {
      throw new Error(`${messageOf(cause)}: ${wrong}`, { cause });
    });
    await ask(console, 'say it is back', '[say] it is back');
  };

  it('answers with 503 within a second while the database refuses connections, and keeps consoles open', async () => {
    await proxy.refuse();
    await expectFastRefusals();
    await expectOpenConsole();
    await expectFastRefusals();
    await proxy.mend();
    await expectRecovery();
  });

  it('answers with 503 while the database does not answer, within a second once that is known', async () => {
    proxy.hang();
    await waitUntil('the outage to be known', async () => (await askAll()).every(({ ms }) => ms < maxAnswerMs), 60_000);
    await expectFastRefusals();
    await expectOpenConsole();
    await proxy.mend();
    await expectRecovery();
  });
});
