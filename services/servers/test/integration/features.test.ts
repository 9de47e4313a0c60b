import { expect } from 'chai';
import { PowerAction, ResolveFeatureRequest, Server_Status, type WatchEvent } from '@panel/protos/servers';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { userActor } from '../support/harness.js';
import { createFixture, fieldsOf, type Fixture, reasonOf, waitForServer } from '../support/fixture.js';

/** Prints by $MODE, then ends or runs. */
const script = [
  '[ "$MODE" = eula ] && echo "You need to agree to the EULA in order to run the server." && exit 0',
  '[ "$MODE" = java ] && echo "Minecraft 1.18 requires running the server with Java 17 or above." && exit 1',
  'echo ready to play',
  'while read -r word; do [ "$word" = stop ] && exit 0; [ "$word" = token ] && echo "(GSL token expired)"; done',
].join('\n');
const variable = (name: string, value: string) => ({
  name,
  env_variable: name,
  default_value: value,
  user_viewable: true,
  user_editable: true,
  rules: 'nullable|string',
});
const egg = {
  startup: `sh -c '${script}'`,
  features: ['eula', 'java_version', 'gsl_token', 'pid_limit', 'fastdl'],
  docker_images: { 'Java 8': 'example.com/yolks:java_8', 'Java 17': 'example.com/yolks:java_17' },
  variables: [variable('MODE', ''), variable('STEAM_ACC', '')],
};

const noticesOf = (events: readonly WatchEvent[]) =>
  events.flatMap(({ event }) => (event?.$case === 'feature' ? [event.value] : []));

describe('features of a server', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture({ egg, environment: { CRASH_MAX_RESTARTS: '0' } });
  });
  after(() => fixture.stop());

  const start = async (mode: string) => {
    const { id } = await fixture.installed({ environment: { MODE: mode } });
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    return id;
  };
  const resolve = (serverId: string, request: Partial<ResolveFeatureRequest>) =>
    fixture.owner.servers.resolveFeature(ResolveFeatureRequest.create({ serverId, ...request }));

  it('asks for the EULA once, and writes eula.txt when the owner agrees', async () => {
    const id = await start('eula');
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.until(({ events }) => noticesOf(events).length > 0);
    expect(noticesOf(watching.events)).to.deep.equal([
      {
        feature: 'eula',
        line: 'You need to agree to the EULA in order to run the server.',
        dockerImage: '',
        javaVersion: 0,
        isResolved: undefined,
      },
    ]);
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE);
    const late = new ConsoleWatcher(fixture.owner, id);
    await late.until(({ events }) => noticesOf(events).length === 1);
    await resolve(id, { feature: 'eula' });
    const written = fixture.harness.fakes.rewrites.filter(({ serverId }) => serverId === id).at(-1);
    expect(written?.files).to.have.length(1);
    expect(written?.files[0]).to.deep.include({ path: 'eula.txt', createFile: true });
    expect(written?.files[0]?.replacements).to.deep.include({
      key: 'eula',
      value: { $case: 'text', value: 'true' },
      condition: undefined,
    });
    const after = new ConsoleWatcher(fixture.owner, id);
    await after.until(({ events }) => events.some(({ event }) => event?.$case === 'historyEnd'));
    expect(noticesOf(after.events)).to.deep.equal([]);
    // who watches learns that it is done
    await late.until(({ events }) => noticesOf(events).at(-1)?.isResolved === true);
    await Promise.all([watching.stop(), late.stop(), after.stop()]);
  });

  it('names the image that fits, and chooses it with a start', async () => {
    const id = await start('java');
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.until(({ events }) => noticesOf(events).length > 0);
    expect(noticesOf(watching.events)[0]).to.deep.include({
      feature: 'java_version',
      dockerImage: 'example.com/yolks:java_17',
      javaVersion: 17,
    });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE);
    const answer = await resolve(id, { feature: 'java_version', javaVersion: 17, restart: true });
    expect(answer.server?.dockerImage).to.equal('example.com/yolks:java_17');
    expect(answer.isRestarting).to.equal(true);
    expect(await fieldsOf(resolve(id, { feature: 'java_version', dockerImage: 'example.com/other:1' }))).to.deep.equal([
      'docker_image',
    ]);
    expect(await fieldsOf(resolve(id, { feature: 'java_version', javaVersion: 99 }))).to.deep.equal(['docker_image']);
    await watching.stop();
  });

  it('accepts a new token for the variable of the egg', async () => {
    const id = await start('');
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
    const watching = new ConsoleWatcher(fixture.owner, id);
    for (const _ of [1, 2]) await fixture.owner.console.sendCommand({ serverId: id, command: 'token' });
    await watching.until(({ lines }) => lines.filter((line) => line === '(GSL token expired)').length === 2);
    expect(noticesOf(watching.events).map(({ feature }) => feature)).to.deep.equal(['gsl_token']);
    const { server } = await resolve(id, { feature: 'gsl_token', token: 'ABCDEF' });
    const token = server?.variables.find(({ envVariable }) => envVariable === 'STEAM_ACC');
    expect(token?.serverValue).to.equal('ABCDEF');
    expect(await fieldsOf(resolve(id, { feature: 'gsl_token' }))).to.deep.equal(['token']);
    await watching.stop();
  });

  it('accepts the agreement to a feature by both of two users at the same moment', async () => {
    const id = await start('eula');
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE);
    const both = await Promise.all([1, 2].map(() => resolve(id, { feature: 'eula', restart: true })));
    expect(both.some(({ isRestarting }) => isRestarting)).to.equal(true);
  });

  it('refuses features that the egg does not declare or that do not exist', async () => {
    const { id } = await fixture.installed();
    expect(await reasonOf(resolve(id, { feature: 'steam_disk_space' }))).to.equal('FEATURE_NOT_OFFERED');
    expect(await fieldsOf(resolve(id, { feature: 'fastdl' }))).to.deep.equal(['feature']);
    const { servers } = fixture.harness.clients(
      userActor('77777777-7777-4777-8777-777777777777'),
      fixture.harness.address,
    );
    const request = ResolveFeatureRequest.create({ serverId: id, feature: 'eula' });
    expect(await reasonOf(servers.resolveFeature(request))).to.equal('SERVER_NOT_FOUND');
  });
});
