import { randomUUID } from 'node:crypto';
import { createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type Databases, openDatabases } from './security/support/database.js';
import { startGame, untilStatus } from './support/game.js';
import { bootStack, type TestStack } from './support/stack.js';

const hourMs = 3_600_000;
/** The highest rate, 277 cents a second, so that seconds of a game exceed the credits. */
const runningHourMicros = 1_000_000_000_000;
/** What a start needs. */
const dayMinor = (24 * runningHourMicros) / 1_000_000;
const minorPerSecond = 1_000_000 / 3_600;
const maxWaitMs = 120_000;

interface UsageDocument {
  readonly _id: string;
  readonly hour: Date;
  readonly sampledAt: Date;
  readonly runningMs: number;
}

describe('a metered game', function () {
  this.timeout(480_000);
  let test: TestStack;
  let player: PanelClient;
  let playerId: string;
  let databases: Databases;
  before(async () => {
    test = await bootStack({ USAGE_INTERVAL: '2s' });
    databases = await openDatabases(test.stack);
    const user = { email: 'meter@panel.test', username: 'meter', password: 'a long enough password' };
    playerId = (await test.admin.post('/admin/users', { body: user })).data.id;
    player = createPanelClient({ baseUrl: test.stack.baseUrl });
    await player.login(user.email, user.password);
  });
  after(async () => {
    await databases?.close();
    await test?.stop();
  });

  const grant = async (amount: number) =>
    test.admin.post('/admin/users/{id}/credits', {
      params: { id: playerId },
      body: { amount: { amount, currency: 'EUR' }, reason: 'test' },
    });
  const balance = async () => (await player.get('/billing/credits')).data.balance;

  const buy = async () => {
    const { data: products } = await test.admin.get('/store/products');
    const [sold] = products;
    if (!sold?.server) throw new Error('the shop sells nothing');
    const { id: _id, created_at: _created, updated_at: _updated, ...rest } = sold;
    const rates = { memory_gb_hour_micros: 0, disk_gb_hour_micros: 0, traffic_gb_micros: 0, monthly_cap: 0 };
    const plan = {
      name: 'Metered',
      price: 0,
      interval: 'metered' as const,
      usage_rates: { running_hour_micros: runningHourMicros, ...rates },
    };
    const body = {
      ...rest,
      name: 'Metered caverns',
      slug: `metered-caverns-${randomUUID()}`,
      plans: [plan],
      server: sold.server,
    };
    const { data: product } = await test.admin.post('/admin/billing/products', { body });
    const items = [{ product_id: product.id }];
    const { data } = await player.post('/store/checkout', { body: { payment_method: 'credits', items } });
    const params = { id: data.services[0]?.id ?? '' };
    await waitUntil(
      'the service to be active',
      async () => (await player.get('/billing/services/{id}', { params })).data.status === 'active',
      60_000,
    );
    const { data: service } = await player.get('/billing/services/{id}', { params });
    return { params, serverId: service.server_id ?? '' };
  };

  /** Moves this hour's usage to the last hour, because a test cannot wait an hour. */
  const moveToLastHour = async (serverId: string, serviceId: string) => {
    const hours = databases.collection('servers', 'usage_hours');
    const found = await hours.findOne({ serverId });
    if (!found) throw new Error('nothing was measured');
    const usage = found as unknown as UsageDocument;
    await hours.deleteOne({ _id: usage._id });
    const back = (time: Date) => new Date(time.getTime() - hourMs);
    const hour = back(usage.hour);
    const moved = { ...usage, _id: `${serverId}:${hour.toISOString()}`, hour, sampledAt: back(usage.sampledAt) };
    await hours.insertOne(moved);
    await waitUntil(
      'the next sample, which closes the hour',
      async () => (await hours.countDocuments({ serverId, hour: usage.hour })) > 0,
      maxWaitMs,
    );
    const services = databases.collection('billing', 'subscriptions');
    await services.updateOne({ _id: serviceId }, { $set: { anchorAt: hour, meterAt: new Date() } });
    return { hour, runningSeconds: Math.floor(usage.runningMs / 1_000) };
  };

  it('costs what it has run, once, is suspended at zero and goes on with a top-up', async () => {
    await grant(dayMinor);
    const { params, serverId } = await buy();
    await grant(100 - dayMinor);
    await untilStatus(player, serverId, 'offline', 60_000);
    await startGame(player, serverId);
    const hours = databases.collection('servers', 'usage_hours');
    await waitUntil(
      'some seconds to be measured',
      async () => (await hours.countDocuments({ serverId, runningMs: { $gte: 2_000 } })) > 0,
      maxWaitMs,
    );
    const { hour, runningSeconds } = await moveToLastHour(serverId, params.id);
    await waitUntil(
      'the suspension',
      async () => (await player.get('/servers/{id}', { params: { id: serverId } })).data.suspended,
      maxWaitMs,
    );
    await untilStatus(test.admin, serverId, 'suspended', 60_000);
    expect(await balance()).to.equal(0);

    await grant(10_000_000);
    await waitUntil(
      'the game to be free again',
      async () => !(await player.get('/servers/{id}', { params: { id: serverId } })).data.suspended,
      maxWaitMs,
    );
    const services = databases.collection('billing', 'subscriptions');
    await services.updateOne({ _id: params.id }, { $set: { meteredUntil: null, meterAt: new Date() } });
    await waitUntil(
      'the next look at the service',
      async () => (await services.countDocuments({ _id: params.id, meteredUntil: { $ne: null } })) > 0,
      maxWaitMs,
    );
    const charges = databases.collection('billing', 'usage_charges');
    const [charge, ...others] = await charges.find({ subscriptionId: params.id, hour }).toArray();
    expect(others).to.deep.equal([]);
    const { amountMinor, openMinor } = charge as unknown as {
      readonly amountMinor: number;
      readonly openMinor: number;
    };
    expect([amountMinor, openMinor]).to.deep.equal([Math.floor(runningSeconds * minorPerSecond), 0]);
    expect(await balance()).to.equal(10_000_100 - amountMinor);
  });
});
