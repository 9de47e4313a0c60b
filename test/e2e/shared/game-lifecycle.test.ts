import { ApiError, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { readEgg } from '@panel/stack';
import { expect } from 'chai';
import { ask, createGame, importEgg, lineWith, power, startGame, untilStatus } from '../support/game.js';
import { runtimes, sharedStackOn } from '../support/runtimes.js';
import type { SharedStack } from '../support/stack.js';

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw error;
}

/** The preceding action may still hold the lock. */
async function unlocked(client: PanelClient, id: string): Promise<void> {
  await waitUntil(
    'the end of the power action',
    async () => (await failure(power(client, id, 'start'))).code === 'conflict',
  );
}

/** The same life on every runtime. */
for (const runtime of runtimes) {
  describe(`lifecycle of a game server (${runtime})`, function () {
    this.timeout(180_000);
    let test: SharedStack;
    let place: Awaited<ReturnType<typeof sharedStackOn>>['place'];

    before(async function () {
      ({ test, place } = await sharedStackOn(runtime, this));
    });

    const createHere = async (name = 'game') => createGame(test, { name, ...(await place()) });

    it('runs from installation over console, stats and restart to a clean stop', async () => {
      const { id } = await createHere('whole life');
      const console = await test.admin.openConsole(id);
      expect((await console.next('status')).status).to.equal('offline');

      await startGame(test.admin, id);
      await lineWith(console, 'The caverns are open', false);
      await ask(console, 'say grüße', '[say] grüße');
      await ask(console, 'dig', 'You dig to depth 1');
      await ask(console, 'save', 'World saved at depth 1');

      const stats = await console.next('stats', { fromNow: true });
      expect(stats).to.include({ state: 'running', suspended: false });
      expect(stats.memory).to.be.a('number').above(0).and.equal(stats.memory_bytes);
      expect(stats.uptime).to.be.a('number').above(0);
      expect(stats.network).to.have.all.keys('rx_bytes', 'tx_bytes');
      const { data: resources } = await test.admin.get('/servers/{id}/resources', { params: { id } });
      expect(resources).to.have.all.keys(Object.keys(stats).filter((key) => key !== 'type'));

      const reloaded = lineWith(console, 'World loaded at depth 1');
      await power(test.admin, id, 'restart');
      await reloaded;
      await untilStatus(test.admin, id, 'running');

      const closed = lineWith(console, 'The caverns are closed');
      await power(test.admin, id, 'stop');
      await closed;
      await untilStatus(test.admin, id, 'offline');
      await console.close();
    });

    it('records the lifecycle in the activity of the server with actor and address', async () => {
      const { id } = await createHere();
      await startGame(test.admin, id);
      await power(test.admin, id, 'kill');
      await untilStatus(test.admin, id, 'offline');
      const events = async () => (await test.admin.get('/servers/{id}/activity', { params: { id } })).data;
      await waitUntil('the last event', async () =>
        (await events()).some(({ event }) => event === 'server:power.kill'),
      );
      const recorded = await events();
      expect(recorded.map(({ event }) => event)).to.include.members([
        'server:create',
        'server:install.completed',
        'server:power.start',
      ]);
      expect(recorded.find(({ event }) => event === 'server:power.start')).to.include({
        actor_id: test.adminId,
        ip: '127.0.0.1',
        server_id: id,
      });
    });

    it('shows the last lines to late readers', async () => {
      const { id } = await createHere();
      await startGame(test.admin, id);
      const first = await test.admin.openConsole(id);
      for (let count = 1; count <= 30; count++) await ask(first, `say line ${count}.`, `[say] line ${count}.`);
      const second = await test.admin.openConsole(id);
      await lineWith(second, 'line 30.', false);
      const said = second.messages
        .filter((message) => message.type === 'console_output')
        .flatMap(({ message }) => /\[say\] line (\d+)\./.exec(message)?.[1] ?? []);
      expect(said.map(Number)).to.deep.equal(Array.from({ length: 30 }, (_, index) => index + 1));
      await power(test.admin, id, 'kill');
      await first.close();
      await second.close();
    });

    it('refuses actions in the wrong state as documented and changes nothing', async () => {
      const { id } = await createHere();
      expect(await failure(power(test.admin, id, 'stop'))).to.include({ status: 409, code: 'conflict' });
      const command = test.admin.post('/servers/{id}/command', { params: { id }, body: { command: 'help' } });
      expect(await failure(command)).to.include({ status: 409, code: 'server_offline' });
      await power(test.admin, id, 'kill');
      await startGame(test.admin, id);
      await unlocked(test.admin, id);
      expect(await failure(power(test.admin, id, 'start'))).to.include({ status: 409, code: 'conflict' });
      await power(test.admin, id, 'kill');
      await untilStatus(test.admin, id, 'offline');
    });

    it('continues while the servers service is killed, and the console reconnects', async () => {
      const { id } = await createHere();
      await startGame(test.admin, id);
      const before = await test.admin.openConsole(id);
      await ask(before, 'dig', 'You dig to depth 1');

      await test.stack.kill('servers', 'SIGKILL');
      await test.stack.whenReady('servers');
      const after = await test.admin.openConsole(id);
      // Depth and moves are in memory: a restart would lose them.
      const status = await ask(after, 'status', ': depth 1,');
      expect(status).to.contain('moves 1');
      await untilStatus(test.admin, id, 'running');
      await power(test.admin, id, 'stop');
      await lineWith(after, 'The caverns are closed', false);
      await untilStatus(test.admin, id, 'offline');
      await after.close();
    });

    it('completes an installation whose worker was killed', async () => {
      const eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
      const fields = { user_id: test.adminId, egg_id: eggId, memory: 128, cpu: 100, disk: 1024 };
      const body = { name: 'interrupted', ...fields, ...(await place()) };
      const { id, status } = (await test.admin.post('/admin/servers', { body })).data;
      expect(status).to.equal('installing');
      await test.stack.kill('servers', 'SIGKILL');
      await test.stack.whenReady('servers');
      await untilStatus(test.admin, id, 'offline', 120_000);
      await startGame(test.admin, id);
      await power(test.admin, id, 'kill');
    });
  });
}
