import type { Stored } from '@panel/kit/mongo';
import { randomUUID } from 'node:crypto';
import argon2 from 'argon2';
import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import type { UserRecord } from '../../src/domain/user.js';
import {
  addUser,
  type Harness,
  outcomes,
  password,
  refusal,
  signIn,
  startHarness,
  times,
  tokensOf,
  visitor,
} from './harness.js';

describe('Login', () => {
  let harness: Harness;
  const attempt = async (email: string, given: string) =>
    harness.auth.login({ email, password: given, userAgent: '' }, harness.as(visitor));

  before(async () => {
    harness = await startHarness();
  });
  after(async () => harness.stop());

  it('returns a token set with exactly the documented claims', async () => {
    const { id, email } = await addUser(harness);
    const tokens = await signIn(harness, email);
    expect(tokens.expiresInSeconds).to.equal(900);
    const access = jwt.decode(tokens.accessToken, { complete: true });
    expect(access?.header).to.deep.equal({ alg: 'HS256', typ: 'JWT' });
    const claims = access?.payload as Record<string, unknown>;
    expect(claims).to.have.all.keys('iss', 'aud', 'sub', 'sid', 'jti', 'typ', 'iat', 'exp');
    expect(claims).to.include({ iss: 'panel', aud: 'panel-api', typ: 'access', sub: id });
    expect(Number(claims.exp) - Number(claims.iat)).to.equal(900);
    const refresh = jwt.decode(tokens.refreshToken) as Record<string, unknown>;
    expect(refresh).to.include({ aud: 'panel-refresh', typ: 'refresh', sub: id, sid: claims.sid });
    expect(Number(refresh.exp) - Number(refresh.iat)).to.equal(604_800);
    expect(refresh.jti).to.not.equal(claims.jti);
  });

  it('finds the account by every spelling of its address', async () => {
    const tag = randomUUID();
    await addUser(harness, { email: `jos\u00e9-${tag}@example.org` });
    for (const email of [`JOSE\u0301-${tag.toUpperCase()}@example.org`, `  jos\u00e9-${tag}@EXAMPLE.org `])
      expect(tokensOf(await attempt(email, password)).accessToken).to.be.a('string');
  });

  it('refuses a wrong password and an unknown address with the same answer', async () => {
    const { email } = await addUser(harness);
    const failures = await Promise.all(
      [attempt(email, 'wrong password'), attempt('nobody@example.org', 'wrong password')].map(async (call) =>
        call.then(
          () => expect.fail('was not refused'),
          (error: unknown) => error,
        ),
      ),
    );
    const [known, unknown] = failures.map((error) => {
      const { kind, reason, message, metadata } = error as Record<string, unknown>;
      return { kind, reason, message, metadata };
    });
    expect(known).to.deep.equal(unknown);
    expect(known).to.include({ kind: 'unauthenticated', reason: 'INVALID_CREDENTIALS' });
  });

  it('takes the same time for an unknown address and a wrong password', async () => {
    const { email } = await addUser(harness);
    const time = async (address: string) => {
      const start = performance.now();
      await refusal(attempt(address, 'wrong password'));
      return performance.now() - start;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    // Other load only slows calls down: compares minima, which more rounds bring nearer to the truth.
    let [one, other] = [0, 0];
    const ratio = () => Math.max(one, other) / Math.min(one, other);
    for (let round = 0; round < 15 || (round < 90 && ratio() >= 1.4); round += 1) {
      known.push(await time(email));
      unknown.push(await time(`${randomUUID()}@example.org`));
      [one, other] = [Math.min(...known), Math.min(...unknown)];
    }
    expect(ratio(), `${one} ms and ${other} ms`).to.be.below(1.4);
  });

  const malformed: Record<string, [string, string, string]> = {
    'an empty e-mail': ['', password, 'email'],
    'an empty password': ['a@example.org', '', 'password'],
    'an e-mail of 10 KiB': [`${'a'.repeat(10_240)}@example.org`, password, 'email'],
    'an e-mail with control characters': ['a\u0000@example.org', password, 'email'],
    'a password of 1 MiB': ['a@example.org', 'x'.repeat(1_048_576), 'password'],
  };
  for (const [name, [email, given, field]] of Object.entries(malformed)) {
    it(`refuses ${name} and names the field, without hashing anything`, async () => {
      const processorMsOf = async (work: () => Promise<unknown>) => {
        const begin = processorMs();
        await work();
        return processorMs() - begin;
      };
      const refuse = async () => {
        const error = await attempt(email, given).then(
          () => expect.fail('was not refused'),
          (thrown: unknown) => thrown,
        );
        expect(error).to.have.property('reason', 'INVALID_FIELDS');
        expect(error).to.have.nested.property('metadata.fields').that.has.keys(field);
      };
      const hashing = await processorMsOf(async () => refusal(attempt('nobody@example.org', 'wrong password')));
      const spent = [await processorMsOf(refuse), await processorMsOf(refuse), await processorMsOf(refuse)];
      expect(Math.min(...spent), `${spent.join()} ms`).to.be.below(hashing / 2);
    });
  }

  it('treats operators in credentials as text', async () => {
    for (const text of ['{"$gt":""}', '{"$ne":null}', '.*', '$where', "' or 1=1 --"])
      expect(await refusal(attempt(text, text)), text).to.equal('INVALID_CREDENTIALS');
  });

  it('rehashes a password stored with older parameters', async () => {
    const { id, email } = await addUser(harness);
    const users = harness.mongo.collection<Stored<UserRecord>>('users');
    const old = await argon2.hash(password, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    await users.updateOne({ _id: id }, { $set: { passwordHash: old } });
    await signIn(harness, email);
    expect((await users.findOne({ _id: id }))?.passwordHash).to.match(/m=19456/);
    await signIn(harness, email);
  });

  it('records the time of the last sign-in', async () => {
    const { id, email } = await addUser(harness);
    const { user } = await harness.user.getUser({ userId: id });
    expect(user?.lastLoginTime).to.be.undefined;
    await signIn(harness, email);
    expect((await harness.user.getUser({ userId: id })).user?.lastLoginTime).to.be.instanceOf(Date);
  });

  it('refuses a sign-in whose password changes during the check', async () => {
    const { id, email } = await addUser(harness);
    const users = harness.mongo.collection<Stored<UserRecord>>('users');
    const { passwordHash } = (await users.findOne({ _id: id })) ?? {};
    const changing = await startHarness({
      env: harness.env,
      overrides: {
        passwords: {
          hash: async () => expect.fail('nothing to hash'),
          verify: async (stored) => {
            expect(stored).to.equal(passwordHash);
            await users.updateOne({ _id: id }, { $set: { passwordHash: 'another' }, $inc: { sessionEpoch: 1 } });
            return { isValid: true, rehashed: null };
          },
        },
      },
    });
    try {
      const call = changing.auth.login({ email, password, userAgent: '' }, changing.as(visitor));
      expect(await refusal(call)).to.equal('INVALID_CREDENTIALS');
      expect(await harness.mongo.collection('sessions').countDocuments({ userId: id })).to.equal(0);
    } finally {
      await changing.stop();
    }
  });

  it('answers HASHING_BUSY to sign-ins beyond its capacity', async () => {
    const { email } = await addUser(harness);
    await signIn(harness, email);
    const counts = await outcomes(times(200, async () => attempt(email, 'wrong password')));
    // On a busy machine the last waiting calls time out.
    expect(['INVALID_CREDENTIALS', 'HASHING_BUSY', 'DEADLINE_EXCEEDED']).to.include.members(Object.keys(counts));
    expect(counts.INVALID_CREDENTIALS).to.be.above(0);
    expect(counts.HASHING_BUSY).to.be.above(0);
    await signIn(harness, email);
  });
});
