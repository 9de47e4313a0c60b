import type { Stored } from '@panel/kit/mongo';
import { randomUUID } from 'node:crypto';
import { accessTokenClaims, createTokenKey, tokenConstants } from '@panel/rpc';
import { expect } from 'chai';
import type { SessionRecord } from '../../src/domain/session.js';
import { until } from './fake-services.js';
import {
  actorOf,
  addUser,
  type Harness,
  outcomes,
  refusal,
  session,
  signIn,
  startHarness,
  times,
  visitor,
} from './harness.js';
import jwt from 'jsonwebtoken';

/** Rotations are confirmed outside of requests, possibly after the next one. */
async function confirmed(harness: Harness, userId: string): Promise<void> {
  const sessions = harness.mongo.collection<Stored<SessionRecord>>('sessions');
  const unconfirmed = { userId, unconfirmedSince: { $ne: null } };
  await until(async () => (await sessions.findOne(unconfirmed)) === null, 'a confirmed rotation');
}

describe('RefreshSession', () => {
  let harness: Harness;
  let aheadMs = 0;
  const refresh = async (refreshToken: string, at: Harness = harness) => {
    const answer = await at.auth.refreshSession({ refreshToken, userAgent: '' }, at.as(visitor));
    return answer.tokens ?? expect.fail('no tokens in the answer');
  };
  const isAlive = async (accessToken: string): Promise<boolean> =>
    actorOf(harness, accessToken).then(
      () => true,
      () => false,
    );

  before(async () => {
    harness = await startHarness({ overrides: { clock: () => new Date(Date.now() + aheadMs) } });
  });
  beforeEach(() => {
    aheadMs = 0;
  });
  after(async () => harness.stop());

  it('returns a new pair of the same session and invalidates the old refresh token', async () => {
    const { email } = await addUser(harness);
    const first = await signIn(harness, email);
    const second = await refresh(first.refreshToken);
    expect(second.refreshToken).to.not.equal(first.refreshToken);
    expect(sid(second.accessToken)).to.equal(sid(first.accessToken));
    expect(await refusal(refresh(first.refreshToken))).to.equal('INVALID_TOKEN');
    await refresh(second.refreshToken);
  });

  it('answers a double click with INVALID_TOKEN and keeps the session', async () => {
    const { email } = await addUser(harness);
    const first = await signIn(harness, email);
    const second = await refresh(first.refreshToken);
    const third = await refresh(second.refreshToken);
    aheadMs = 3_000;
    expect(await refusal(refresh(first.refreshToken))).to.equal('INVALID_TOKEN');
    expect(await refusal(refresh(second.refreshToken))).to.equal('INVALID_TOKEN');
    expect(await isAlive(third.accessToken)).to.be.true;
    await refresh(third.refreshToken);
  });

  it('gives a recently rotated token its unused successor again where the caller asks for it', async () => {
    const { id, email } = await addUser(harness);
    const first = await signIn(harness, email);
    const repeat = async (refreshToken: string) =>
      harness.auth.refreshSession({ refreshToken, userAgent: '', repeatRecent: true }, harness.as(visitor));
    const answers = await Promise.all(times(20, async () => repeat(first.refreshToken)));
    expect(new Set(answers.map(({ tokens }) => tokens?.refreshToken)).size).to.equal(1);
    aheadMs = 3_000;
    const second = (await repeat(first.refreshToken)).tokens ?? expect.fail('no tokens');
    expect(second.refreshToken).to.equal(answers[0]?.tokens?.refreshToken);
    await repeat(second.refreshToken);
    expect(await refusal(repeat(first.refreshToken))).to.equal('INVALID_TOKEN');
    expect(await isAlive(second.accessToken)).to.be.true;
    await confirmed(harness, id);
    aheadMs = 20_000;
    expect(await refusal(repeat(first.refreshToken))).to.equal('INVALID_TOKEN');
    expect(await isAlive(second.accessToken)).to.be.false;
  });

  it('ends a session with any of its refresh tokens, and nothing with another text', async () => {
    const { email } = await addUser(harness);
    const first = await signIn(harness, email);
    const second = await refresh(first.refreshToken);
    await harness.auth.endSession({ refreshToken: second.accessToken }, harness.as(visitor));
    await harness.auth.endSession({ refreshToken: 'nonsense' }, harness.as(visitor));
    expect(await isAlive(second.accessToken)).to.be.true;
    await harness.auth.endSession({ refreshToken: first.refreshToken }, harness.as(visitor));
    await harness.auth.endSession({ refreshToken: first.refreshToken }, harness.as(visitor));
    expect(await isAlive(second.accessToken)).to.be.false;
  });

  it('ends the session when a rotated token is used again later', async () => {
    const { id, email } = await addUser(harness);
    const first = await signIn(harness, email);
    const second = await refresh(first.refreshToken);
    await confirmed(harness, id);
    aheadMs = 11_000;
    expect(await refusal(refresh(first.refreshToken))).to.equal('INVALID_TOKEN');
    expect(await isAlive(second.accessToken)).to.be.false;
    expect(await refusal(refresh(second.refreshToken))).to.equal('INVALID_TOKEN');
    expect(await harness.mongo.collection('sessions').countDocuments({ userId: id })).to.equal(0);
  });

  it('ends only the session whose token was reused', async () => {
    const { id, email } = await addUser(harness);
    const [stolen, other] = [await signIn(harness, email), await signIn(harness, email)];
    await refresh(stolen.refreshToken);
    await confirmed(harness, id);
    aheadMs = 11_000;
    expect(await refusal(refresh(stolen.refreshToken))).to.equal('INVALID_TOKEN');
    await refresh(other.refreshToken);
  });

  it('recognises tokens rotated long before the last rotation', async () => {
    const { id, email } = await addUser(harness);
    const first = await signIn(harness, email);
    let latest = first;
    for (let round = 0; round < 25; round += 1) latest = await refresh(latest.refreshToken);
    await confirmed(harness, id);
    aheadMs = 11_000;
    expect(await refusal(refresh(first.refreshToken))).to.equal('INVALID_TOKEN');
    expect(await isAlive(latest.accessToken)).to.be.false;
  });

  it('accepts exactly one of 50 parallel refreshes at two replicas and keeps the session', async () => {
    const { email } = await addUser(harness);
    const replica = await startHarness({ env: harness.env });
    try {
      const first = await signIn(harness, email);
      const calls = times(50, async (index) => refresh(first.refreshToken, index % 2 === 0 ? harness : replica));
      expect(await outcomes(calls)).to.deep.equal({ ok: 1, INVALID_TOKEN: 49 });
      const [winner] = (await Promise.allSettled(calls)).filter((call) => call.status === 'fulfilled');
      const tokens = winner?.value ?? expect.fail('nobody won');
      expect(await isAlive(tokens.accessToken)).to.be.true;
      await refresh(tokens.refreshToken);
    } finally {
      await replica.stop();
    }
  });

  it('extends the session with each refresh and ends it at its expiry', async () => {
    const { email } = await addUser(harness);
    const { actor, tokens } = await session(harness, email);
    aheadMs = 6 * 86_400_000;
    await refresh(tokens.refreshToken);
    aheadMs = 12 * 86_400_000;
    expect(await isAlive(tokens.accessToken)).to.be.true;
    aheadMs = 13 * 86_400_000 + 60_000;
    expect(await isAlive(tokens.accessToken)).to.be.false;
    const { page } = await harness.account.listSessions({ page: undefined }, harness.as(actor));
    expect(page?.total).to.equal(0);
  });

  it('refuses a signed refresh token that the database does not know', async () => {
    const { id, email } = await addUser(harness);
    const { refreshToken } = await signIn(harness, email);
    await harness.mongo.collection<Stored<SessionRecord>>('sessions').deleteMany({ userId: id });
    expect(await refusal(refresh(refreshToken))).to.equal('INVALID_TOKEN');
  });

  it('refuses the tokens of a deleted user', async () => {
    const { id, email } = await addUser(harness);
    const { refreshToken, accessToken } = await signIn(harness, email);
    await harness.mongo.collection<{ _id: string }>('users').deleteOne({ _id: id });
    expect(await refusal(refresh(refreshToken))).to.equal('INVALID_TOKEN');
    expect(await isAlive(accessToken)).to.be.false;
  });

  describe('forgeries', () => {
    let good: jwt.JwtPayload;
    let key: ReturnType<typeof createTokenKey>;
    let access: string;
    before(async () => {
      const { email } = await addUser(harness);
      const tokens = await signIn(harness, email);
      access = tokens.accessToken;
      good = jwt.decode(tokens.refreshToken) as jwt.JwtPayload;
      key = createTokenKey(harness.config.jwtSecret);
    });
    const sign = (changes: object, withKey: jwt.Secret = key) => jwt.sign({ ...good, ...changes }, withKey);
    const attacks: Record<string, () => string | Promise<string>> = {
      nothing: () => '',
      'an access token': () => access,
      'an access token that calls itself refresh': () => sign({ aud: accessTokenClaims.aud }),
      'a challenge': () => sign({ typ: 'challenge', aud: tokenConstants.audiences.challenge }),
      'an actor token of a service': () => harness.signer.sign({ kind: 'service', service: 'x', ip: '127.0.0.1' }),
      'no signature': () => jwt.sign(good, '', { algorithm: 'none' }),
      'another secret': () => sign({}, 'another secret that is long enough too'),
      'the services’ secret': () => sign({}, harness.config.serviceSecret),
      'an expired one': () => sign({ exp: Math.floor(Date.now() / 1000) - 1 }),
      'another user’s id': async () => sign({ sub: (await addUser(harness)).id }),
      'an unknown session': () => sign({ sid: randomUUID() }),
      'a query in place of the session': () => sign({ sid: { $ne: '' } }),
      '100 KiB': () => 'x'.repeat(102_400),
    };
    for (const [name, make] of Object.entries(attacks)) {
      it(`refuses ${name}`, async () => {
        expect(await refusal(refresh(await make()))).to.equal('INVALID_TOKEN');
      });
    }

    it('keeps the session that a forged token names', async () => {
      expect(await isAlive(access)).to.be.true;
    });
  });

  it('refuses tokens of an earlier JWT_SECRET and lists none of its sessions', async () => {
    const { email } = await addUser(harness);
    const { refreshToken, accessToken } = await signIn(harness, email);
    const rotated = await startHarness({
      env: { ...harness.env, JWT_SECRET: 'a-new-secret-of-more-than-32-characters' },
    });
    try {
      expect(await refusal(refresh(refreshToken, rotated))).to.equal('INVALID_TOKEN');
      const bySession = { credential: { $case: 'sessionId' as const, value: sid(accessToken) }, ip: '' };
      expect(await refusal(rotated.auth.authenticate(bySession))).to.equal('INVALID_TOKEN');
      const { actor } = await session(rotated, email);
      const { sessions } = await rotated.account.listSessions({ page: undefined }, rotated.as(actor));
      expect(sessions.map(({ id }) => id)).to.deep.equal([actor.credentialId]);
    } finally {
      await rotated.stop();
    }
  });
});

