import { quickestMs, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import {
  ImportEggRequest_Format,
  ListServersRequest,
  ListServersRequest_Scope,
  Node_Status,
  PowerAction,
  RunSettings_AutoStart,
  type Server,
  Server_Status,
  UpdateServerRequest,
} from '@panel/protos/servers';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { PrivateEngine, privateEngineMissing } from '../support/private-engine.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, localImage, reasonOf, waitForServer, type Fixture } from '../support/fixture.js';

/** A number every 50 ms until "stop". */
const ticker = [
  'echo ready to play',
  '(i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.05; done) &',
  // Whole lines: a read timeout loses a part.
  'while read -r word; do [ "$word" = stop ] && { kill $!; wait $! 2>/dev/null; echo bye; exit 0; }; done',
].join('\n');
const egg = { startup: `sh -c '${ticker}'` };

const numbered = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith('line ')).map((line) => Number(line.slice(5)));
const missing = await privateEngineMissing();

/** For one suite. */
function useEngine(options: { liveRestore: boolean; environment?: Record<string, string> }) {
  const made: { engine?: PrivateEngine; fixture?: Fixture } = {};
  const started: string[] = [];
  const watchers: ConsoleWatcher[] = [];
  before(async function () {
    this.timeout(180_000);
    made.engine = await PrivateEngine.start({ liveRestore: options.liveRestore });
    made.fixture = await createFixture({
      engineUrl: made.engine.url,
      egg,
      environment: { CRASH_MAX_RESTARTS: '0', CRASH_BACKOFF: '400ms', ...options.environment },
    });
  });
  // Games left running would slow later tests.
  afterEach(async () => {
    for (const watching of watchers.splice(0)) await watching.stop();
    for (const serverId of started.splice(0))
      await made.fixture?.owner.console.sendPowerAction({ serverId, action: PowerAction.KILL }).catch(() => undefined);
  });
  after(async function () {
    this.timeout(180_000);
    await made.fixture?.stop();
    await made.engine?.remove();
  });
  return {
    get engine(): PrivateEngine {
      if (!made.engine) throw new Error('no engine');
      return made.engine;
    },
    get fixture(): Fixture {
      if (!made.fixture) throw new Error('no fixture');
      return made.fixture;
    },
    /** Without an installer's container: the egg's startup needs no files. */
    async installed(): Promise<string> {
      return (await this.fixture.installed({ skipScripts: true })).id;
    },
    async running(): Promise<string> {
      const id = await this.installed();
      await this.start(id);
      return id;
    },
    async start(id: string): Promise<void> {
      started.push(id);
      await this.fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await this.status(id, Server_Status.RUNNING);
    },
    watch(id: string): ConsoleWatcher {
      const watching = new ConsoleWatcher(this.fixture.owner, id);
      watchers.push(watching);
      return watching;
    },
    async status(id: string, wanted: Server_Status, timeoutMs = 60_000): Promise<void> {
      await waitForServer(this.fixture.owner, id, ({ status }) => status === wanted, timeoutMs);
    },
    async nodeStatus(wanted: Node_Status): Promise<void> {
      await waitUntil(`the node to be ${wanted}`, async () => {
        const { node } = await this.fixture.admin.nodes.getNode({ nodeId: this.fixture.nodeId });
        return node?.status === wanted;
      });
    },
  };
}

