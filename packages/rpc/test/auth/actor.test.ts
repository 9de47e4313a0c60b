import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import {
  actorHas,
  actorTtlSeconds,
  createActorSigner,
  grants,
  requirePermission,
  requireUser,
  serviceActor,
  type UserActor,
} from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import jwt from 'jsonwebtoken';

describe('actors', () => {
  const secret = randomBytes(32).toString('hex');
  const signer = createActorSigner(secret);
  const user: UserActor = {
    kind: 'user',
    userId: 'u',
    permissions: ['servers.view'],
    method: 'api_key',
    credentialId: 'k',
    ip: '::1',
  };

  it('reads an actor back from its token', () => {
    for (const actor of [user, serviceActor('gateway'), { kind: 'anonymous', ip: '192.0.2.1' } as const]) {
      expect(signer.verify(signer.sign(actor))).to.deep.equal(actor);
    }
  });

  it('limits the life of an actor to a minute', () => {
    const claims = jwt.decode(signer.sign(user), { json: true });
    expect((claims?.exp ?? 0) - (claims?.iat ?? 0))
      .to.equal(actorTtlSeconds)
      .and.to.be.at.most(60);
  });

  it('refuses an expired actor although it is cached', async () => {
    const token = jwt.sign({ typ: 'actor', actor: user }, secret, { audience: 'panel-internal', expiresIn: 1 });
    const isRefused = () => {
      try {
        return signer.verify(token).kind !== 'user';
      } catch (error) {
        return isAppError(error, 'ACTOR_INVALID');
      }
    };
    const { exp = 0 } = jwt.decode(token, { json: true }) ?? {};
    expect(isRefused()).to.equal(false);
    await waitUntil('the token to expire', isRefused);
    expect(Date.now()).to.be.within(exp * 1_000, exp * 1_000 + 10_000);
  });

  it('remembers an actor that is read again, of 10,000', () => {
    const many = createActorSigner(secret);
    const tokens = Array.from({ length: 10_001 }, (_, index) => many.sign({ ...user, userId: `u${index}` }));
    const [first = '', ...others] = tokens;
    const actor = many.verify(first);
    for (const token of others.slice(0, -1)) many.verify(token);
    many.verify(first);
    many.verify(others.at(-1) ?? '');
    expect(many.verify(first)).to.equal(actor);
  });

  it('never confuses two actors with one another', () => {
    const others = Array.from({ length: 50 }, (_, index) => ({ ...user, userId: `u${index}` }));
    const tokens = others.map((actor) => signer.sign(actor));
    for (let round = 0; round < 2; round++) {
      expect(tokens.map((token) => signer.verify(token))).to.deep.equal(others);
    }
  });

  const claims = { typ: 'actor', actor: user };
  const signed = (payload: object, options: jwt.SignOptions = {}, key: jwt.Secret = secret) =>
    jwt.sign(payload, key, { audience: 'panel-internal', expiresIn: 60, ...options });
  /** Each differs from a valid token in what its name says. */
  const attacks: Record<string, () => string> = {
    'no algorithm': () => signed(claims, { algorithm: 'none' }, ''),
    'another secret': () => signed(claims, {}, randomBytes(32)),
    'another algorithm': () => signed(claims, { algorithm: 'HS512' }),
    'another audience': () => signed(claims, { audience: 'panel-api' }),
    'another type': () => signed({ ...claims, typ: 'access' }),
    'an expired one': () => signed(claims, { expiresIn: -1 }),
    'a foreign shape': () => signed({ ...claims, actor: { kind: 'root' } }),
    'one without an end': () => jwt.sign(claims, secret, { audience: 'panel-internal' }),
    'one that lives longer than ours': () => signed(claims, { expiresIn: actorTtlSeconds + 1 }),
    'one from the future': () => signed({ ...claims, iat: Math.floor(Date.now() / 1_000) + 90 }),
    'one that is too long': () =>
      signer.sign({ ...user, permissions: Array.from({ length: 5_000 }, () => 'servers.view') }),
    'a header that names a key': () => signed(claims, { keyid: 'k' }),
    nothing: () => '',
  };
  it('reads a valid token of another signer', () => {
    expect(signer.verify(signed(claims))).to.deep.equal(user);
  });
  for (const [name, token] of Object.entries(attacks)) {
    it(`refuses ${name}`, () => {
      expect(() => signer.verify(token()))
        .to.throw()
        .with.property('reason', 'ACTOR_INVALID');
    });
  }

  it('grants a permission by its name, its area or the wildcard only', () => {
    expect(grants(['servers.view'], 'servers.view')).to.equal(true);
    expect(grants(['servers.*'], 'servers.view')).to.equal(true);
    expect(grants(['*'], 'servers.view')).to.equal(true);
    expect(grants(['servers.view', 'users.*', 'servers', '.*', ''], 'servers.update')).to.equal(false);
  });

  it('requires the requested permission', () => {
    expect(actorHas(user, 'servers.view')).to.equal(true);
    expect(() => requirePermission(user, 'servers.delete'))
      .to.throw()
      .with.property('kind', 'permission_denied');
    expect(() => requireUser({ kind: 'anonymous', ip: '' }))
      .to.throw()
      .with.property('kind', 'unauthenticated');
  });
});
