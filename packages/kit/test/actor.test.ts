import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import {
  actorHas,
  actorTtlSeconds,
  createActorSigner,
  grants,
  requirePermission,
  requireUser,
  serviceActor,
  type UserActor,
} from '../src/index.js';

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

  it('come back from a token as they went in', () => {
    for (const actor of [user, serviceActor('gateway'), { kind: 'anonymous', ip: '192.0.2.1' } as const]) {
      expect(signer.verify(signer.sign(actor))).to.deep.equal(actor);
    }
  });

  it('live for at most a minute', () => {
    const claims = jwt.decode(signer.sign(user), { json: true });
    expect((claims?.exp ?? 0) - (claims?.iat ?? 0))
      .to.equal(actorTtlSeconds)
      .and.to.be.at.most(60);
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
    nothing: '',
  };
  for (const [name, token] of Object.entries(attacks)) {
    it(`refuses ${name}`, () => {
      expect(() => signer.verify(token))
        .to.throw()
        .with.property('reason', 'ACTOR_INVALID');
    });
  }

  it('are granted a permission by its name, its area or the star, and by nothing else', () => {
    expect(grants(['servers.view'], 'servers.view')).to.equal(true);
    expect(grants(['servers.*'], 'servers.view')).to.equal(true);
    expect(grants(['*'], 'servers.view')).to.equal(true);
    expect(grants(['servers.view', 'users.*', 'servers', '.*', ''], 'servers.update')).to.equal(false);
  });

  it('need the permission that is asked for', () => {
    expect(actorHas(user, 'servers.view')).to.equal(true);
    expect(() => requirePermission(user, 'servers.delete'))
      .to.throw()
      .with.property('kind', 'permission_denied');
    expect(() => requireUser({ kind: 'anonymous', ip: '' }))
      .to.throw()
      .with.property('kind', 'unauthenticated');
  });
});
