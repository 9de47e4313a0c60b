import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { createLogger } from '@panel/kit/process';
import { createOutboxMetrics } from '@panel/outbox';
import { AppError } from '@panel/kit/errors';
import type { ActivityEvent, RecordActivityRequest } from '@panel/protos/admin';
import type { UserActor } from '@panel/rpc';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { type ActivityLog, createActivityLog } from '../src/index.js';

const actor: UserActor = {
  kind: 'user',
  userId: randomUUID(),
  permissions: [],
  method: 'api_key',
  credentialId: randomUUID(),
  ip: '192.0.2.7',
};
const serverId = randomUUID();

describe('createActivityLog', () => {
  let mongo: MongoConnection;
  let activity: ActivityLog;
  let now: Date;
  let isUnavailable: boolean;
  const received = new Map<string, ActivityEvent>();
  const woken: string[] = [];

  /** Skips known ids as the admin service does. */
  const client = {
    recordActivity: async ({ events }: RecordActivityRequest) => {
      if (isUnavailable) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'away');
      for (const event of events) if (!received.has(event.id)) received.set(event.id, event);
      return {};
    },
  };
  const open = (given: typeof client | null = client) =>
    createActivityLog({
      client: given,
      mongo,
      jobs: { runNow: (name) => void woken.push(name) },
      metrics: createOutboxMetrics(new Registry()),
      log: createLogger({ service: 'test', level: 'silent' }),
      clock: () => now,
    });
  const deliver = async () => activity.jobs[0]?.run(new AbortController().signal);
  const events = () => [...received.values()];

  beforeEach(async () => {
    received.clear();
    woken.length = 0;
    isUnavailable = false;
    now = new Date();
    mongo = await connectMongo(testMongoUrl('activity'), { appName: 'test' });
    activity = open();
    await createIndexes(mongo);
  });
  afterEach(async () => mongo.close());

  it('delivers an event with its actor, subject and facts, and wakes the job for it', async () => {
    await activity.record({ event: 'server:create', serverId, properties: { name: 'lobby' } }, actor);
    expect(woken).to.deep.equal(['deliver-activity']);
    await deliver();
    expect(events()[0]).to.deep.include({
      event: 'server:create',
      time: now,
      actorId: actor.userId,
      apiKeyId: actor.credentialId,
      ip: '192.0.2.7',
      userId: '',
      serverId,
      properties: { name: 'lobby' },
    });
  });

  it('names the user of a sign-in, and no address of a process', async () => {
    const { userId } = actor;
    await activity.record({ event: 'auth:success', actorId: userId, userId }, { kind: 'anonymous', ip: '192.0.2.8' });
    await activity.record(
      { event: 'user:delete', properties: { email: '' } },
      { kind: 'service', service: 'x', ip: '127.0.0.1' },
    );
    await activity.record({ event: 'server:delete', serverId }, null);
    await deliver();
    expect(events().map(({ actorId, ip }) => [actorId, ip])).to.have.deep.members([
      [userId, '192.0.2.8'],
      ['', ''],
      ['', ''],
    ]);
  });

  it('leaves out absent facts and cuts long ones', async () => {
    const command = 'x'.repeat(5_000);
    await activity.record({ event: 'server:console.command', serverId, properties: { command } }, actor);
    const properties = { variables: 'A', docker_image: undefined };
    await activity.record({ event: 'server:startup.update', serverId, properties }, actor);
    await deliver();
    expect(events().map((event) => event.properties)).to.have.deep.members([
      { command: 'x'.repeat(4_000) },
      { variables: 'A' },
    ]);
  });

  it('keeps events while the admin service is unavailable, and another process delivers each once', async () => {
    isUnavailable = true;
    const id = randomUUID();
    for (let round = 0; round < 3; round += 1) await activity.record({ event: 'server:delete', serverId }, actor, id);
    await activity.record({ event: 'server:update', serverId }, actor);
    await deliver();
    isUnavailable = false;
    activity = open();
    await deliver();
    await deliver();
    expect(events().map(({ event }) => event)).to.have.members(['server:delete', 'server:update']);
  });

  it('delivers an event that goes on when it is due, as it was stored last', async () => {
    const progress = { id: randomUUID(), at: now, dueAt: new Date(now.getTime() + 90_000) };
    const store = async (count: number) => {
      const properties = { count: String(count), files: '/a' };
      return activity.recordOngoing({ event: 'server:sftp.write', serverId, properties }, actor, progress);
    };
    for (const count of [1, 5, 9]) expect(await store(count)).to.equal(true);
    await deliver();
    expect(events()).to.deep.equal([]);
    now = progress.dueAt;
    await deliver();
    expect(events()).to.have.length(1);
    expect(events()[0]).to.deep.include({ id: progress.id, time: progress.at });
    expect(events()[0]?.properties).to.deep.equal({ count: '9', files: '/a' });
  });

  it('does not throw when an event cannot be stored', async () => {
    await mongo.close();
    await activity.record({ event: 'server:delete', serverId }, actor);
    const progress = { id: randomUUID(), at: now, dueAt: now };
    expect(await activity.recordOngoing({ event: 'server:delete', serverId }, actor, progress)).to.equal(false);
    expect(woken).to.deep.equal([]);
    mongo = await connectMongo(testMongoUrl('activity'), { appName: 'test' });
  });

  it('records nothing without an admin service', async () => {
    activity = open(null);
    await activity.record({ event: 'server:delete', serverId }, actor);
    expect(activity.jobs).to.deep.equal([]);
    expect(await mongo.collection('activity_outbox').countDocuments()).to.equal(0);
  });
});
