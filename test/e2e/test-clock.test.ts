import { createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame } from './support/game.js';
import { bootStack, type TestStack } from './support/stack.js';

const dayMs = 86_400_000;
const daySeconds = 86_400;

describe('the test clock over REST', function () {
  this.timeout(180_000);
  let test: TestStack;
  /** An API key: sessions end while time is moved. */
  let admin: PanelClient;

  before(async () => {
    test = await bootStack({ TEST_CLOCK: 'true' });
    const { data } = await test.admin.post('/account/api-keys', { body: { description: 'test' } });
    admin = createPanelClient({ baseUrl: test.stack.baseUrl, token: data.key });
    await untilSettled();
  });
  after(async () => test?.stop());

  const read = async () => (await admin.get('/admin/test-clock')).data;
  const untilSettled = async () =>
    waitUntil(
      'the test clock to settle',
      async () => {
        const clock = await read().catch(() => null);
        return clock?.settled ? clock : null;
      },
      120_000,
    );
  const advance = async (days: number) => {
    await admin.post('/admin/test-clock', { body: { advance_seconds: days * daySeconds } });
    return untilSettled();
  };

  it('shows the time in a header of every answer', async () => {
    const { headers } = await fetch(`${test.stack.baseUrl}/api/v1/brand`);
    const now = Date.parse(headers.get('x-test-clock') ?? '');
    expect(now).to.be.closeTo(Date.parse((await read()).now), 5_000);
    const { data: brand } = await admin.get('/brand');
    expect(Date.parse(brand.test_clock ?? '')).to.be.closeTo(now, 5_000);
  });

  it('moves every process: tokens end, and new ones begin at the new time', async () => {
    const before = await read();
    const session = createPanelClient({ baseUrl: test.stack.baseUrl });
    const { access_token: token } = await session.login(test.adminEmail, test.password);
    const status = async (bearer: string) =>
      (await fetch(`${test.stack.baseUrl}/api/v1/account`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    expect(await status(token)).to.equal(200);
    const moved = await advance(1);
    expect(moved.offset_seconds).to.equal(before.offset_seconds + daySeconds);
    expect(await status(token)).to.equal(401);
    const { access_token: next } = await session.login(test.adminEmail, test.password);
    expect(await status(next)).to.equal(200);
    const { data: sessions } = await session.get('/account/sessions');
    const begun = Math.max(...sessions.map(({ created_at: at }) => Date.parse(at)));
    expect(begun).to.be.closeTo(Date.parse(moved.now), 10_000);
  });

  it('runs a schedule whose time was skipped', async () => {
    const { id } = await createGame({ ...test, admin }, { backups_limit: 2 });
    const body = {
      name: 'Daily',
      minute: '0',
      hour: '4',
      only_when_online: false,
      tasks: [{ action: 'backup' as const }],
    };
    const { data: schedule } = await admin.post('/servers/{id}/schedules', { params: { id }, body });
    await advance(1);
    const params = { id, schedule_id: schedule.id };
    const { runs } = (await admin.get('/servers/{id}/schedules/{schedule-id}', { params })).data;
    expect(runs.map(({ status, cause }) => [status, cause])).to.deep.equal([['succeeded', 'trigger']]);
  });

  it('goes on after billing and admin were killed in the middle of a move', async () => {
    const { offset_seconds: before } = await read();
    await admin.post('/admin/test-clock', { body: { advance_seconds: 30 * daySeconds } });
    for (const [name, days] of [
      ['billing', 3],
      ['admin', 6],
    ] as const) {
      await waitUntil(`day ${days}`, async () => {
        const clock = await read().catch(() => null);
        return clock !== null && clock.offset_seconds >= before + days * daySeconds;
      });
      await test.stack.kill(name, 'SIGKILL');
      await test.stack.whenReady(name);
    }
    expect((await untilSettled()).offset_seconds).to.equal(before + 30 * daySeconds);
  });

  it('refuses a second move, a way back and more than 400 days', async () => {
    await admin.post('/admin/test-clock', { body: { advance_seconds: 5 * daySeconds } });
    const refusalOf = async (body: { readonly advance_seconds?: number; readonly to?: string }) =>
      admin.post('/admin/test-clock', { body }).then(
        () => null,
        (error: unknown) => error as { readonly status: number; readonly details: unknown },
      );
    expect(await refusalOf({ advance_seconds: 1 })).to.include({ status: 409 });
    const { now } = await untilSettled();
    const past = await refusalOf({ to: new Date(Date.parse(now) - dayMs).toISOString() });
    expect(past).to.include({ status: 422 });
    expect(await refusalOf({ advance_seconds: 401 * daySeconds })).to.include({ status: 422 });
    expect(await refusalOf({ advance_seconds: 1, to: now })).to.include({ status: 422 });
  });
});
