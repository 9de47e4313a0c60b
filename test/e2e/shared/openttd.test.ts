import { expect } from 'chai';
import { docker, ensureOpenttd } from '../support/engine.js';
import { ask, createServer, importEgg, lineWith, power, untilStatus } from '../support/game.js';
import { openttdEgg } from '../support/openttd.js';
import { sharedStackOn } from '../support/runtimes.js';
import type { SharedStack } from '../support/stack.js';

describe('game server of Debian in a container', function () {
  this.timeout(420_000);
  let test: SharedStack;
  let place: Awaited<ReturnType<typeof sharedStackOn>>['place'];

  before(async function () {
    ({ test, place } = await sharedStackOn('docker', this));
    await ensureOpenttd();
  });

  it('imports, installs, starts, controls and stops a game server of Debian in a container', async () => {
    const eggId = await importEgg(test.admin, JSON.stringify(openttdEgg));
    const { id, allocation } = await createServer(test, eggId, {
      name: 'OpenTTD',
      memory: 512,
      cpu: 200,
      ...(await place()),
      environment: { SERVER_TITLE: 'Grüne Bahn' },
    });
    const { data: list } = await test.admin.get('/servers/{id}/files/list', {
      params: { id },
      query: { directory: '/' },
    });
    expect(list.map(({ name }) => name)).to.include('openttd.cfg');
    const { data: file } = await test.admin.get('/servers/{id}/files/contents', {
      params: { id },
      query: { path: '/openttd.cfg' },
    });
    expect(file.content).to.contain('server_name = Grüne Bahn');

    const console = await test.admin.openConsole(id);
    await power(test.admin, id, 'start');
    await lineWith(console, 'Map generated, starting game', false, 120_000);
    await untilStatus(test.admin, id, 'running', 30_000);
    await ask(console, 'say hello there', 'hello there');
    await ask(console, 'server_info', 'Current/maximum clients');

    const container = await runningContainer(id);
    expect(container.HostConfig.ReadonlyRootfs).to.equal(true);
    expect(container.Config.User).not.to.match(/^(|0|root)(:|$)/);
    expect(Object.keys(container.NetworkSettings.Ports)).to.have.members([
      `${allocation?.port}/tcp`,
      `${allocation?.port}/udp`,
    ]);

    const goodbye = lineWith(console, 'Shutting down', true, 30_000);
    await power(test.admin, id, 'stop');
    await goodbye;
    await untilStatus(test.admin, id, 'offline');
    const { data: resources } = await test.admin.get('/servers/{id}/resources', { params: { id } });
    expect(resources).to.include({ state: 'offline', memory: 0 });
    await console.close();
  });

  async function runningContainer(serverId: string) {
    const found = await docker.listContainers({ filters: { name: [serverId] } });
    const first = found[0];
    if (!first) throw new Error(`no container of ${serverId} runs`);
    return docker.getContainer(first.Id).inspect();
  }
});
