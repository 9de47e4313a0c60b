import { expect } from 'chai';
import type { UserDocument } from '../../src/models/user-document.js';
import {
  actorOf,
  addUser,
  type Harness,
  keyActorOf,
  outcomes,
  password,
  refusal,
  session,
  signIn,
  startHarness,
  testEnvironment,
  times,
  visitor,
} from './harness.js';
import { mailedToken, type FakeServices, startFakeServices, until } from './fake-services.js';
import { testMongoUrl } from '@panel/testing';

const newPassword = 'a quite different password';

describe('passwords', () => {
  let harness: Harness;
  let fakeServices: FakeServices;
  let aheadMs = 0;
  before(async () => {
    const env = testEnvironment(testMongoUrl('identity'));
    fakeServices = await startFakeServices(env.SERVICE_SECRET ?? '');
    const clock = () => new Date(Date.now() + aheadMs);
    harness = await startHarness({ env: { ...env, ADMIN_ADDRESS: fakeServices.address }, overrides: { clock } });
  });
  beforeEach(() => {
    aheadMs = 0;
    fakeServices.isUnavailable = false;
  });
  after(async () => {
    await harness.stop();
    await fakeServices.stop();
  });

  const login = async (email: string, given: string, ip = visitor.ip) =>
    harness.auth.login({ email, password: given, userAgent: '' }, harness.as({ kind: 'anonymous', ip }));
  const forget = async (email: string) => harness.auth.requestPasswordReset({ email }, harness.as(visitor));
  const reset = async (token: string, given = newPassword) =>
    harness.auth.resetPassword({ token, password: given }, harness.as(visitor));
  const stored = async (id: string) => harness.mongo.collection<UserDocument>('users').findOne({ _id: id });

  describe('ChangePassword', () => {
    const change = async (actor: Parameters<Harness['as']>[0], given = newPassword, currentPassword = password) =>
      harness.account.changePassword({ currentPassword, password: given }, harness.as(actor));

    it('ends all other sessions and keeps API keys', async () => {
      const { email } = await addUser(harness);
      const [own, other] = [await session(harness, email), await session(harness, email)];
      const request = { description: 'a bot', allowedIps: [], expireTime: undefined, permissions: undefined };
      const { key } = await harness.account.createApiKey(request, harness.as(own.actor));
      await change(own.actor);
      await actorOf(harness, own.tokens.accessToken);
      await harness.auth.refreshSession({ refreshToken: own.tokens.refreshToken, userAgent: '' }, harness.as(visitor));
      expect(await refusal(actorOf(harness, other.tokens.accessToken))).to.equal('INVALID_TOKEN');
      const refresh = { refreshToken: other.tokens.refreshToken, userAgent: '' };
      expect(await refusal(harness.auth.refreshSession(refresh, harness.as(visitor)))).to.equal('INVALID_TOKEN');
      await keyActorOf(harness, key);
      expect(await refusal(login(email, password))).to.equal('INVALID_CREDENTIALS');
      await login(email, newPassword);
      const { sessions } = await harness.account.listSessions({ page: undefined }, harness.as(own.actor));
      expect(sessions).to.have.lengthOf(2);
    });

    it('ends the session that an earlier change had kept', async () => {
      const { email } = await addUser(harness);
      const first = await session(harness, email);
      await change(first.actor);
      const second = tokensOfLogin(await login(email, newPassword));
      await change(await actorOf(harness, second), password, newPassword);
      expect(await refusal(actorOf(harness, first.tokens.accessToken))).to.equal('INVALID_TOKEN');
      await actorOf(harness, second);
    });

    it('requires the current password and a new one that is long enough', async () => {
      const { email } = await addUser(harness);
      const { actor } = await session(harness, email);
      expect(await refusal(change(actor, newPassword, 'wrong password'))).to.equal('INVALID_FIELDS');
      expect(await refusal(change(actor, newPassword, ''))).to.equal('INVALID_FIELDS');
      expect(await refusal(change(actor, newPassword, 'x'.repeat(2000)))).to.equal('INVALID_FIELDS');
      for (const bad of ['', 'short', 'x'.repeat(1025), password])
        expect(await refusal(change(actor, bad))).to.equal('INVALID_FIELDS');
      await login(email, password);
    });

    it('refuses common passwords and those made of the own address', async () => {
      const { email } = await addUser(harness);
      const { actor } = await session(harness, email);
      for (const weak of ['1234567890', 'Password123', email])
        expect(await refusal(change(actor, weak)), weak).to.equal('INVALID_FIELDS');
      await change(actor);
    });

    it('accepts one of ten concurrent changes', async () => {
      const { email } = await addUser(harness);
      const { actor } = await session(harness, email);
      const counts = await outcomes(times(10, async (index) => change(actor, `${newPassword} ${index}`)));
      expect(counts).to.deep.equal({ ok: 1, INVALID_FIELDS: 9 });
    });

    it('limits guesses of the current password', async () => {
      const { email } = await addUser(harness);
      const { actor } = await session(harness, email);
      for (let round = 0; round < 20; round += 1)
        expect(await refusal(change(actor, newPassword, `guess ${round}`))).to.equal('INVALID_FIELDS');
      expect(await refusal(change(actor))).to.equal('RATE_LIMIT_EXCEEDED');
      aheadMs = 16 * 60_000;
      await change(actor);
    });
  });

  describe('reset by mail', () => {
    it('sets a new password once, ends all sessions and opens none', async () => {
      const { id, email } = await addUser(harness);
      const { tokens } = await session(harness, email);
      await forget(email.toUpperCase());
      const token = await mailedToken(fakeServices, email);
      await reset(token);
      expect(await refusal(actorOf(harness, tokens.accessToken))).to.equal('INVALID_TOKEN');
      expect(await harness.mongo.collection('sessions').countDocuments({ userId: id })).to.equal(0);
      expect(await refusal(login(email, password))).to.equal('INVALID_CREDENTIALS');
      await login(email, newPassword);
      expect(await refusal(reset(token, 'yet another password'))).to.equal('INVALID_LINK');
    });

    it('accepts a reset token once under concurrency', async () => {
      const { email } = await addUser(harness);
      await forget(email);
      const token = await mailedToken(fakeServices, email);
      const counts = await outcomes(times(10, async (index) => reset(token, `${newPassword} ${index}`)));
      expect(counts).to.deep.equal({ ok: 1, INVALID_LINK: 9 });
    });

    it('invalidates earlier links with each new mail', async () => {
      const { email } = await addUser(harness);
      await forget(email);
      const first = await mailedToken(fakeServices, email);
      await forget(email);
      const second = await mailedToken(fakeServices, email, 2);
      expect(await refusal(reset(first))).to.equal('INVALID_LINK');
      await reset(second);
    });

    it('accepts a link for one hour', async () => {
      const { email } = await addUser(harness);
      await forget(email);
      const token = await mailedToken(fakeServices, email);
      aheadMs = 61 * 60_000;
      expect(await refusal(reset(token))).to.equal('INVALID_LINK');
      aheadMs = 59 * 60_000;
      await reset(token);
    });

    it('invalidates the link when password or address change otherwise', async () => {
      const { email } = await addUser(harness);
      const { actor } = await session(harness, email);
      await forget(email);
      const first = await mailedToken(fakeServices, email);
      const change = { currentPassword: password, password: newPassword };
      await harness.account.changePassword(change, harness.as(actor));
      expect(await refusal(reset(first))).to.equal('INVALID_LINK');
      await forget(email);
      const second = await mailedToken(fakeServices, email, 2);
      const move = { email: `moved-${email}`, currentPassword: newPassword };
      await harness.account.updateAccount(move, harness.as(actor));
      expect(await refusal(reset(second))).to.equal('INVALID_LINK');
    });

    it('answers the same in the same time whether the account exists', async () => {
      const { email } = await addUser(harness);
      expect(await forget(email)).to.deep.equal(await forget('nobody@example.org'));
      expect(fakeServices.mails.filter(({ to }) => to === 'nobody@example.org')).to.be.empty;
      expect(await refusal(forget('no address'))).to.equal('INVALID_FIELDS');
    });

    it('sends at most five mails in a quarter of an hour', async () => {
      const { email } = await addUser(harness);
      const attempts = harness.mongo.collection<{ _id: string; count: number }>('attempts');
      await attempts.deleteMany({ _id: /^password-mail/ });
      await Promise.all(times(20, async () => forget(email)));
      await until(
        async () => (await attempts.findOne({ _id: /^password-mail/, count: 20 })) !== null,
        '20 requests seen',
      );
      await until(
        async () => !(await stored((await idOf(email)) ?? ''))?.outbox?.entries.length,
        'the outbox is empty',
      );
      expect(fakeServices.mails.filter(({ to }) => to === email).length).to.be.within(1, 5);
    });

    const idOf = async (email: string) =>
      (await harness.mongo.collection<UserDocument>('users').findOne({ email }))?._id;

    it('stores the token sealed and delivers the mail when the admin service is back', async () => {
      const { id, email } = await addUser(harness);
      fakeServices.isUnavailable = true;
      await forget(email);
      await until(async () => (await stored(id))?.outbox?.entries.length === 1, 'the mail waits');
      const waiting = JSON.stringify(await stored(id));
      fakeServices.isUnavailable = false;
      const token = await mailedToken(fakeServices, email);
      expect(waiting).to.not.include(token);
      await until(async () => (await stored(id))?.outbox?.pending === undefined, 'the outbox is empty');
      expect(JSON.stringify(await stored(id))).to.not.include(token);
      await reset(token);
    });

    it('does not replace the second factor', async () => {
      const { id, email } = await addUser(harness);
      const twoFactor = { secret: 'sealed', lastStep: 1, recoveryHashes: [], enabledAt: new Date() };
      await harness.mongo.collection<UserDocument>('users').updateOne({ _id: id }, { $set: { twoFactor } });
      await forget(email);
      expect(await reset(await mailedToken(fakeServices, email))).to.deep.equal({});
      expect((await login(email, newPassword)).result?.$case).to.equal('challenge');
    });

    it('refuses malformed tokens, and weak passwords before the token is looked up', async () => {
      const { email } = await addUser(harness);
      await forget(email);
      const token = await mailedToken(fakeServices, email);
      for (const bad of ['', 'x', `${token}x`, token.slice(1), '{"$ne":""}', 'x'.repeat(100_000), '\u0000'.repeat(43)])
        expect(await refusal(reset(bad))).to.equal('INVALID_LINK');
      for (const weak of ['', 'short', 'x'.repeat(1025)])
        expect(await refusal(reset(token, weak))).to.equal('INVALID_FIELDS');
      await reset(token);
    });
  });

  describe('guessed from many addresses', () => {
    it('accepts only known addresses while an account is throttled, for a quarter of an hour', async () => {
      const { email } = await addUser(harness);
      await signIn(harness, email);
      for (let round = 0; round < 55; round += 5)
        await outcomes(times(5, async (index) => login(email, 'wrong password', `203.0.113.${round + index}`)));
      expect(await refusal(login(email, password, '203.0.113.250'))).to.equal('INVALID_CREDENTIALS');
      await login(email, password);
      aheadMs = 16 * 60_000;
      await login(email, password, '203.0.113.250');
    });

    it('counts a burst of guesses exactly', async () => {
      const { id, email } = await addUser(harness);
      // A busy machine refuses some calls of a burst: repeats them.
      for (let heard = 0; heard <= 50;) {
        const counts = await outcomes(times(60, async (index) => login(email, 'wrong password', `203.0.113.${index}`)));
        expect(counts).to.not.have.property('ok');
        expect(counts.INVALID_CREDENTIALS).to.be.above(0);
        heard += counts.INVALID_CREDENTIALS ?? 0;
      }
      expect(await refusal(login(email, password, '192.0.2.99'))).to.equal('INVALID_CREDENTIALS');
      expect(await harness.mongo.collection('sessions').countDocuments({ userId: id })).to.equal(0);
    });

    it('accepts the owner after a reset by mail, from the address of the reset', async () => {
      const { email } = await addUser(harness);
      for (let round = 0; round < 55; round += 5)
        await outcomes(times(5, async (index) => login(email, 'wrong password', `203.0.113.${round + index}`)));
      expect(await refusal(login(email, password))).to.equal('INVALID_CREDENTIALS');
      await forget(email);
      await reset(await mailedToken(fakeServices, email));
      await login(email, newPassword);
    });
  });
});

function tokensOfLogin(response: Awaited<ReturnType<Harness['auth']['login']>>): string {
  return response.result?.$case === 'tokens' ? response.result.value.accessToken : expect.fail('no tokens');
}
