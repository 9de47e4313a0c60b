import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import {
  Operation_Kind,
  PowerAction,
  Server_Status,
  ServerOperation_Kind,
  ServerOperation_State,
} from '@panel/protos/servers';
import { createDockerRuntime, createProcessRuntime } from '@panel/runtime';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, gameEgg, reasonOf, waitForServer, type Fixture } from '../support/fixture.js';
import { removeDirectory } from '../support/harness.js';

const script = (text: string) => ({
  scripts: { installation: { script: text, container: 'debian:bookworm', entrypoint: 'sh' } },
});

describe('installation', function () {
  this.timeout(180_000);
  const worlds: Fixture[] = [];
  const newWorld = async (...args: Parameters<typeof createFixture>) => {
    const fixture = await createFixture(...args);
    worlds.push(fixture);
    return fixture;
  };
  afterEach(async () => {
    for (const fixture of worlds.splice(0)) await fixture.stop();
  });
  const done = (fixture: Fixture, id: string) =>
    waitForServer(fixture.owner, id, ({ operation }) => operation === undefined);

  it('reports the exit code of a failed script and starts nothing', async () => {
    const fixture = await newWorld({ egg: script('echo working; echo broken >&2; exit 42') });
    const created = await fixture.createServer({ startOnCompletion: true });
    const watching = new ConsoleWatcher(fixture.owner, created.id);
    const server = await done(fixture, created.id);
    expect(server.status).to.equal(Server_Status.INSTALL_FAILED);
    const seen = await fixture.admin.servers.getServer({ serverId: created.id, asStaff: true });
    expect(seen.server?.installRepeatable).to.equal(false);
    expect(server).to.include({ installExitCode: 42, installError: 'the install script ended with exit code 42' });
    await watching.until(({ installLines }) => installLines.some((line) => line.startsWith('Installation failed')));
    expect(watching.installLines).to.include.members(['working', 'broken']);
    expect(
      await reasonOf(fixture.owner.console.sendPowerAction({ serverId: created.id, action: PowerAction.START })),
    ).to.equal('INSTALL_FAILED');
    await watching.stop();
  });

  it('answers by its id what became of an installation', async () => {
    const fixture = await newWorld({ egg: script('sleep 1; exit 42') });
    const { id: serverId, operation } = await fixture.createServer();
    const operationId = operation?.id ?? '';
    const read = async (asked = operationId) =>
      (await fixture.owner.servers.getOperation({ serverId, operationId: asked })).operation;
    expect(await read()).to.include({ state: ServerOperation_State.IN_PROGRESS, endTime: undefined });
    await done(fixture, serverId);
    expect(await read()).to.deep.include({
      id: operationId,
      kind: ServerOperation_Kind.INSTALLING,
      state: ServerOperation_State.FAILED,
      error: 'the install script ended with exit code 42',
    });
    expect(await reasonOf(read('00000000-0000-4000-8000-000000000000'))).to.equal('OPERATION_NOT_FOUND');
  });

  it("shows the end of output that exceeds the reader's speed and keeps the reader", async () => {
    // Service and reader share this event loop: a busy machine must not cost the lease of the node.
    const environment = { NODE_LEASE_TTL: '60s' };
    const egg = script("yes 'a line' | head -n 600000; echo the end; exit 9");
    const fixture = await newWorld({ egg, environment });
    const created = await fixture.createServer();
    const watching = new ConsoleWatcher(fixture.owner, created.id, 150, 4);
    let hasFailed = false;
    watching.onEvent = (event) => {
      hasFailed ||= event?.$case === 'install' && event.value.text.startsWith('Installation failed');
    };
    await watching.until(() => hasFailed, 90_000);
    expect(watching.endReason).to.equal(undefined);
    const lines = watching.installLines;
    expect(lines.slice(-2)).to.deep.equal(['the end', lines.at(-1)]);
    expect(lines.some((line) => line.includes('were left out here'))).to.equal(true);
    const { lines: retained } = await fixture.owner.servers.getInstallLog({ serverId: created.id });
    expect(retained.map(({ text }) => text)).to.include('the end');
    await watching.stop();
  });

  it("gives the script the egg's default of a variable that takes over programs, and says so in its log", async () => {
    const flags = { name: 'x', user_viewable: true, user_editable: true, rules: 'string' };
    const variables = [
      { ...flags, env_variable: 'DOTNET_BUNDLE_EXTRACT_BASE_DIR', default_value: './.dotnet' },
      { ...flags, env_variable: 'BUN_PACKAGES', default_value: '' },
    ];
    const egg = { ...script('echo "in $DOTNET_BUNDLE_EXTRACT_BASE_DIR with $BUN_PACKAGES"'), variables };
    const fixture = await newWorld({ egg });
    const environment = { DOTNET_BUNDLE_EXTRACT_BASE_DIR: '/mnt/server', BUN_PACKAGES: 'zod' };
    const { id } = await fixture.createServer({ environment });
    await done(fixture, id);
    const { lines } = await fixture.owner.servers.getInstallLog({ serverId: id });
    const texts = lines.map(({ text }) => text);
    expect(texts).to.include('in ./.dotnet with zod');
    expect(texts.filter((text) => text.includes('DOTNET'))).to.deep.equal([
      "with the egg's default during the installation: DOTNET_BUNDLE_EXTRACT_BASE_DIR",
    ]);
  });

  it('starts the server afterwards when requested', async () => {
    const fixture = await newWorld();
    const created = await fixture.createServer({ startOnCompletion: true });
    await waitForServer(fixture.owner, created.id, ({ status }) => status === Server_Status.RUNNING);
  });

  it('skips the script when requested or absent', async () => {
    const failing = await newWorld({ egg: { ...gameEgg, ...script('exit 1') } });
    const skipped = await done(failing, (await failing.createServer({ skipScripts: true })).id);
    expect(skipped.status).to.equal(Server_Status.OFFLINE);
    const empty = await newWorld({ egg: script('  \n') });
    expect((await empty.installed()).status).to.equal(Server_Status.OFFLINE);
  });

  it('stops a script at its time limit', async () => {
    const fixture = await newWorld({ egg: script('sleep 60'), environment: { INSTALL_TIMEOUT: '1s' } });
    const server = await done(fixture, (await fixture.createServer()).id);
    expect(server.status).to.equal(Server_Status.INSTALL_FAILED);
    expect(server.installExitCode).to.equal(undefined);
  });

  it('waits for a files service that is away, and installs when it is back', async () => {
    const fixture = await newWorld();
    fixture.harness.fakes.filesAreDown = true;
    const { id } = await fixture.createServer();
    const watching = new ConsoleWatcher(fixture.owner, id);
    const waiting = 'A part of the panel does not answer: the installation begins anew when it does';
    await watching.until(({ installLines }) => installLines.filter((line) => line === waiting).length > 1, 60_000);
    fixture.harness.fakes.filesAreDown = false;
    expect((await done(fixture, id)).status).to.equal(Server_Status.OFFLINE);
    await watching.stop();
  });

  it('fails with a message when its directories cannot be created within its time limit', async () => {
    const fixture = await newWorld({ environment: { INSTALL_TIMEOUT: '1s' } });
    fixture.harness.fakes.filesAreDown = true;
    const server = await done(fixture, (await fixture.createServer()).id);
    expect(server.installError).to.equal('a part of the panel does not answer');
  });

  it('says whether an unavailable dependency or the script failed it, as long as it was never installed', async () => {
    const fixture = await newWorld({ environment: { INSTALL_TIMEOUT: '1s', NODE_LEASE_TTL: '60s' } });
    const { fakes } = fixture.harness;
    const reinstall = async (id: string) => {
      await fixture.admin.servers.reinstallServer({ serverId: id });
      await done(fixture, id);
    };
    // A reinstallation begins on a node whose files were compared with the database once.
    await reinstall((await fixture.installed()).id);
    const read = async (id: string) =>
      (await fixture.admin.servers.getServer({ serverId: id, asStaff: true })).server?.installRepeatable;
    fakes.filesAreDown = true;
    const { id } = await done(fixture, (await fixture.createServer()).id);
    expect(await read(id)).to.equal(true);
    await reinstall(id);
    expect(await read(id)).to.equal(true);
    fakes.filesAreDown = false;
    await reinstall(id);
    expect((await fixture.owner.servers.getServer({ serverId: id, asStaff: false })).server?.status).to.equal(
      Server_Status.OFFLINE,
    );
    fakes.filesAreDown = true;
    await reinstall(id);
    expect(await read(id)).to.equal(false);
  });

  it('tells the owner nothing of the address of an engine that refuses', async () => {
    const runDir = mkdtempSync(path.join(tmpdir(), 'panel-refused-'));
    const refusing = createDockerRuntime({ url: 'tcp://127.0.0.1:1' });
    const install: typeof refusing.install = async (...given) => refusing.install(...given);
    const createRuntime = () => ({ ...createProcessRuntime({ runDir }), install });
    const fixture = await newWorld({ environment: { INSTALL_TIMEOUT: '1s' }, overrides: { createRuntime } });
    const server = await done(fixture, (await fixture.createServer()).id);
    expect(server.installError).to.equal('the container engine does not answer');
    removeDirectory(runDir);
  });

  it('shows earlier output to late readers', async () => {
    const fixture = await newWorld({ egg: script('for i in 1 2 3; do echo "step $i"; done; sleep 1; echo last') });
    const { id } = await fixture.createServer();
    const early = new ConsoleWatcher(fixture.owner, id);
    await early.until(({ installLines }) => installLines.includes('step 3'));
    const late = new ConsoleWatcher(fixture.owner, id);
    await late.until(({ installLines }) => installLines.includes('last'));
    expect(late.installLines.filter((line) => line.startsWith('step'))).to.deep.equal(['step 1', 'step 2', 'step 3']);
    expect(
      late.events.some(
        ({ event }) => event?.$case === 'operation' && event.value.operation?.kind === Operation_Kind.INSTALLING,
      ),
    ).to.equal(true);
    await late.until(({ events }) =>
      events.some(({ event }) => event?.$case === 'operation' && !event.value.operation),
    );
    await Promise.all([early.stop(), late.stop()]);
  });

  it("passes only the server's variables to the script", async () => {
    const fixture = await newWorld({ egg: script('env | sort; echo done') });
    const created = await fixture.createServer({ environment: { GREETING: 'moin' } });
    const watching = new ConsoleWatcher(fixture.owner, created.id);
    await watching.until(({ installLines }) => installLines.includes('done'));
    const text = watching.installLines.join('\n');
    expect(text)
      .to.include('GREETING=moin')
      .and.include(`P_SERVER_UUID=${created.id}`)
      .and.include('SERVER_MEMORY=128');
    expect(text).not.to.match(/SECRET|MONGO|DATABASE/);
    await watching.stop();
  });
});
