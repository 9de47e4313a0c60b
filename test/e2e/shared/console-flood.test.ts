import { quickestMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { createServer, importEgg, lineWith, power, startGame, untilStatus } from '../support/game.js';
import { runtimes, sharedStackOn } from '../support/runtimes.js';
import type { SharedStack } from '../support/stack.js';

/** A game that greets, then prints endlessly at full speed. */
const egg = JSON.stringify({
  meta: { version: 'PTDL_v2' },
  name: 'Flood',
  author: 'tests@example.com',
  docker_images: { Shell: '~busybox:stable' },
  startup: "echo ready; sleep 2; yes 'java.lang.IllegalStateException: the same stack trace again and again'",
  config: { files: '{}', startup: '{"done": "ready"}', logs: '{}', stop: '^C' },
  scripts: { installation: { script: 'true', container: '~busybox:stable', entrypoint: 'sh' } },
  variables: [],
});

for (const runtime of runtimes) {
  describe(`console flood (${runtime})`, function () {
    this.timeout(180_000);
    let test: SharedStack;
    let place: Awaited<ReturnType<typeof sharedStackOn>>['place'];
    before(async function () {
      ({ test, place } = await sharedStackOn(runtime, this));
    });

    it('throttles a console flood with a notice, keeps its reader with stats and states, and affects no others', async () => {
      const eggId = await importEgg(test.admin, egg);
      const { id } = await createServer(test, eggId, { memory: 128, ...(await place()) });
      const { id: quiet } = await createServer(test, eggId, { memory: 128, ...(await place()) });
      const console = await test.admin.openConsole(id);
      await startGame(test.admin, id);
      for (let notice = 1; notice <= 3; notice++) {
        await lineWith(console, 'lines were left out', true, 60_000);
        await console.waitFor('usage', (said) => said.type === 'stats', { fromNow: true, timeoutMs: 20_000 });
        const ask = async () => test.admin.get('/servers/{id}/resources', { params: { id: quiet } });
        expect(await quickestMs(ask, 3)).to.be.below(1_500);
      }
      await power(test.admin, id, 'kill');
      const isOffline = (said: { type: string; status?: unknown }) =>
        said.type === 'status' && said.status === 'offline';
      await console.waitFor('the end', isOffline, { timeoutMs: 40_000 });
      await untilStatus(test.admin, id, 'offline');
      await console.close();
    });
  });
}
