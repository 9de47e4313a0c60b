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
    await waitUntil('the token to expire', isRefused, 3_000);
    expect(Date.now()).to.be.within(exp * 1_000, exp * 1_000 + 500);
  });

  it('never confuses two actors with one another', () => {
    const others = Array.from({ length: 50 }, (_, index) => ({ ...user, userId: `u${index}` }));
    const tokens = others.map((actor) => signer.sign(actor));
    for (let round = 0; round < 2; round++) {
      expect(tokens.map((token) => signer.verify(token))).to.deep.equal(others);
    }
  });

  const attacks: Record<string, string> = {
    'no algorithm': jwt.sign({ typ: 'actor', actor: user }, '', { algorithm: 'none', audience: 'panel-internal' }),
    'another secret': jwt.sign({ typ: 'actor', actor: user }, randomBytes(32), { audience: 'panel-internal' }),
    'another algorithm': jwt.sign({ typ: 'actor', actor: user }, secret, {
      algorithm: 'HS512',
      audience: 'panel-internal',
    }),
    'another audience': jwt.sign({ typ: 'actor', actor: user }, secret, { audience: 'panel-api' }),
    'another type': jwt.sign({ typ: 'access', actor: user }, secret, { audience: 'panel-internal' }),
    'an expired one': jwt.sign({ typ: 'actor', actor: user }, secret, { audience: 'panel-internal', expiresIn: -1 }),
    'a foreign shape': jwt.sign({ typ: 'actor', actor: { kind: 'root' } }, secret, { audience: 'panel-internal' }),
    'one without an end': jwt.sign({ typ: 'actor', actor: user }, secret, { audience: 'panel-internal' }),
    'one that lives longer than ours': jwt.sign({ typ: 'actor', actor: user }, secret, {
      audience: 'panel-internal',
      expiresIn: actorTtlSeconds + 1,
    }),
    'one from the future': jwt.sign({ typ: 'actor', actor: user, iat: Math.floor(Date.now() / 1_000) + 90 }, secret, {
      audience: 'panel-internal',
      expiresIn: 60,
    }),
    'one that is too long': signer.sign({ ...user, permissions: Array.from({ length: 5_000 }, () => 'servers.view') }),
    'a header that names a key': jwt.sign({ typ: 'actor', actor: user }, secret, {
      audience: 'panel-internal',
      expiresIn: 60,
      keyid: 'k',
    }),
    nothing: '',
  };
  for (const [name, token] of Object.entries(attacks)) {
    it(`refuses ${name}`, () => {
      expect(() => signer.verify(token))
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
