import { createHash } from 'node:crypto';
import { pause } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import type { Stored } from '@panel/kit/mongo';
import type { TokenSet } from '@panel/protos/identity';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { readConfig } from '../../src/config.js';
import type { SessionRecord } from '../../src/domain/session.js';
import { runToEnd, startServiceProcess } from './child-process.js';
import { addUser, attach, password, session, signIn, testEnvironment, visitor } from './harness.js';

describe('the identity process', () => {
  it('loses no session when it is killed while refreshing', async function () {
    this.timeout(180_000);
    const env = testEnvironment(testMongoUrl('identity'));
    let service = await startServiceProcess(env);
    let harness = await attach(env, readConfig(env), service.address);
    try {
      const { email } = await addUser(harness);
      let tokens = await signIn(harness, email);
      const seen = { answered: 0, lostBefore: 0, lostAfter: 0 };
      for (let round = 0; round < 12; round += 1) {
        const answer = ask(harness, tokens.refreshToken);
        // The first kill precedes the request.
        if (round > 0) await pause(round * 0.7);
        await service.kill();
        const answered = await answer;
        await harness.stop();
        service = await startServiceProcess(env);
        harness = await attach(env, readConfig(env), service.address);
        // A received response holds; without one, the old token is valid or fully rotated.
        const next = await ask(harness, (answered ?? tokens).refreshToken);
        const stored = await harness.mongo
          .collection<Stored<SessionRecord>>('sessions')
          .findOne({ _id: sessionOf(tokens.refreshToken) });
        if (answered) expect(next, 'an answered pair does not work after the kill').to.not.be.null;
        else if (!next) expect(stored?.rotated.map(({ hash }) => hash)).to.include(hashOf(tokens.refreshToken));
        expect(stored, 'the session is gone').to.not.be.null;
        if (answered) seen.answered += 1;
        else if (next) seen.lostBefore += 1;
        else seen.lostAfter += 1;
        tokens = next ?? (await signIn(harness, email));
      }
      expect(seen.answered + seen.lostBefore + seen.lostAfter).to.equal(12);
      expect(seen.lostBefore, JSON.stringify(seen)).to.be.above(0);
    } finally {
      await harness.stop();
      await service.kill();
    }
  });

  it('leaves exactly one working password when it is killed while changing it', async function () {
    this.timeout(180_000);
    const env = testEnvironment(testMongoUrl('identity'));
    let service = await startServiceProcess(env);
    let harness = await attach(env, readConfig(env), service.address);
    try {
      const { email } = await addUser(harness);
      let current = password;
      for (let round = 0; round < 6; round += 1) {
        const next = `the password of round ${round}`;
        const { actor } = await session(harness, email, current);
        const change = { currentPassword: current, password: next };
        const answer = harness.account.changePassword(change, harness.as(actor)).then(
          () => true,
          () => false,
        );
        // Two hashes of about 40 ms precede the write.
        await pause(60 + round * 10);
        await service.kill();
        const answered = await answer;
        await harness.stop();
        service = await startServiceProcess(env);
        harness = await attach(env, readConfig(env), service.address);
        const works = async (given: string) => {
          const call = harness.auth.login({ email, password: given, userAgent: '' }, harness.as(visitor));
          return call.then(
            () => true,
            () => false,
          );
        };
        const [old, fresh] = [await works(current), await works(next)];
        expect([old, fresh]).to.satisfy((pair: boolean[]) => pair.filter(Boolean).length === 1);
        if (answered) expect(fresh, 'an answered change is lost').to.be.true;
        if (fresh) current = next;
      }
    } finally {
      await harness.stop();
      await service.kill();
    }
  });

  const refused: Record<string, [Record<string, string>, string]> = {
    'without JWT_SECRET': [{ JWT_SECRET: '' }, 'JWT_SECRET'],
    'with a JWT_SECRET of 31 characters': [{ JWT_SECRET: 'abcdefghijklmnopqrstuvwxyz01234' }, 'JWT_SECRET'],
    'with a key prefix nobody can type': [{ KEY_PREFIX: 'no spaces' }, 'KEY_PREFIX'],
  };
  for (const [name, [changes, word]] of Object.entries(refused)) {
    it(`does not start ${name}, and says why in one line`, async () => {
      const { code, stderr } = await runToEnd({ ...testEnvironment('mongodb://127.0.0.1:1/identity'), ...changes });
      expect(code).to.equal(1);
      expect(stderr.trim().split('\n')).to.have.lengthOf(1);
      expect(stderr)
        .to.match(/^identity: /)
        .and.include(word);
    });
  }
});

/** Null: refused, or the service died before its response. */
async function ask(harness: Awaited<ReturnType<typeof attach>>, refreshToken: string): Promise<TokenSet | null> {
  try {
    const { tokens } = await harness.auth.refreshSession({ refreshToken, userAgent: '' }, harness.as(visitor));
    return tokens ?? null;
  } catch (error) {
    if (isAppError(error) && ['unauthenticated', 'unavailable'].includes(error.kind)) return null;
    throw error;
  }
}

function claimsOf(token: string): jwt.JwtPayload {
  return jwt.decode(token) as jwt.JwtPayload;
}

function sessionOf(token: string): string {
  return String(claimsOf(token).sid);
}

function hashOf(token: string): string {
  return createHash('sha256')
    .update(String(claimsOf(token).jti))
    .digest('hex');
}
