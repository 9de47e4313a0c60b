import { randomUUID } from 'node:crypto';
import { AppError } from '@panel/kit/errors';
import { createActorSigner } from '@panel/rpc';
import { AuthenticateResponse } from '@panel/protos/identity';
import { reasonOf } from '@panel/kit/testing';
import { expect } from 'chai';
import { Authenticator, type Credential } from '../../src/auth/authenticator.js';
import { serviceSecret } from '../support/fake-service.js';

const epochs = { instance: 'i', all: 'a', user: 'u' };
const userId = randomUUID();

describe('authenticator', () => {
  let nowMs: number;
  let calls: number;
  let random: () => number;
  let respond: () => Promise<AuthenticateResponse>;
  let authenticator: Authenticator;
  const session: Credential = { kind: 'session', userId, sessionId: randomUUID(), expiresAt: Infinity };

  beforeEach(() => {
    nowMs = 1_000_000;
    calls = 0;
    random = () => 0.999;
    respond = async () => AuthenticateResponse.create({ userId, permissions: ['a'], rateLimitMultiplier: 2 });
    authenticator = new Authenticator({
      auth: {
        authenticate: async () => {
          calls += 1;
          return respond();
        },
      },
      signer: createActorSigner(serviceSecret),
      clock: () => new Date(nowMs),
      random: () => random(),
    });
  });

  it('asks identity once while the epochs stay the same', async () => {
    for (let i = 0; i < 3; i++) await authenticator.authenticate(session, '192.0.2.1', epochs);
    expect(calls).to.equal(1);
  });

  it('asks identity again when an epoch has changed', async () => {
    await authenticator.authenticate(session, '192.0.2.1', epochs);
    for (const [index, change] of [{ instance: 'x' }, { all: 'x' }, { user: 'x' }].entries()) {
      await authenticator.authenticate(session, '192.0.2.1', { ...epochs, ...change });
      expect(calls).to.equal(index + 2);
    }
  });

  it('asks identity for every request without epochs', async () => {
    for (let i = 0; i < 3; i++) await authenticator.authenticate(session, '192.0.2.1', null);
    expect(calls).to.equal(3);
  });

  it('asks identity again for another address, because a key may be bound to one', async () => {
    await authenticator.authenticate(session, '192.0.2.1', epochs);
    await authenticator.authenticate(session, '192.0.2.2', epochs);
    expect(calls).to.equal(2);
  });

  it('asks identity again after five seconds', async () => {
    await authenticator.authenticate(session, '192.0.2.1', epochs);
    nowMs += 5_001;
    await authenticator.authenticate(session, '192.0.2.1', epochs);
    expect(calls).to.equal(2);
  });

  it('spreads expiry of callers who came together between three and five seconds', async () => {
    const ips = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`);
    const authenticateAll = async () => {
      calls = 0;
      await Promise.all(ips.map(async (ip) => authenticator.authenticate(session, ip, epochs)));
      return calls;
    };
    let drawn = 0;
    random = () => drawn++ / ips.length;
    await authenticateAll();
    const expired: number[] = [];
    for (const stepMs of [2_999, 1, 500, 500, 500, 500]) {
      nowMs += stepMs;
      random = () => 0.999;
      expired.push(await authenticateAll());
    }
    expect(expired).to.deep.equal([0, 1, 25, 25, 25, 24]);
  });

  it('combines concurrent requests into one call', async () => {
    await Promise.all(Array.from({ length: 50 }, async () => authenticator.authenticate(session, '192.0.2.1', epochs)));
    expect(calls).to.equal(1);
  });

  it('stores nothing about a key until the epoch of its owner is known', async () => {
    const key: Credential = { kind: 'api_key', key: 'gsp_x', hash: 'h' };
    expect(authenticator.claimedUserId(key, '192.0.2.1')).to.equal(null);
    await authenticator.authenticate(key, '192.0.2.1', { ...epochs, user: '' });
    expect(authenticator.claimedUserId(key, '192.0.2.1')).to.equal(userId);
    await authenticator.authenticate(key, '192.0.2.1', epochs);
    await authenticator.authenticate(key, '192.0.2.1', epochs);
    expect(calls).to.equal(2);
  });

  it('counts a key for its owner only when it is valid and used from an allowed address', async () => {
    const key: Credential = { kind: 'api_key', key: 'gsp_x', hash: 'h' };
    await authenticator.authenticate(key, '192.0.2.1', epochs);
    respond = async () => Promise.reject(new AppError('permission_denied', 'IP_NOT_ALLOWED', 'not from here'));
    expect(authenticator.claimedUserId(key, '192.0.2.2')).to.equal(null);
    expect(await reasonOf(authenticator.authenticate(key, '192.0.2.2', epochs))).to.equal('IP_NOT_ALLOWED');
    expect(authenticator.claimedUserId(key, '192.0.2.2')).to.equal(null);
    respond = async () => Promise.reject(new AppError('unauthenticated', 'INVALID_TOKEN', 'gone'));
    const changed = { ...epochs, user: 'x' };
    expect(await reasonOf(authenticator.authenticate(key, '192.0.2.1', changed))).to.equal('UNAUTHENTICATED');
    expect(authenticator.claimedUserId(key, '192.0.2.1')).to.equal(null);
  });

  it('rejects a session or key that was revoked meanwhile', async () => {
    respond = async () => AuthenticateResponse.create({ userId, expireTime: new Date(nowMs + 1_000) });
    await authenticator.authenticate(session, '192.0.2.1', epochs);
    nowMs += 2_000;
    expect(await reasonOf(authenticator.authenticate(session, '192.0.2.1', epochs))).to.equal('UNAUTHENTICATED');
  });

  it('does not cache failures', async () => {
    respond = async () => Promise.reject(new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'away'));
    expect(await reasonOf(authenticator.authenticate(session, '192.0.2.1', epochs))).to.equal('SERVICE_UNAVAILABLE');
    respond = async () => AuthenticateResponse.create({ userId });
    expect(await reasonOf(authenticator.authenticate(session, '192.0.2.1', epochs))).to.equal('none');
  });

  it('caches an ended session briefly and no longer counts it for its user', async () => {
    respond = async () => Promise.reject(new AppError('unauthenticated', 'SESSION_GONE', 'gone'));
    expect(authenticator.claimedUserId(session, '192.0.2.1')).to.equal(userId);
    expect(await reasonOf(authenticator.authenticate(session, '192.0.2.1', null))).to.equal('UNAUTHENTICATED');
    expect(authenticator.claimedUserId(session, '192.0.2.1')).to.equal(null);
    expect(await reasonOf(authenticator.authenticate(session, '192.0.2.1', null))).to.equal('UNAUTHENTICATED');
    expect(calls).to.equal(1);
  });

  it('refuses a session that belongs to another user according to identity', async () => {
    respond = async () => AuthenticateResponse.create({ userId: randomUUID() });
    expect(await reasonOf(authenticator.authenticate(session, '192.0.2.1', null))).to.equal('UNAUTHENTICATED');
  });

  it('returns no result of a session to a token that only names it, and keeps the session', async () => {
    await authenticator.authenticate(session, '192.0.2.1', epochs);
    const other: Credential = { ...session, userId: randomUUID() };
    expect(await reasonOf(authenticator.authenticate(other, '192.0.2.1', epochs))).to.equal('UNAUTHENTICATED');
    expect(await reasonOf(authenticator.authenticate(session, '192.0.2.1', epochs))).to.equal('none');
  });

  it("does not cache a rejection of the gateway's own credentials", async () => {
    respond = async () => Promise.reject(new AppError('unauthenticated', 'ACTOR_INVALID', 'wrong SERVICE_SECRET'));
    expect(await reasonOf(authenticator.authenticate(session, '192.0.2.1', null))).to.equal('ACTOR_INVALID');
  });

  it('signs an actor from the response of identity', async () => {
    const { identity, actorToken } = await authenticator.authenticate(session, '192.0.2.1', null);
    expect(identity).to.include({ userId, rateLimitMultiplier: 2, method: 'session' });
    expect(createActorSigner(serviceSecret).verify(actorToken)).to.deep.include({
      kind: 'user',
      userId,
      permissions: ['a'],
      ip: '192.0.2.1',
    });
  });
});
