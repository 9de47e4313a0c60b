import { randomUUID } from 'node:crypto';
import { createServer, type Server as TcpServer } from 'node:net';
import { quickestMs, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { Node_Runtime, Node_Status, PowerAction, Server_Status } from '@panel/protos/servers';
import { FaultInjector } from '../support/fault-injector.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, emptyNode, reasonOf, waitForServer, type Fixture } from '../support/fixture.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProcessRuntime } from '@panel/runtime';

const numbered = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith('line ')).map((line) => Number(line.slice(5)));

describe('unavailable engine', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  const outage = new FaultInjector();
  const directory = mkdtempSync(path.join(tmpdir(), 'panel-outage-'));
  before(async () => {
    fixture = await createFixture({ overrides: { createRuntime: outage.factory(directory) } });
  });
  afterEach(async () => {
    outage.mend();
    // Placement needs an online node.
    await nodeStatus(fixture.nodeId, Node_Status.ONLINE);
  });
  after(async () => {
    await fixture.stop();
    const runtime = createProcessRuntime({ runDir: path.join(directory, 'run', fixture.nodeId) });
    for (const { serverId } of await runtime.list()) await runtime.remove(serverId);
    await runtime.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const nodeStatus = async (nodeId: string, wanted: Node_Status) => {
    const isWanted = async () => (await fixture.admin.nodes.getNode({ nodeId })).node?.status === wanted;
    await waitUntil(`the node to be ${wanted}`, isWanted);
  };
  const running = async () => {
    const { id } = await fixture.installed();
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
    return id;
  };

  it('makes running servers unknown and recovers them without lost or duplicated lines', async () => {
    const id = await running();
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.untilLine('ready to play');
    await fixture.owner.console.sendCommand({ serverId: id, command: 'count 500' });
    await watching.untilLine('line 200');
    outage.cut();
    await nodeStatus(fixture.nodeId, Node_Status.OFFLINE);
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.UNKNOWN);
    const ask = async () => fixture.owner.console.getResources({ serverId: id });
    expect(await quickestMs(ask)).to.be.below(1_500);
    outage.mend();
    await nodeStatus(fixture.nodeId, Node_Status.ONLINE);
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
    await watching.untilLine('line 500');
    expect(numbered(watching.lines)).to.deep.equal(Array.from({ length: 500 }, (_, at) => at + 1));
    expect(watching.states).to.deep.equal(['POWER_STATE_RUNNING']);
    await watching.stop();
  });

  it('never reports offline while a restart waits to stop its running game', async () => {
    const id = await running();
    const watcher = new ConsoleWatcher(fixture.owner, id);
    await watcher.until(({ states }) => states.length > 0);
    await watcher.untilLine('ready to play');
    // A game that ignores its stop keeps the restart there.
    await fixture.owner.console.sendCommand({ serverId: id, command: 'hang' });
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.RESTART });
    await watcher.until(({ states }) => states.at(-1) === 'POWER_STATE_STOPPING');
    outage.cut();
    await watcher.until(({ lines }) => lines.some((line) => line.includes('restart waits for the container engine')));
    expect(watcher.states).not.to.include('POWER_STATE_OFFLINE');
    outage.mend();
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING, 40_000);
    await watcher.until(({ lines }) => lines.filter((line) => line.includes('ready to play')).length === 2, 40_000);
    await watcher.stop();
  });

  it('marks a console gap when more was written than is buffered', async () => {
    const id = await running();
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.untilLine('ready to play');
    outage.cut();
    const runtime = createProcessRuntime({ runDir: path.join(directory, 'run', fixture.nodeId) });
    await runtime.writeInput(id, 'wide 30000\n');
    await runtime.writeInput(id, 'hello\n');
    for await (const { data } of runtime.readOutput(id, { signal: AbortSignal.timeout(30_000) })) {
      if (data.includes('echo: hello')) break;
    }
    await runtime.close();
    outage.mend();
    await watching.untilLine('echo: hello', 30_000);
    const numbers = watching.lines.map((line) => Number(/^line (\d+) /.exec(line)?.[1]));
    const mark = watching.lines.findIndex((line) => line.includes('output was lost here'));
    expect(mark).to.be.greaterThan(0);
    expect(numbers[mark + 1]).to.be.greaterThan(1);
    expect(numbers.slice(mark + 1, -2)).to.deep.equal(
      numbers.slice(mark + 1, -2).map((_, at) => (numbers[mark + 1] ?? 0) + at),
    );
    expect(watching.lines.filter((line) => line.includes('output was lost here'))).to.have.length(1);
    await watching.stop();
  });

  it('executes an accepted stop as soon as the engine answers', async () => {
    const id = await running();
    outage.cut();
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.STOP });
    // Its worker inspects the game first.
    await waitUntil('the stop to fail', () => outage.refused.includes('inspect'));
    outage.mend();
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE, 30_000);
  });

  it('refuses a start immediately and accepts it once the engine answers', async () => {
    const { id } = await fixture.installed();
    outage.cut();
    await nodeStatus(fixture.nodeId, Node_Status.OFFLINE);
    const start = () => fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    expect(await reasonOf(start())).to.equal('NODE_UNREACHABLE');
    outage.mend();
    await start();
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
    expect(await reasonOf(start())).to.equal('ALREADY_RUNNING');
    outage.cut();
    await nodeStatus(fixture.nodeId, Node_Status.OFFLINE);
    expect(await reasonOf(start())).to.equal('NODE_UNREACHABLE');
  });

  it('skips an unavailable engine in a forced deletion, and ends the game when the engine is back', async () => {
    const id = await running();
    outage.cut();
    await fixture.admin.servers.deleteServer({ serverId: id, force: true });
    const isGone = async () =>
      (await reasonOf(fixture.admin.servers.getServer({ serverId: id, asStaff: true }))) === 'SERVER_NOT_FOUND';
    await waitUntil('the server to be gone', isGone);
    outage.mend();
    const runtime = createProcessRuntime({ runDir: path.join(directory, 'run', fixture.nodeId) });
    await waitUntil('the end of its game', async () => (await runtime.inspect(id)) === null);
    await runtime.close();
  });

  it('does not delay other nodes while it hangs or is unreachable', async () => {
    const hanging: TcpServer = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    const address = hanging.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const real = await createFixture();
    try {
      const urls = [`tcp://127.0.0.1:${port}`, 'tcp://127.0.0.1:1', 'unix:///nowhere/docker.sock'];
      for (const url of urls) {
        const engine = { url, tlsCa: '', tlsCert: '', tlsKey: '', tls: false };
        await real.admin.nodes.createNode({ ...emptyNode, name: randomUUID(), runtime: Node_Runtime.DOCKER, engine });
      }
      const started = performance.now();
      const { id } = await real.installed();
      await real.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await waitForServer(real.owner, id, ({ status }) => status === Server_Status.RUNNING);
      expect(performance.now() - started).to.be.below(20_000);
      const { nodes } = await real.admin.nodes.listNodes({ page: undefined });
      expect(nodes.find((node) => node.id === real.nodeId)?.status).to.equal(Node_Status.ONLINE);
      const areOffline = async () => {
        const { nodes: now } = await real.admin.nodes.listNodes({ page: undefined });
        return now.filter(({ status }) => status === Node_Status.OFFLINE).length === urls.length;
      };
      await waitUntil('the other nodes to be offline', areOffline);
    } finally {
      await real.stop();
      hanging.close();
    }
  });
});

describe('game whose files exceed the disk limit', function () {
  this.timeout(180_000);

  it('stops a game above the disk limit with a message, and starts it once space is freed', async () => {
    const fixture = await createFixture({ environment: { DISK_CHECK_INTERVAL: '300ms' } });
    try {
      const { id } = await fixture.installed();
      // Usage from a start is cached: this game starts full.
      const watching = new ConsoleWatcher(fixture.owner, id);
      await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await watching.untilLine('ready to play');
      fixture.harness.fakes.usedBytes = 200 * 1024 * 1024;
      await watching.until(({ lines }) => lines.some((line) => line.includes('200 MB of the 100 MB')));
      await watching.until(({ states }) => states.at(-1) === 'POWER_STATE_OFFLINE');
      await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await watching.until(({ lines }) => lines.some((line) => line.includes('delete some first')));
      await watching.stop();
    } finally {
      await fixture.stop();
    }
  });
});
