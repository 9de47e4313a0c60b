import { randomUUID } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { PowerAction, Server_Status } from '@panel/protos/servers';
import { createFixture, emptyNode, waitForServer, type Fixture } from '../support/fixture.js';

describe('activity of servers', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture();
  });
  after(() => fixture.stop());

  const eventsOf = (serverId = '') =>
    [...fixture.harness.fakes.activity.values()]
      .filter((event) => event.serverId === serverId)
      .toSorted((a, b) => Number(a.time) - Number(b.time));
  const until = async (serverId: string, event: string) =>
    waitUntil(event, () => eventsOf(serverId).some((it) => it.event === event));

  it('records the actor of each action and the actions of the panel', async () => {
    const { id: serverId } = await fixture.installed();
    await fixture.owner.console.sendPowerAction({ serverId, action: PowerAction.START });
    await waitForServer(fixture.owner, serverId, ({ status }) => status === Server_Status.RUNNING);
    await fixture.owner.console.sendCommand({ serverId, command: 'crash' });
    await until(serverId, 'server:crashed');
    await fixture.admin.servers.suspendServer({ serverId });
    await until(serverId, 'server:suspend');
    const events = eventsOf(serverId);
    expect(events.map(({ event }) => event)).to.include.ordered.members([
      'server:create',
      'server:install.completed',
      'server:power.start',
      'server:console.command',
      'server:crashed',
      'server:suspend',
    ]);
    const find = (name: string) => events.find(({ event }) => event === name);
    expect(find('server:console.command')).to.deep.include({
      actorId: fixture.ownerId,
      ip: '127.0.0.1',
      properties: { command: 'crash' },
    });
    expect(find('server:crashed')).to.deep.include({ actorId: '', properties: { how: 'exit code 3' } });
  });

  it('records no refused request', async () => {
    const { id: serverId } = await fixture.installed();
    await fixture.owner.console.sendPowerAction({ serverId, action: PowerAction.STOP }).catch(() => undefined);
    await fixture.owner.servers.renameServer({ serverId, name: 'other' });
    await until(serverId, 'server:settings.rename');
    expect(eventsOf(serverId).map(({ event }) => event)).not.to.include('server:power.stop');
  });

  it('records names of changed variables and never their values', async () => {
    const { id: serverId } = await fixture.installed();
    await fixture.owner.servers.updateStartup({ serverId, environment: { GREETING: 'a password' } });
    await until(serverId, 'server:startup.update');
    const event = eventsOf(serverId).find((it) => it.event === 'server:startup.update');
    expect(event?.properties).to.deep.equal({ variables: 'GREETING' });
  });

  it('keeps events while the admin service is unavailable and delivers each once', async () => {
    const { fakes } = fixture.harness;
    fakes.adminIsDown = true;
    const { id: serverId } = await fixture.installed();
    await fixture.owner.servers.renameServer({ serverId, name: 'meanwhile' });
    expect(eventsOf(serverId)).to.deep.equal([]);
    fakes.adminIsDown = false;
    await until(serverId, 'server:settings.rename');
    expect(eventsOf(serverId).filter(({ event }) => event === 'server:create')).to.have.length(1);
  });

  it('records a repeated creation once', async () => {
    const idempotencyId = randomUUID();
    const name = randomUUID();
    const create = async () => fixture.admin.nodes.createNode({ ...emptyNode, name }, { idempotencyId });
    const answers = await Promise.all(Array.from({ length: 10 }, create));
    fixture.harness.processNodes.push(answers[0]?.node?.id ?? '');
    const marker = randomUUID();
    await fixture.admin.nests.createNest({ name: marker, description: '', author: '' });
    const named = (wanted: string) => eventsOf().filter(({ properties }) => properties['name'] === wanted);
    await waitUntil('the nest', () => named(marker).length === 1);
    expect(named(name).map(({ event }) => event)).to.deep.equal(['node:create']);
  });
});
