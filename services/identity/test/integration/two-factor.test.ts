import { isAppError } from '@panel/kit/errors';
import type { Stored } from '@panel/kit/mongo';
import type { UserActor } from '@panel/rpc';
import { SecuritySettings_RequireTwoFactor as RequireTwoFactor } from '@panel/protos/admin';
import type { VerifyTwoFactorRequest } from '@panel/protos/identity';
import { expect } from 'chai';
import { totpCode, totpStep } from '../../src/crypto/totp.js';
import { moderatorRole, userRole } from '../../src/domain/system-roles.js';
import type { UserRecord } from '../../src/domain/user.js';
import {
  actorOf,
  addUser,
  type Harness,
  outcomes,
  password,
  refusal,
  session,
  startHarness,
  testEnvironment,
  times,
  tokensOf,
  visitor,
} from './harness.js';
import { type FakeServices, startFakeServices, until } from './fake-services.js';
import { testMongoUrl } from '@panel/testing';
import jwt from 'jsonwebtoken';

type Proof = VerifyTwoFactorRequest['proof'];
const code = (value: string): Proof => ({ $case: 'code', value });
const recovery = (value: string): Proof => ({ $case: 'recoveryCode', value });

describe('two-factor authentication', () => {
  let harness: Harness;
  let replica: Harness;
  let fakeServices: FakeServices;
  let aheadMs = 0;
  const clock = () => new Date(Date.now() + aheadMs);
  /** Next time step, with an unused code. */
  const tick = () => {
    aheadMs += 30_000;
  };

  before(async () => {
    const env = testEnvironment(testMongoUrl('identity'));
    fakeServices = await startFakeServices(env.SERVICE_SECRET ?? '');
    harness = await startHarness({ env: { ...env, ADMIN_ADDRESS: fakeServices.address }, overrides: { clock } });
    replica = await startHarness({ env, overrides: { clock } });
  });
  beforeEach(() => {
    aheadMs = 0;
  });
  after(async () => {
    await Promise.all([harness.stop(), replica.stop()]);
    await fakeServices.stop();
  });

  const begin = async (actor: UserActor, given = password) =>
    harness.account.beginTwoFactor({ password: given }, harness.as(actor));
  const confirm = async (actor: UserActor, value: string) =>
    harness.account.confirmTwoFactor({ code: value }, harness.as(actor));
  const codeOf = (secret: string) => totpCode(secret, totpStep(clock()));
  const wrong = (secret: string) => String((Number(codeOf(secret)) + 111_111) % 1_000_000).padStart(6, '0');

  /** With two-factor authentication. */
  async function protectedUser(roleId = userRole.id) {
    const { id, email } = await addUser(harness, { roleId });
    const { actor } = await session(harness, email);
    const { secret } = await begin(actor);
    const { recoveryCodes } = await confirm(actor, codeOf(secret));
    tick();
    return { id, email, actor, secret, recoveryCodes };
  }
  async function challenge(email: string): Promise<string> {
    const { result } = await harness.auth.login({ email, password, userAgent: '' }, harness.as(visitor));
    return result?.$case === 'challenge' ? result.value.token : expect.fail('no challenge');
  }
  const verify = async (token: string, proof: Proof, at = harness) =>
    at.auth.verifyTwoFactor({ token, proof, userAgent: 'mocha' }, at.as(visitor));

  it('asks for a code after a set-up with password and first code', async () => {
    const { id, email } = await addUser(harness);
    const { actor } = await session(harness, email);
    const { secret, otpauthUrl, qrCode } = await begin(actor);
    expect(secret).to.match(/^[A-Z2-7]{32}$/);
    expect(otpauthUrl).to.include(`secret=${secret}`).and.include('Test%20Panel');
    expect(Buffer.from(qrCode.replace('data:image/svg+xml;base64,', ''), 'base64').toString()).to.include('<svg');
    tokensOf(await harness.auth.login({ email, password, userAgent: '' }, harness.as(visitor)));
    const { recoveryCodes } = await confirm(actor, codeOf(secret));
    expect(new Set(recoveryCodes).size).to.equal(10);
    expect((await harness.account.getAccount({}, harness.as(actor))).user?.twoFactorEnabled).to.be.true;
    await actorOf(
      harness,
      tokensOf(await asTokens(verify(await challengeAfterTick(email), code(codeOf(secret))))).accessToken,
    );
    const stored = JSON.stringify(await harness.mongo.collection<Stored<UserRecord>>('users').findOne({ _id: id }));
    expect(stored).to.not.include(secret);
    for (const text of recoveryCodes) expect(stored).to.not.include(text.replaceAll('-', ''));
  });

  async function challengeAfterTick(email: string): Promise<string> {
    tick();
    return challenge(email);
  }
  async function asTokens(call: ReturnType<typeof verify>) {
    const { tokens } = await call;
    return { result: tokens && { $case: 'tokens' as const, value: tokens } };
  }

  it('does not reveal the second factor before the password is verified', async () => {
    const { email } = await protectedUser();
    const call = harness.auth.login({ email, password: 'wrong password', userAgent: '' }, harness.as(visitor));
    expect(await refusal(call)).to.equal('INVALID_CREDENTIALS');
  });

  it('opens no session before the second factor', async () => {
    const { id, email } = await protectedUser();
    const count = async () => harness.mongo.collection('sessions').countDocuments({ userId: id });
    const before = await count();
    const token = await challenge(email);
    expect(await count()).to.equal(before);
    const claims = jwt.decode(token) as jwt.JwtPayload;
    expect(claims).to.include({ aud: 'panel-2fa', typ: 'challenge', sub: id });
    expect(Number(claims.exp) - Number(claims.iat)).to.equal(300);
    const refresh = harness.auth.refreshSession({ refreshToken: token, userAgent: '' }, harness.as(visitor));
    expect(await refusal(refresh)).to.equal('INVALID_TOKEN');
  });

  it('accepts each code once over two challenges and 50 attempts at two replicas', async () => {
    const { email, secret } = await protectedUser();
    const tokens = await Promise.all(times(10, async () => challenge(email)));
    const calls = times(50, async (index) =>
      verify(tokens[index % 10] ?? '', code(codeOf(secret)), index % 2 === 0 ? harness : replica),
    );
    const counts = await outcomes(calls);
    expect(counts.ok).to.equal(1);
    const { INVALID_CREDENTIALS: rejected = 0, CHALLENGE_ENDED: ended = 0 } = counts;
    expect(rejected + ended).to.equal(49);
    aheadMs += 16 * 60_000;
    await verify(await challenge(email), code(codeOf(secret)));
  });

  it('rejects codes older than the last accepted one', async () => {
    const { email, secret } = await protectedUser();
    const earlier = codeOf(secret);
    tick();
    await verify(await challenge(email), code(codeOf(secret)));
    expect(await refusal(verify(await challenge(email), code(earlier)))).to.equal('INVALID_CREDENTIALS');
  });

  it('accepts one answer per challenge', async () => {
    const { email, secret } = await protectedUser();
    const token = await challenge(email);
    await verify(token, code(codeOf(secret)));
    tick();
    expect(await refusal(verify(token, code(codeOf(secret))))).to.equal('CHALLENGE_ENDED');
  });

  it('rejects the valid code after five attempts across replicas', async () => {
    const { email, secret } = await protectedUser();
    const token = await challenge(email);
    await outcomes(times(5, async (index) => verify(token, code(wrong(secret)), index % 2 === 0 ? harness : replica)));
    expect(await refusal(verify(token, code(codeOf(secret))))).to.equal('CHALLENGE_ENDED');
    await verify(await challenge(email), code(codeOf(secret)));
  });

  it('limits wrong codes over all challenges of an account', async () => {
    const { email, secret, recoveryCodes } = await protectedUser();
    for (let round = 0; round < 7; round += 1) {
      const token = await challenge(email);
      await outcomes(times(3, async () => verify(token, code(wrong(secret)))));
    }
    expect(await refusal(verify(await challenge(email), code(codeOf(secret))))).to.equal('INVALID_CREDENTIALS');
    await verify(await challenge(email), recovery(recoveryCodes[0] ?? ''));
    aheadMs += 16 * 60_000;
    await verify(await challenge(email), code(codeOf(secret)));
  });

  it('ends a challenge after five minutes and with a change of password', async () => {
    const { id, email, secret, actor } = await protectedUser();
    const token = await challenge(email);
    aheadMs += 5 * 60_000 + 1_000;
    expect(await refusal(verify(token, code(codeOf(secret))))).to.equal('CHALLENGE_ENDED');
    const second = await challenge(email);
    const change = { currentPassword: password, password: 'another long password' };
    await harness.account.changePassword(change, harness.as(actor));
    tick();
    expect(await refusal(verify(second, code(codeOf(secret))))).to.equal('CHALLENGE_ENDED');
    expect(await harness.mongo.collection('sessions').countDocuments({ userId: id })).to.equal(1);
  });

  it('refuses malformed codes, malformed challenges and those of other users', async () => {
    const [anna, ben] = [await protectedUser(), await protectedUser()];
    const token = await challenge(anna.email);
    const bad: Proof[] = [
      undefined,
      code(''),
      code('0'),
      code('１２３４５６'),
      code('{"$gt":""}'),
      recovery(''),
      recovery('x'),
    ];
    const before = await harness.mongo.collection('sessions').countDocuments();
    for (const proof of bad.slice(0, 4)) expect(await refusal(verify(token, proof))).to.equal('INVALID_CREDENTIALS');
    const second = await challenge(anna.email);
    for (const proof of bad.slice(4)) expect(await refusal(verify(second, proof))).to.equal('INVALID_CREDENTIALS');
    const third = await challenge(anna.email);
    expect(await refusal(verify(third, code(codeOf(ben.secret))))).to.equal('INVALID_CREDENTIALS');
    expect(await refusal(verify(third, recovery(ben.recoveryCodes[0] ?? '')))).to.equal('INVALID_CREDENTIALS');
    const invented = jwt.sign(jwt.decode(third) as object, 'another secret that is long enough');
    for (const text of ['', 'invented', invented, ben.actor.credentialId])
      expect(await refusal(verify(text, code(codeOf(anna.secret))))).to.equal('INVALID_CREDENTIALS');
    expect(await harness.mongo.collection('sessions').countDocuments()).to.equal(before);
    await verify(third, code(codeOf(anna.secret)));
  });

  it('accepts a recovery code once under concurrency', async () => {
    const { email, recoveryCodes } = await protectedUser();
    const [first = '', second = ''] = recoveryCodes;
    const tokens = await Promise.all(times(10, async () => challenge(email)));
    const calls = tokens.map(async (token) => verify(token, recovery(first.toUpperCase())));
    expect(await outcomes(calls)).to.deep.equal({ ok: 1, INVALID_CREDENTIALS: 9 });
    await verify(await challenge(email), recovery(second.replaceAll('-', '')));
  });

  it('refuses a set-up without password, out of order, expired or repeated', async () => {
    const { email } = await addUser(harness);
    const { actor } = await session(harness, email);
    expect(await refusal(begin(actor, 'wrong password'))).to.equal('INVALID_FIELDS');
    expect(await refusal(begin(actor, ''))).to.equal('INVALID_FIELDS');
    expect(await refusal(confirm(actor, '123456'))).to.equal('TWO_FACTOR_NOT_STARTED');
    const first = await begin(actor);
    const second = await begin(actor);
    expect(await refusal(confirm(actor, codeOf(first.secret)))).to.equal('INVALID_FIELDS');
    aheadMs += 31 * 60_000;
    expect(await refusal(confirm(actor, codeOf(second.secret)))).to.equal('TWO_FACTOR_NOT_STARTED');
    const third = await begin(actor);
    const confirmations = times(10, async () => confirm(actor, codeOf(third.secret)));
    expect((await outcomes(confirmations)).ok).to.equal(1);
    expect(await refusal(begin(actor))).to.equal('TWO_FACTOR_ENABLED');
    expect(await refusal(confirm(actor, codeOf(third.secret)))).to.equal('TWO_FACTOR_ENABLED');
  });

  it('rejects the code that was used for the set-up', async () => {
    const { email } = await addUser(harness);
    const { actor } = await session(harness, email);
    const { secret } = await begin(actor);
    await confirm(actor, codeOf(secret));
    expect(await refusal(verify(await challenge(email), code(codeOf(secret))))).to.equal('INVALID_CREDENTIALS');
  });

  it('ends all other sessions when it is switched on', async () => {
    const { email } = await addUser(harness);
    const other = await session(harness, email);
    const own = await session(harness, email);
    const { secret } = await begin(own.actor);
    await confirm(own.actor, codeOf(secret));
    expect(await refusal(actorOf(harness, other.tokens.accessToken))).to.equal('INVALID_TOKEN');
    await actorOf(harness, own.tokens.accessToken);
  });

  it('requires both password and second factor to switch it off', async () => {
    const { email, actor, secret, recoveryCodes } = await protectedUser();
    const disable = async (given: string, proof: Proof) =>
      harness.account.disableTwoFactor({ password: given, proof }, harness.as(actor));
    expect(await refusal(disable('wrong password', code(codeOf(secret))))).to.equal('INVALID_FIELDS');
    expect(await refusal(disable(password, undefined))).to.equal('INVALID_FIELDS');
    expect(await refusal(disable(password, code(wrong(secret))))).to.equal('INVALID_FIELDS');
    await disable(password, recovery(recoveryCodes[3] ?? ''));
    expect(await refusal(disable(password, code(codeOf(secret))))).to.equal('TWO_FACTOR_DISABLED');
    tokensOf(await harness.auth.login({ email, password, userAgent: '' }, harness.as(visitor)));
  });

  it('survives a change of JWT_SECRET', async () => {
    const { email, secret } = await protectedUser();
    const env = { ...harness.env, JWT_SECRET: 'a-new-secret-of-more-than-32-characters' };
    const rotated = await startHarness({ env, overrides: { clock } });
    try {
      const { result } = await rotated.auth.login({ email, password, userAgent: '' }, rotated.as(visitor));
      const token = result?.$case === 'challenge' ? result.value.token : expect.fail('no challenge');
      await verify(token, code(codeOf(secret)), rotated);
    } finally {
      await rotated.stop();
    }
  });

  describe('required by the settings', () => {
    const isRequired = async (sessionId: string, at = harness) =>
      (await at.auth.authenticate({ credential: { $case: 'sessionId', value: sessionId }, ip: '' })).twoFactorRequired;

    afterEach(async () => {
      const { email } = await addUser(harness, { roleId: moderatorRole.id });
      const { actor } = await session(harness, email);
      fakeServices.isUnavailable = false;
      fakeServices.requireTwoFactor = RequireTwoFactor.NONE;
      await until(async () => !(await isRequired(actor.credentialId)), 'the policy is none');
    });

    it('reports staff without a second factor as required to set it up', async () => {
      const customer = (await session(harness, (await addUser(harness)).email)).actor;
      const { email } = await addUser(harness, { roleId: moderatorRole.id });
      const staff = (await session(harness, email)).actor;
      expect(await isRequired(staff.credentialId)).to.be.false;
      fakeServices.requireTwoFactor = RequireTwoFactor.ADMINS;
      await until(async () => isRequired(staff.credentialId), 'staff must set it up');
      expect(await isRequired(customer.credentialId)).to.be.false;
      const { secret } = await begin(staff);
      expect(await isRequired(staff.credentialId)).to.be.true;
      await confirm(staff, codeOf(secret));
      expect(await isRequired(staff.credentialId)).to.be.false;
    });

    it('keeps requiring it while the admin service is unavailable and after a restart', async () => {
      const { actor } = await session(harness, (await addUser(harness)).email);
      fakeServices.requireTwoFactor = RequireTwoFactor.ALL;
      await until(async () => isRequired(actor.credentialId), 'everybody must set it up');
      fakeServices.isUnavailable = true;
      const restarted = await startHarness({ env: harness.env, overrides: { clock } });
      try {
        expect(await isRequired(actor.credentialId, restarted)).to.be.true;
      } finally {
        await restarted.stop();
      }
    });

    it('applies the requirement to API keys', async () => {
      const { actor } = await session(harness, (await addUser(harness)).email);
      const request = { description: 'a bot', allowedIps: [], expireTime: undefined, permissions: undefined };
      const { key } = await harness.account.createApiKey(request, harness.as(actor));
      fakeServices.requireTwoFactor = RequireTwoFactor.ALL;
      await until(async () => isRequired(actor.credentialId), 'everybody must set it up');
      const known = await harness.auth.authenticate({ credential: { $case: 'apiKey', value: key }, ip: '' });
      expect(known.twoFactorRequired).to.be.true;
    });
  });

  it('answers every rejected code with the same message', async () => {
    const { email, secret } = await protectedUser();
    const token = await challenge(email);
    const calls = [verify(token, code(wrong(secret))), verify(token, code('1')), verify(token, recovery('y'))];
    const refusals = (await Promise.allSettled(calls)).map((call) =>
      call.status === 'rejected' && isAppError(call.reason) ? `${call.reason.kind} ${call.reason.message}` : 'accepted',
    );
    expect(new Set(refusals)).to.deep.equal(new Set(['unauthenticated these credentials are not right']));
  });
});