function sid(token: string): string {
  return String((jwt.decode(token) as jwt.JwtPayload).sid);
}

describe('a refresh whose answer was lost', () => {
  let harness: Harness;
  let aheadMs = 0;

  before(async () => {
    harness = await startHarness({ overrides: { clock: () => new Date(Date.now() + aheadMs) } });
  });
  beforeEach(() => {
    aheadMs = 0;
  });
  after(async () => harness.stop());

  const refresh = async (refreshToken: string) => {
    const { tokens } = await harness.auth.refreshSession({ refreshToken, userAgent: 'mocha' }, harness.as(visitor));
    if (!tokens) throw new Error('no tokens');
    return tokens;
  };

  /** State after a crash between rotation and response. */
  async function loseAnswer(id: string): Promise<void> {
    const sessions = harness.mongo.collection<Stored<SessionRecord>>('sessions');
    await confirmed(harness, id);
    const session = await sessions.findOne({ userId: id });
    await sessions.updateOne({ userId: id }, { $set: { unconfirmedSince: session?.lastUsedAt ?? null } });
  }

  it('returns the lost tokens again, and they work', async () => {
    const { id, email } = await addUser(harness);
    const first = await signIn(harness, email);
    const lost = await refresh(first.refreshToken);
    await loseAnswer(id);
    aheadMs = 15_000;
    expect(await refresh(first.refreshToken)).to.deep.equal(lost);
    await refresh(lost.refreshToken);
  });

  it('returns them to the replaced token only', async () => {
    const { id, email } = await addUser(harness);
    const first = await signIn(harness, email);
    const second = await refresh(first.refreshToken);
    await refresh(second.refreshToken);
    await loseAnswer(id);
    aheadMs = 15_000;
    expect(await refusal(refresh(first.refreshToken))).to.equal('INVALID_TOKEN');
    expect(await harness.mongo.collection('sessions').countDocuments({ userId: id })).to.equal(0);
  });

  it('returns no tokens again once they are confirmed', async () => {
    const { id, email } = await addUser(harness);
    const first = await signIn(harness, email);
    await refresh(first.refreshToken);
    await loseAnswer(id);
    aheadMs = 15_000;
    await refresh(first.refreshToken);
    await confirmed(harness, id);
    aheadMs = 30_000;
    expect(await refusal(refresh(first.refreshToken))).to.equal('INVALID_TOKEN');
  });
});