describe('engine faults', function () {
  if (missing !== null) {
    it(
      `skips engine faults: needs its own engine (${missing})`,
      process.env.CI ? () => Promise.reject(new Error(missing)) : undefined,
    );
    return;
  }
  this.timeout(180_000);

  describe('engine that keeps containers over its restart', () => {
    const use = useEngine({ liveRestore: true });

    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      it(`keeps games and consoles over ${signal} and a start of the engine`, async () => {
        const id = await use.running();
        const started = await use.engine.docker.getContainer(id).inspect();
        const watching = use.watch(id);
        await watching.until(({ lines }) => numbered(lines).length > 20);
        await use.engine.down(signal);
        await use.nodeStatus(Node_Status.OFFLINE);
        await use.status(id, Server_Status.UNKNOWN);
        const said = Math.max(...numbered(watching.lines));
        await use.engine.up();
        await use.nodeStatus(Node_Status.ONLINE);
        await use.status(id, Server_Status.RUNNING);
        await watching.until(({ lines }) => numbered(lines).includes(said + 50), 30_000);
        const numbers = numbered(watching.lines);
        expect(numbers).to.deep.equal(numbers.map((_, at) => (numbers[0] ?? 0) + at));
        expect(watching.states).to.deep.equal(['POWER_STATE_RUNNING']);
        const now = await use.engine.docker.getContainer(id).inspect();
        expect([now.Id, now.State.Pid]).to.deep.equal([started.Id, started.State.Pid]);
        await use.fixture.owner.console.sendCommand({ serverId: id, command: 'stop' });
        await watching.untilLine('bye');
        await use.status(id, Server_Status.OFFLINE);
      });
    }

    it('detects games that ended during the outage and restarts them', async () => {
      const id = await use.running();
      const { State } = await use.engine.docker.getContainer(id).inspect();
      await use.engine.down();
      await use.engine.inside('kill', ['-9', String(State.Pid)]);
      await use.engine.up();
      await waitUntil('another run', async () => {
        const info = await use.engine.docker
          .getContainer(id)
          .inspect()
          .catch(() => null);
        return info !== null && info.State.Running && info.State.Pid !== State.Pid;
      });
      await use.status(id, Server_Status.RUNNING);
    });

    it('restarts an interrupted installation and leaves no installer', async () => {
      const script = 'cd /mnt/server; echo begun; [ -e again ] && exit 0; touch again; while :; do sleep 1; done';
      const { egg: slow } = await use.fixture.admin.eggs.importEgg({
        content: eggBytes({
          docker_images: { Shell: localImage },
          scripts: { installation: { script, container: localImage, entrypoint: 'sh' } },
        }),
        format: ImportEggRequest_Format.JSON,
        nestId: '',
      });
      const { id } = await use.fixture.createServer({ eggId: slow?.id ?? '' });
      const watching = use.watch(id);
      await watching.until(({ installLines }) => installLines.includes('begun'));
      await use.engine.down('SIGKILL');
      await watching.until(({ installLines }) => installLines.some((line) => line.includes('begins anew')));
      await use.engine.up();
      await use.status(id, Server_Status.OFFLINE, 60_000);
      const left = await use.engine.docker.listContainers({ all: true, filters: { label: [`panel.server=${id}`] } });
      expect(left).to.deep.equal([]);
    });

    it('reports unknown within a minute while the engine hangs, refuses clearly and recovers', async () => {
      const id = await use.running();
      const other = await use.installed();
      use.engine.freeze();
      try {
        await use.status(id, Server_Status.UNKNOWN, 60_000);
        const read = async () => {
          const { resources } = await use.fixture.owner.console.getResources({ serverId: id });
          expect(resources?.memoryBytes).to.be.a('number');
          const { resourcesByServerId } = await use.fixture.owner.console.batchGetResources({ serverIds: [id, other] });
          expect(Object.keys(resourcesByServerId)).to.have.members([id, other]);
          const { servers } = await use.fixture.owner.servers.listServers(
            ListServersRequest.create({ scope: ListServersRequest_Scope.OWN }),
          );
          expect(servers.map(({ id: listed }) => listed)).to.include.members([id, other]);
        };
        expect(await quickestMs(read, 3)).to.be.below(3_000);
        expect(
          await reasonOf(use.fixture.owner.console.sendPowerAction({ serverId: other, action: PowerAction.START })),
        ).to.equal('NODE_UNREACHABLE');
      } finally {
        use.engine.thaw();
      }
      await use.status(id, Server_Status.RUNNING, 60_000);
      await use.start(other);
    });

    const byHand: [string, (id: string) => Promise<unknown>][] = [
      ['removed', (id) => use.engine.docker.getContainer(id).remove({ force: true })],
      ['killed', (id) => use.engine.docker.getContainer(id).kill()],
      ['stopped', (id) => use.engine.docker.getContainer(id).stop({ t: 1 })],
      ['restarted', (id) => use.engine.docker.getContainer(id).restart({ t: 0 })],
    ];
    for (const [what, act] of byHand) {
      it(`detects a game that was ${what} by the operator, reports it and restarts it`, async () => {
        const id = await use.running();
        const watching = use.watch(id);
        await watching.until(({ lines }) => numbered(lines).length > 5);
        const before = watching.lines.length;
        await act(id);
        await watching.until(({ lines }) => lines.some((line) => line.includes('was ended from outside')));
        await watching.until(({ lines }) => lines.slice(before).includes('ready to play'));
        await watching.until(({ lines }) => numbered(lines.slice(before)).includes(10));
        await use.status(id, Server_Status.RUNNING);
        const { resources } = await use.fixture.owner.console.getResources({ serverId: id });
        expect(resources?.state).to.equal('POWER_STATE_RUNNING');
        await use.fixture.owner.console.sendCommand({ serverId: id, command: 'stop' });
        await use.status(id, Server_Status.OFFLINE);
      });
    }

    it('resumes a game that the operator paused and reports it', async () => {
      const id = await use.running();
      const watching = use.watch(id);
      await use.engine.docker.getContainer(id).pause();
      await watching.until(({ lines }) => lines.some((line) => line.includes('paused')));
      await watching.until(({ lines }) => lines.some((line) => line.includes('goes on')), 30_000);
      const last = Math.max(...numbered(watching.lines));
      await watching.until(({ lines }) => numbered(lines).includes(last + 20));
    });

    it('sends the stop command before the engine shuts a game down', async () => {
      const id = await use.installed();
      const startup = `sh -c 'trap "sleep 0.5; echo saved; exit 0" TERM; echo ready to play; while :; do sleep 0.1; done'`;
      await use.fixture.admin.servers.updateServer(UpdateServerRequest.create({ serverId: id, startup }));
      await use.start(id);
      const watching = use.watch(id);
      await use.engine.docker.getContainer(id).stop();
      await watching.untilLine('saved');
      await watching.until(({ lines }) => lines.some((line) => line.includes('from outside of the panel')));
    });

    it('resumes a paused game before stopping it, and runs it as staff have set', async function () {
      this.timeout(180_000);
      const { id } = await use.fixture.installed();
      // Whole lines: a read timeout loses a part.
      await use.fixture.admin.servers.updateServer(
        UpdateServerRequest.create({
          serverId: id,
          startup: 'sh game.sh',
          // A busy machine may exceed the tests' grace.
          runSettings: {
            autoStart: RunSettings_AutoStart.UNSPECIFIED,
            stopGraceSeconds: 40,
            timezone: 'Asia/Tokyo',
            threads: '0',
            oomDisabled: true,
          },
        }),
      );
      await use.start(id);
      const watching = use.watch(id);
      const { HostConfig, Config } = await use.engine.docker.getContainer(id).inspect();
      expect(HostConfig, 'what staff have set').to.include({ CpusetCpus: '0', OomKillDisable: true });
      expect(Config.Env).to.include('TZ=Asia/Tokyo');
      await use.engine.docker.getContainer(id).pause();
      await use.fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.STOP });
      await watching.untilLine('bye', 40_000);
      await use.status(id, Server_Status.OFFLINE);
    });

    it('keeps and reports unknown containers', async () => {
      const { Config } = await use.engine.docker.getContainer(await use.running()).inspect();
      const stranger = await use.engine.docker.createContainer({
        name: 'stranger',
        Image: 'panel-test/busybox:1',
        Cmd: ['sleep', '1000'],
        Labels: { ...Config.Labels, 'panel.server': '00000000-0000-4000-8000-000000000001' },
        HostConfig: { NetworkMode: 'none' },
      });
      await stranger.start();
      await waitUntil('the report', async () => {
        const { node } = await use.fixture.admin.nodes.getNode({ nodeId: use.fixture.nodeId });
        return node?.unknownInstanceIds.includes('00000000-0000-4000-8000-000000000001') === true;
      });
      expect((await stranger.inspect()).State.Running).to.equal(true);
      await stranger.remove({ force: true });
    });
  });

  for (const cleanExit of ['true', 'false']) {
    describe(`engine that stops containers when it exits (CRASH_ON_CLEAN_EXIT=${cleanExit})`, () => {
      const use = useEngine({
        liveRestore: false,
        environment: { CRASH_ON_CLEAN_EXIT: cleanExit },
      });

      it('restarts the games after every engine restart', async () => {
        const ids = [await use.running(), await use.running()];
        const stopped = await use.installed();
        for (let round = 0; round < 3; round++) {
          await use.engine.down();
          await use.nodeStatus(Node_Status.OFFLINE);
          // First at once, then after the panel's notice of each game.
          const isNoticed = ({ status }: Server) => status !== Server_Status.RUNNING;
          if (round > 0) for (const id of ids) await waitForServer(use.fixture.owner, id, isNoticed, 30_000);
          await use.engine.up();
          for (const id of ids) await use.status(id, Server_Status.RUNNING, 60_000);
          const containers = await use.engine.docker.listContainers();
          expect(containers.map(({ Names }) => Names[0]?.slice(1))).to.have.members(ids);
        }
        await use.status(stopped, Server_Status.OFFLINE);
      });
    });
  }
});
