import { pause } from '@panel/kit/async';
import { ApiError } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import type { SharedStack } from '../support/stack.js';

const clients = 6;
const pauseMs = 40;
/** Less than a silence after which a service counts as away; a busy machine may take longer to start one. */
const patienceMs = 7_000;

describe('restart of a service under load', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let id: string;
  before(async () => {
    test = await sharedStack();
    ({ id } = await createGame(test));
  });

  /** What its customers and staff ask of each. */
  const requestsOf: Readonly<Record<string, (turn: number) => Promise<unknown>>> = {
    identity: async (turn) => (turn % 2 === 0 ? test.admin.get('/account') : test.admin.get('/admin/users')),
    servers: async (turn) =>
      turn % 2 === 0
        ? test.admin.get('/servers/{id}', { params: { id } })
        : test.admin.put('/admin/servers/{id}', { params: { id }, body: { name: `game ${turn}` } }),
    files: async (turn) => {
      const path = `/note-${turn % 5}.txt`;
      return turn % 2 === 0
        ? test.admin.get('/servers/{id}/files/list', { params: { id }, query: {} })
        : test.admin.put('/servers/{id}/files/write', { params: { id }, body: { path, content: `turn ${turn}` } });
    },
    billing: async (turn) => (turn % 2 === 0 ? test.admin.get('/store/products') : test.admin.get('/billing/invoices')),
    admin: async () => test.admin.get('/admin/settings'),
  };

  for (const [service, request] of Object.entries(requestsOf)) {
    it(`loses no request while ${service} starts anew`, async () => {
      const failures: string[] = [];
      const done = new AbortController();
      let answered = 0;
      let answeredAt = performance.now();
      const ask = async (first: number) => {
        for (let turn = first; !done.signal.aborted; turn += clients) {
          try {
            await request(turn);
            answered += 1;
            answeredAt = performance.now();
          } catch (error) {
            const silentMs = performance.now() - answeredAt;
            const words = error instanceof ApiError ? `${error.status} ${error.message}` : String(error);
            if (silentMs < patienceMs) failures.push(`${words} after ${silentMs.toFixed(0)} ms`);
          }
          await pause(pauseMs);
        }
      };
      const asking = Promise.all(Array.from({ length: clients }, async (_, first) => ask(first)));
      const more = async (count: number) => {
        const wanted = answered + count;
        await waitUntil(`${count} more answers`, () => answered >= wanted, 40_000);
      };
      await more(30);
      await test.stack.kill(service, 'SIGTERM');
      await test.stack.whenReady(service);
      await more(60);
      done.abort();
      await asking;
      expect(failures).to.deep.equal([]);
    });
  }
});
