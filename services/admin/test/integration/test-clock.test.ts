import { randomUUID } from 'node:crypto';
import { type AppError, isAppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import type { TestClock } from '@panel/protos/admin';
import { FollowedClock } from '@panel/rpc';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { type RunningAdmin, startTestAdmin, userActor } from '../harness.js';

const dayMs = 86_400_000;
const daySeconds = 86_400;
const log = createLogger({ service: 'test', level: 'silent' });

describe('the test clock', () => {
  let admin: RunningAdmin;
  const running: RunningAdmin[] = [];
  const followed: FollowedClock[] = [];

  const open = async (mongoUrl?: string): Promise<RunningAdmin> => {
    const started = await startTestAdmin({ testClock: true, ...(mongoUrl !== undefined && { mongoUrl }) });
    running.push(started);
    return started;
  };
  /** A process of an installation. */
  const follow = async (name: string, of: RunningAdmin, rush = async () => undefined as void) => {
    const clock = await FollowedClock.start({ name, source: of.clockSource, log });
    clock.settleBy(rush);
    followed.push(clock);
    return clock;
  };
  const read = async (of = admin): Promise<TestClock> => {
    const { testClock } = await of.testClock.getTestClock({});
    if (!testClock) throw new Error('no test clock');
    return testClock;
  };
  const advance = async (seconds: number, of = admin) =>
    of.testClock.advanceTestClock({ by: { $case: 'advanceSeconds', value: seconds } });
  const untilSettled = async (of = admin) =>
    waitUntil('the test clock to settle', async () => ((await read(of)).settled ? read(of) : null), 30_000);
  const refusalOf = async (call: Promise<unknown>): Promise<AppError> => {
    const error = await call.then(
      () => new Error('it was accepted'),
      (refusal: unknown) => refusal,
    );
    if (!isAppError(error)) throw error;
    return error;
  };

  beforeEach(async () => (admin = await open()));
  afterEach(async () => {
    await Promise.all(followed.splice(0).map(async (clock) => clock.stop()));
    // Replicas before the one that drops their database.
    for (const one of running.splice(0).toReversed()) await one.stop();
  });

  it('moves by days, and settles after every process has run what is due', async () => {
    const offsets: number[] = [];
    const clock = await follow('billing', admin, async () => void offsets.push(clock.clock.offsetMs / dayMs));
    await untilSettled();
    offsets.length = 0;
    const { testClock } = await advance(2.5 * daySeconds);
    expect(testClock).to.include({ offsetSeconds: 0, settled: false });
    const settled = await untilSettled();
    expect(offsets).to.deep.equal([1, 1, 2, 2, 2.5, 2.5]);
    expect(settled).to.include({ offsetSeconds: 2.5 * daySeconds, targetTime: undefined });
    expect(settled.now?.getTime()).to.be.closeTo(Date.now() + 2.5 * dayMs, 5_000);
  });

  it('waits for a process that has not run what is due', async () => {
    let end: () => void = () => undefined;
    const busy = new Promise<void>((resolve) => (end = resolve));
    let rushes = 0;
    await follow('identity', admin);
    await follow('billing', admin, async () => ((rushes += 1) === 2 ? busy : undefined));
    await untilSettled();
    await advance(2 * daySeconds);
    await waitUntil('the first day', async () => rushes === 2);
    const held = await waitUntil('the others', async () => {
      const clock = await read();
      return clock.waitingFor.length === 1 ? clock : null;
    });
    expect([held.offsetSeconds, held.waitingFor]).to.deep.equal([daySeconds, ['billing']]);
    end();
    expect((await untilSettled()).offsetSeconds).to.equal(2 * daySeconds);
  });

  it('keeps the later of two reports that overtake each other', async () => {
    const { offsetSeconds } = await read();
    const report = { processId: randomUUID(), service: 'billing', knownRound: 0, waitMs: 0 };
    const { round } = await admin.testClock.followTestClock({ ...report, settledRound: 1 });
    await admin.testClock.followTestClock({ ...report, settledRound: round });
    await admin.testClock.followTestClock({ ...report, settledRound: 0 });
    expect([offsetSeconds, (await read()).waitingFor.includes('billing')]).to.deep.equal([0, false]);
  });

  it('shows two processes at two replicas the same time within a second', async () => {
    const replica = await open(admin.mongoUrl);
    const clocks = [await follow('billing', admin), await follow('billing', replica)];
    await untilSettled(replica);
    await advance(daySeconds);
    const first = await waitUntil('a move', async () => {
      return clocks.some(({ clock }) => clock.offsetMs === dayMs) ? performance.now() : null;
    });
    await waitUntil('the other', async () => clocks.every(({ clock }) => clock.offsetMs === dayMs));
    expect(performance.now() - first).to.be.below(1_000);
    await untilSettled();
  });

  it('accepts one of 50 moves at once, and moves as far as that says', async () => {
    const replica = await open(admin.mongoUrl);
    await follow('billing', admin);
    await untilSettled();
    const asked = Array.from({ length: 50 }, async (_, index) => advance(daySeconds, index % 2 ? admin : replica));
    const ended = await Promise.allSettled(asked);
    const refused = ended.filter((one) => one.status === 'rejected').map(({ reason }) => (reason as AppError).reason);
    expect(refused).to.deep.equal(Array.from({ length: 49 }, () => 'TEST_CLOCK_MOVING'));
    expect((await untilSettled()).offsetSeconds).to.equal(daySeconds);
  });

  it('moves forward only, a second to 400 days at a time', async () => {
    await follow('billing', admin);
    await advance(daySeconds);
    await untilSettled();
    const to = async (ms: number) =>
      refusalOf(admin.testClock.advanceTestClock({ by: { $case: 'to', value: new Date(Date.now() + ms) } }));
    expect((await to(dayMs - 5_000)).metadata['reasons']).to.deep.equal({ to: ['in_past'] });
    expect((await to(402 * dayMs)).metadata['reasons']).to.deep.equal({ to: ['out_of_range'] });
    for (const seconds of [0, -5, 401 * daySeconds]) {
      const { reason } = await refusalOf(advance(seconds));
      expect(reason, `${seconds}`).to.equal('INVALID_FIELDS');
    }
    expect((await refusalOf(admin.testClock.advanceTestClock({ by: undefined }))).reason).to.equal('INVALID_FIELDS');
    expect((await read()).offsetSeconds).to.equal(daySeconds);
  });

  it('goes on at another replica when the one that moved it has gone', async () => {
    const replica = await open(admin.mongoUrl);
    const clock = await follow('billing', replica);
    await untilSettled();
    await advance(20 * daySeconds);
    await waitUntil('the first day', async () => clock.clock.offsetMs >= dayMs);
    await admin.stopProcess();
    expect((await untilSettled(replica)).offsetSeconds).to.equal(20 * daySeconds);
  });

  it('lets staff who may change settings move it, and services follow it', async () => {
    const by = (permissions: readonly string[]) => ({ actorToken: admin.tokenOf(userActor(permissions)) });
    const body = { by: { $case: 'advanceSeconds' as const, value: 1 } };
    const refused = await refusalOf(admin.testClock.advanceTestClock(body, by(['settings.view'])));
    expect(refused.kind).to.equal('permission_denied');
    const report = { processId: randomUUID(), service: 'x', settledRound: 0, knownRound: 0, waitMs: 0 };
    expect((await refusalOf(admin.testClock.followTestClock(report, by(['*'])))).kind).to.equal('permission_denied');
    await admin.testClock.advanceTestClock(body, by(['settings.update']));
  });
});

describe('an installation and its test clock', () => {
  const startOn = async (mongoUrl: string, testClock: boolean) =>
    startTestAdmin({ mongoUrl, testClock }).catch((error: unknown) => String(error));
  const drop = async (mongoUrl: string) => startTestAdmin({ mongoUrl, testClock: true });

  it('runs without a test clock by default', async () => {
    const admin = await startTestAdmin();
    const error = await admin.testClock.getTestClock({}).catch((refusal: unknown) => refusal);
    expect(isAppError(error, 'TEST_CLOCK_OFF')).to.equal(true);
    await admin.stop();
  });

  it('refuses a test clock after it ran without', async () => {
    const mongoUrl = testMongoUrl('admin');
    const before = (await startOn(mongoUrl, false)) as RunningAdmin;
    await before.settings.updateSettings({ settings: { general: { name: 'Real' } } } as never);
    await before.stop();
    expect(await startOn(mongoUrl, true)).to.contain('TEST_CLOCK is for new installations');
    const after = (await startOn(mongoUrl, false)) as RunningAdmin;
    await after.mongo.dropDatabase();
    await after.stop();
  });

  it('refuses to return to real time after a move', async () => {
    const mongoUrl = testMongoUrl('admin');
    const before = (await startOn(mongoUrl, true)) as RunningAdmin;
    await before.testClock.advanceTestClock({ by: { $case: 'advanceSeconds', value: 5 } });
    await waitUntil('the move', async () => {
      return (await before.testClock.getTestClock({})).testClock?.offsetSeconds === 5;
    });
    await before.stop();
    expect(await startOn(mongoUrl, false)).to.contain('runs with TEST_CLOCK=true only');
    const after = await drop(mongoUrl);
    expect((await after.testClock.getTestClock({})).testClock?.offsetSeconds).to.equal(5);
    await after.mongo.dropDatabase();
    await after.stop();
  });
});
