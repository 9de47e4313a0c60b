import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { ActivityEvent, GeneralSettings, ListActivityRequest, type Settings } from '@panel/protos/admin';
import { expect } from 'chai';
import { failureOf, reasonOf, type RunningAdmin, startTestAdmin, userActor, userId } from '../harness.js';

describe('the activity log', () => {
  let admin: RunningAdmin;
  before(async () => {
    admin = await startTestAdmin();
  });
  after(async () => admin.stop());
  beforeEach(async () => {
    await admin.mongo.collection('activity').deleteMany({});
  });

  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const event = (more: Partial<ActivityEvent> = {}) =>
    ActivityEvent.create({
      id: randomUUID(),
      event: 'auth:success',
      actorId: userId,
      userId,
      ip: '192.0.2.1',
      ...more,
    });
  const record = async (...events: ActivityEvent[]) => admin.activity.recordActivity({ events });
  const as = (permissions: string[] = [], id = userId) => ({ actorToken: admin.tokenOf(userActor(permissions, id)) });
  const list = async (request: Partial<ListActivityRequest> = {}, options = as(['settings.view'])) =>
    admin.activity.listActivity(ListActivityRequest.create(request), options);
  const eventsOf = async (...args: Parameters<typeof list>) => (await list(...args)).events.map((entry) => entry.event);

  it('returns every field of a recorded event', async () => {
    const entry = event({
      time: minutesAgo(1),
      apiKeyId: randomUUID(),
      serverId: randomUUID(),
      userAgent: 'curl/8 \u001b[2J',
      properties: { command: 'say hi\nthere', file: '/a.txt' },
    });
    await record(entry);
    expect((await list()).events).to.deep.equal([entry]);
  });

  it('sorts events by time in both directions', async () => {
    await record(event({ event: 'a:b', time: minutesAgo(2) }), event({ event: 'a:c', time: minutesAgo(1) }));
    expect(await eventsOf()).to.deep.equal(['a:c', 'a:b']);
    const page = { page: 0, perPage: 0, search: '', sort: ['created_at'] };
    expect(await eventsOf({ page })).to.deep.equal(['a:b', 'a:c']);
  });

  it('pages and searches events', async () => {
    for (let i = 0; i < 5; i += 1) await record(event({ event: `server:power.a${i}`, time: minutesAgo(i) }));
    const answer = await list({ page: { page: 2, perPage: 2, search: 'POWER.', sort: [] } });
    expect(answer.events.map((entry) => entry.event)).to.deep.equal(['server:power.a2', 'server:power.a3']);
    expect(answer.page).to.deep.equal({ page: 2, perPage: 2, total: 5 });
    expect(await eventsOf({ page: { page: 1, perPage: 25, search: '.*', sort: [] } })).to.deep.equal([]);
  });

  it('lists the rest when one record is damaged', async () => {
    const entry = event({ event: 'a:good', time: minutesAgo(1) });
    await record(entry);
    const rows = admin.mongo.collection<Record<string, unknown> & { _id: string }>('activity');
    const row = await rows.findOne({ _id: entry.id });
    const time = Object.fromEntries(Object.entries(row ?? {}).filter(([, value]) => value instanceof Date));
    await rows.insertOne({ ...time, _id: randomUUID() });
    expect(await eventsOf()).to.include('a:good');
  });

  it('stores a repeated event once', async () => {
    const entry = event();
    await Promise.all(Array.from({ length: 50 }, async () => record(entry)));
    expect((await list()).page?.total).to.equal(1);
  });

  it('stores the new events of a partly repeated call', async () => {
    const [first, second] = [event({ event: 'a:first' }), event({ event: 'a:second' })];
    await record(first);
    await record(event({ ...first, event: 'a:changed' }), second);
    expect((await eventsOf()).toSorted()).to.deep.equal(['a:first', 'a:second']);
  });

  it('refuses events from users', async () => {
    expect(await reasonOf(admin.activity.recordActivity({ events: [event()] }, as(['*'])))).to.equal(
      'SERVICE_REQUIRED',
    );
  });

  for (const [what, more, field] of [
    ['without an id', { id: '' }, 'events.0.id'],
    ['with a name of its own making', { event: 'Rm -rf' }, 'events.0.event'],
    ['with a strange actor', { actorId: 'me' }, 'events.0.actor_id'],
    ['from the future', { time: new Date(Date.now() + 3_600_000) }, 'events.0.time'],
    ['with a property that is an operator', { properties: { $where: '1' } }, 'events.0.properties.$where'],
    ['with a property that is a path', { properties: { 'a.b': '1' } }, 'events.0.properties.a.b'],
    ['with endless properties', { properties: { a: 'x'.repeat(4097) } }, 'events.0.properties.a'],
    [
      'with too many properties',
      { properties: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`p${i}`, ''])) },
      'events.0.properties',
    ],
  ] as const) {
    it(`refuses an event ${what} and the whole call`, async () => {
      const error = await failureOf(record(event(more), event()));
      expect(isAppError(error, 'INVALID_FIELDS') && Object.keys(error.metadata.fields as object)).to.deep.equal([
        field,
      ]);
      expect((await list()).page?.total).to.equal(0);
    });
  }

  it('accepts 1 to 100 events at once', async () => {
    expect(await reasonOf(record())).to.equal('INVALID_FIELDS');
    expect(await reasonOf(record(...Array.from({ length: 101 }, () => event())))).to.equal('INVALID_FIELDS');
    expect(await reasonOf(record(...Array.from({ length: 100 }, () => event())))).to.equal('none');
  });

  it('truncates a long user agent', async () => {
    await record(event({ userAgent: 'x'.repeat(10_000) }));
    expect((await list()).events[0]?.userAgent).to.have.length(512);
  });

  describe('shows a person', () => {
    const other = randomUUID();

    it("lists a user's own actions and actions on the account only", async () => {
      await record(
        event({ event: 'a:mine', time: minutesAgo(1) }),
        event({ event: 'a:to-me', actorId: other, time: minutesAgo(2) }),
        event({ event: 'a:by-me', userId: other, time: minutesAgo(3) }),
        event({ event: 'a:foreign', actorId: other, userId: other }),
      );
      expect(await eventsOf({ userId }, as())).to.deep.equal(['a:mine', 'a:to-me', 'a:by-me']);
    });

    it('shows a user the addresses of their own and anonymous actions only', async () => {
      await record(
        event({ time: minutesAgo(1), userAgent: 'mine' }),
        event({ actorId: other, ip: '192.0.2.2', time: minutesAgo(2), userAgent: 'theirs' }),
        event({ actorId: '', event: 'auth:fail', ip: '192.0.2.3', time: minutesAgo(3) }),
      );
      const { events } = await list({ userId }, as());
      expect(events.map(({ ip }) => ip)).to.deep.equal(['192.0.2.1', '', '192.0.2.3']);
      expect(events.map(({ userAgent }) => userAgent)).to.deep.equal(['mine', '', '']);
      expect((await list({ userId })).events.map(({ ip }) => ip)).to.deep.equal([
        '192.0.2.1',
        '192.0.2.2',
        '192.0.2.3',
      ]);
    });

    it('refuses the activity of others and of servers without settings.view', async () => {
      for (const request of [{}, { userId: other }, { serverId: other }]) {
        expect(await reasonOf(list(request, as(['users.*', 'servers.*'])))).to.equal('PERMISSION_MISSING');
      }
      const anonymous = { actorToken: admin.tokenOf({ kind: 'anonymous', ip: '192.0.2.1' }) };
      expect(await reasonOf(list({ userId }, anonymous))).to.equal('USER_REQUIRED');
      expect(await reasonOf(list({ userId: '' }, anonymous))).to.equal('USER_REQUIRED');
    });
  });

  it('lists the events of a server for services', async () => {
    const serverId = randomUUID();
    await record(event({ serverId, event: 'server:power.start' }), event());
    const answer = await admin.activity.listActivity(ListActivityRequest.create({ serverId }));
    expect(answer.events.map((entry) => entry.event)).to.deep.equal(['server:power.start']);
  });

  it('refuses operators as ids', async () => {
    expect(await reasonOf(list({ userId: '{"$ne":null}' }))).to.equal('INVALID_FIELDS');
    expect(await reasonOf(list({ serverId: '$where' }))).to.equal('INVALID_FIELDS');
  });

  it('expires events after 90 days', async () => {
    const indexes = await admin.mongo.collection('activity').indexes();
    expect(indexes.find(({ name }) => name === 'activity_expiry')).to.include({ expireAfterSeconds: 90 * 86_400 });
  });

  it('records who changed which settings without their values', async () => {
    const settings = { general: GeneralSettings.create({ name: 'Secret project' }) } as Settings;
    await admin.settings.updateSettings({ settings }, as(['settings.update']));
    const { events } = await list();
    expect(events).to.have.length(1);
    expect(events[0]).to.deep.include({
      event: 'settings:update',
      actorId: userId,
      properties: { settings: 'general.name' },
    });
  });
});
