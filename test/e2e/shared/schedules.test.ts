import { ApiError, createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { TestUsers } from '../security/support/users.js';
import { createGame, startGame, untilStatus } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

const password = 'a long enough password';

describe('schedules over REST', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let admin: PanelClient;
  let id: string;
  before(async () => {
    test = await sharedStack();
    ({ admin } = test);
    ({ id } = await createGame(test, { backups_limit: 2 }));
    await startGame(admin, id);
    await untilStatus(admin, id, 'running');
  });

  const create = async (body: object) =>
    (await admin.post('/servers/{id}/schedules', { params: { id }, body: { name: 'a schedule', ...body } })).data;
  const read = async (scheduleId: string) =>
    (await admin.get('/servers/{id}/schedules/{schedule-id}', { params: { id, schedule_id: scheduleId } })).data;
  const call = async (url: string) => {
    const response = await fetch(new URL(url, test.stack.baseUrl), { method: 'POST', body: 'anything' });
    return { status: response.status, body: await response.text() };
  };
  const untilRan = async (scheduleId: string) =>
    waitUntil('a run', async () => {
      const { runs } = await read(scheduleId);
      return runs[0] && runs[0].status !== 'running' ? runs[0] : undefined;
    });
  const errorOf = async (promise: Promise<unknown>): Promise<ApiError> =>
    promise.then(
      () => expect.fail('it succeeded'),
      (error: unknown) => (error instanceof ApiError ? error : expect.fail(String(error))),
    );

  it('creates schedules with flat or nested fields, lists, changes, executes and deletes them', async () => {
    const tasks = [{ action: 'command' as const, payload: 'say hello' }];
    // This hour is far from now.
    const hour = String((new Date().getUTCHours() + 12) % 24);
    const nested = await create({ cron: { hour }, timezone: 'Europe/Berlin', tasks });
    const flat = await create({ minute: '*/5', day_of_week: 'MON-FRI', is_active: false });
    expect(nested).to.deep.include({ is_active: true, only_when_online: false, webhook_url: null, runs: [] });
    expect(nested.cron).to.deep.equal({ minute: '*', hour, day_of_month: '*', month: '*', day_of_week: '*' });
    expect(flat.cron).to.include({ minute: '*/5', day_of_week: 'MON-FRI' });
    const { data: listed } = await admin.get('/servers/{id}/schedules', { params: { id }, query: { sort: '-name' } });
    expect(listed.map(({ id: listedId }) => listedId)).to.include.members([nested.id, flat.id]);
    const params = { id, schedule_id: nested.id };
    const { name, cron, timezone, is_active, only_when_online, tasks: shown } = nested;
    const { data: same } = await admin.put('/servers/{id}/schedules/{schedule-id}', {
      params,
      body: { name, cron, timezone, is_active, only_when_online, tasks: shown },
    });
    expect(same.tasks).to.deep.equal(shown);
    expect(same.next_run_at).to.equal(nested.next_run_at);
    const { data: executed } = await admin.post('/servers/{id}/schedules/{schedule-id}/execute', { params });
    expect(executed.runs[0]).to.include({ cause: 'manual' });
    const run = await untilRan(nested.id);
    expect(run).to.deep.include({ status: 'succeeded', error: null });
    expect(run.tasks[0]).to.include({ sequence: 1, action: 'command', status: 'succeeded' });
    await admin.delete('/servers/{id}/schedules/{schedule-id}', { params });
    expect((await errorOf(read(nested.id))).status).to.equal(404);
  });

  it('answers 422 with the names of wrong fields', async () => {
    const wrong = await errorOf(create({ cron: { hour: '25' }, tasks: [{ action: 'command', payload: 'a\nb' }] }));
    expect(wrong.status).to.equal(422);
    expect(Object.keys(wrong.details)).to.have.members(['cron.hour', 'tasks.0.payload']);
    for (const body of [
      { cron: '* * * * *' },
      { cron: { second: '1' } },
      { surprise: 1 },
      { tasks: [{ action: 'rm' }] },
    ])
      expect((await errorOf(create(body))).status, JSON.stringify(body)).to.equal(422);
    const moved = await errorOf(create({ tasks: [{ sequence: 2, action: 'power', payload: 'stop' }] }));
    expect(Object.keys(moved.details)).to.deep.equal(['tasks.0.sequence']);
  });

  it('cancels a run, also of an inactive schedule, and answers the same without one', async () => {
    const tasks = [
      { action: 'command' as const, payload: 'say first' },
      { action: 'command' as const, payload: 'say later', time_offset: 600 },
    ];
    const schedule = await create({ is_active: false, tasks });
    const params = { id, schedule_id: schedule.id };
    await admin.post('/servers/{id}/schedules/{schedule-id}/execute', { params });
    await waitUntil('the first task', async () => (await read(schedule.id)).runs[0]?.tasks.length === 1);
    for (let times = 0; times < 2; times++) {
      const { data } = await admin.post('/servers/{id}/schedules/{schedule-id}/cancel', { params });
      expect(data.runs).to.have.length(1);
      expect(data.runs[0]).to.include({ status: 'cancelled', error: 'A user cancelled it.' });
    }
    const cancelled = await waitUntil('the activity', async () => {
      const { data: events } = await admin.get('/servers/{id}/activity', { params: { id } });
      const found = events.filter(({ event }) => event === 'server:schedule.cancel');
      return found.length > 0 && found;
    });
    expect(cancelled.map(({ properties }) => properties)).to.deep.equal([
      { schedule_id: schedule.id, name: 'a schedule' },
    ]);
  });

  it('makes backups by a schedule', async () => {
    // An inactive schedule runs by request only.
    const tasks = [{ action: 'backup' as const, payload: '*.log' }];
    const schedule = await create({ name: 'nightly', is_active: false, tasks });
    const params = { id, schedule_id: schedule.id };
    const list = async () => (await admin.get('/servers/{id}/backups', { params: { id } })).data;
    const before = new Set((await list()).map((backup) => backup.id));
    await admin.post('/servers/{id}/schedules/{schedule-id}/execute', { params });
    expect(await untilRan(schedule.id)).to.deep.include({ status: 'succeeded', error: null });
    const backups = (await list()).filter((backup) => !before.has(backup.id));
    expect(backups).to.have.length(1);
    expect(backups[0]).to.deep.include({ name: 'nightly', ignored_files: ['*.log'] });
  });

  it('runs a schedule by its web address, which reveals nothing', async () => {
    const schedule = await create({
      trigger: { kind: 'webhook' },
      tasks: [{ action: 'command', payload: 'say called' }],
    });
    const url = schedule.webhook_url ?? '';
    const right = await call(url);
    expect(right).to.deep.equal({ status: 200, body: '{"data":{"accepted":true}}' });
    expect((await untilRan(schedule.id)).status).to.equal('succeeded');
    for (const wrong of [`${url.slice(0, -3)}AAA`, url.replace(schedule.id, crypto.randomUUID())])
      expect(await call(wrong)).to.deep.equal(right);
    const params = { id, schedule_id: schedule.id };
    const { data } = await admin.post('/servers/{id}/schedules/{schedule-id}/rotate-webhook', { params });
    expect(data.webhook_url).not.to.equal(url);
    expect(await call(url)).to.deep.equal(right);
  });

  it('hides schedules from other users', async () => {
    const schedule = await create({});
    const users = new TestUsers(test.stack.baseUrl, admin.token() ?? '');
    const { email } = await users.create({ password });
    const stranger = createPanelClient({ baseUrl: test.stack.baseUrl });
    await stranger.login(email, password);
    const params = { id, schedule_id: schedule.id };
    const attempts = [
      stranger.get('/servers/{id}/schedules', { params: { id } }),
      stranger.get('/servers/{id}/schedules/{schedule-id}', { params }),
      stranger.post('/servers/{id}/schedules', { params: { id }, body: { name: 'mine' } }),
      stranger.put('/servers/{id}/schedules/{schedule-id}', { params, body: { name: 'mine' } }),
      stranger.post('/servers/{id}/schedules/{schedule-id}/execute', { params }),
      stranger.post('/servers/{id}/schedules/{schedule-id}/cancel', { params }),
      stranger.delete('/servers/{id}/schedules/{schedule-id}', { params }),
    ];
    for (const error of await Promise.all(attempts.map(errorOf))) expect(error.status).to.equal(404);
  });
});
