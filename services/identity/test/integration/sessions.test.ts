import type { Stored } from '@panel/kit/mongo';
import { serviceActor } from '@panel/rpc';
import { expect } from 'chai';
import { defaultPolicy } from '../../src/domain/policy.js';
import type { SessionRecord } from '../../src/domain/session.js';
import { actorOf, addUser, type Harness, refusal, session, signIn, startHarness, times, visitor } from './harness.js';

describe('sessions', () => {
  let harness: Harness;
  let aheadMs = 0;
  before(async () => {
    harness = await startHarness({ overrides: { clock: () => new Date(Date.now() + aheadMs) } });
  });
  beforeEach(() => {
    aheadMs = 0;
  });
  after(async () => harness.stop());

  it('lists sessions with their origin and marks the current one', async () => {
    const { email } = await addUser(harness);
    await signIn(harness, email, 'Other\r\nX-Evil: <b>');
    const { actor } = await session(harness, email);
    const { sessions, page } = await harness.account.listSessions({ page: undefined }, harness.as(actor));
    expect(page).to.deep.equal({ page: 1, perPage: 25, total: 2 });
    expect(sessions.map(({ current, userAgent }) => [current, userAgent])).to.deep.equal([
      [false, 'OtherX-Evil: <b>'],
      [true, 'mocha'],
    ]);
    for (const { ip, createTime, lastUsedTime, expireTime } of sessions) {
      expect(ip).to.equal(visitor.ip);
      expect(createTime).to.deep.equal(lastUsedTime);
      expect(Number(expireTime) - Number(createTime)).to.be.within(604_799_000, 604_800_000);
    }
  });

  it('finds sessions by a literal part of their address or program', async () => {
    const { email } = await addUser(harness);
    await signIn(harness, email, 'Lynx/2.9 (a+)+$');
    const { actor } = await session(harness, email);
    const agents = async (search: string) => {
      const page = { page: 1, perPage: 25, sort: [], search };
      const found = await harness.account.listSessions({ page }, harness.as(actor));
      return [found.page?.total, ...found.sessions.map(({ userAgent }) => userAgent)];
    };
    expect(await agents('lynx')).to.deep.equal([1, 'Lynx/2.9 (a+)+$']);
    expect(await agents('(A+)+$')).to.deep.equal([1, 'Lynx/2.9 (a+)+$']);
    expect(await agents(visitor.ip.slice(1))).to.deep.equal([2, 'Lynx/2.9 (a+)+$', 'mocha']);
    expect(await agents('.*')).to.deep.equal([0]);
  });

  it('neither lists nor ends sessions of other users', async () => {
    const [anna, ben] = [await addUser(harness), await addUser(harness)];
    const [hers, his] = [await session(harness, anna.email), await session(harness, ben.email)];
    const revoke = async (sessionId: string) => harness.account.revokeSession({ sessionId }, harness.as(his.actor));
    expect(await refusal(revoke(hers.actor.credentialId))).to.equal('SESSION_NOT_FOUND');
    expect(await refusal(revoke('no-such-id'))).to.equal('SESSION_NOT_FOUND');
    await actorOf(harness, hers.tokens.accessToken);
    const { sessions } = await harness.account.listSessions({ page: undefined }, harness.as(his.actor));
    expect(sessions.map(({ id }) => id)).to.deep.equal([his.actor.credentialId]);
  });

  it('ends a revoked session at once and no other', async () => {
    const { email } = await addUser(harness);
    const [one, other] = [await session(harness, email), await session(harness, email)];
    await harness.account.revokeSession({ sessionId: one.actor.credentialId }, harness.as(other.actor));
    expect(await refusal(actorOf(harness, one.tokens.accessToken))).to.equal('INVALID_TOKEN');
    const refresh = { refreshToken: one.tokens.refreshToken, userAgent: '' };
    expect(await refusal(harness.auth.refreshSession(refresh, harness.as(visitor)))).to.equal('INVALID_TOKEN');
    await actorOf(harness, other.tokens.accessToken);
  });

  it('ends the session at logout, which may be repeated', async () => {
    const { email } = await addUser(harness);
    const { actor, tokens } = await session(harness, email);
    await harness.auth.logout({}, harness.as(actor));
    await harness.auth.logout({}, harness.as(actor));
    expect(await refusal(actorOf(harness, tokens.accessToken))).to.equal('INVALID_TOKEN');
  });

  it('refuses logout without a user', async () => {
    expect(await refusal(harness.auth.logout({}, harness.as(visitor)))).to.equal('USER_REQUIRED');
    expect(await refusal(harness.auth.logout({}, harness.as(serviceActor('x'))))).to.equal('USER_REQUIRED');
  });

  it('records the use of a session once a minute', async () => {
    const { email } = await addUser(harness);
    const { actor, tokens } = await session(harness, email);
    const stored = harness.mongo.collection<Stored<SessionRecord>>('sessions');
    const lastUsed = async () => Number((await stored.findOne({ _id: actor.credentialId }))?.lastUsedAt);
    const first = await lastUsed();
    aheadMs = 59_000;
    await actorOf(harness, tokens.accessToken);
    expect(await lastUsed()).to.equal(first);
    aheadMs = 61_000;
    await Promise.all(times(10, async () => actorOf(harness, tokens.accessToken)));
    const deadline = Date.now() + 5_000;
    while ((await lastUsed()) === first && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
    expect((await lastUsed()) - first).to.be.within(60_000, 70_000);
  });

  it('ends the oldest session beyond the limit', async () => {
    const { id, email } = await addUser(harness);
    const oldest = await session(harness, email);
    const stored = harness.mongo.collection<Stored<SessionRecord>>('sessions');
    const like = await stored.findOne({ _id: oldest.actor.credentialId });
    if (!like) throw new Error('no session');
    const later = (index: number) => new Date(like.createdAt.getTime() + 1 + index);
    await stored.insertMany(
      times(defaultPolicy.sessionsPerUser - 1, (index) => ({
        ...like,
        _id: `filler-${id}-${index}`,
        createdAt: later(index),
      })),
    );
    await actorOf(harness, oldest.tokens.accessToken);
    aheadMs = 1_000;
    const newest = await session(harness, email);
    expect(await refusal(actorOf(harness, oldest.tokens.accessToken))).to.equal('INVALID_TOKEN');
    await actorOf(harness, newest.tokens.accessToken);
    expect(await stored.countDocuments({ userId: id })).to.equal(defaultPolicy.sessionsPerUser);
  });

  it('pages sessions and sorts by documented fields only', async () => {
    const { email } = await addUser(harness);
    const { actor } = await session(harness, email);
    aheadMs = 1_000;
    await signIn(harness, email);
    const list = async (sort: string[], perPage = 25) =>
      harness.account.listSessions({ page: { page: 1, perPage, sort, search: '' } }, harness.as(actor));
    const newestFirst = await list(['-created_at'], 1);
    expect(newestFirst.sessions.map(({ current }) => current)).to.deep.equal([false]);
    expect(newestFirst.page?.total).to.equal(2);
    for (const field of ['refreshHash', 'refresh_hash', '$where', '_id', '__proto__', 'constructor'])
      expect(await refusal(list([field])), field).to.equal('INVALID_FIELDS');
  });
});
