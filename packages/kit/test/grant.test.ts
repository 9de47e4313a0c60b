import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { createActorSigner, createGrantSigner, serviceActor, type FileGrant } from '../src/index.js';

const secret = 'a-secret-of-the-services-that-is-long-enough-0123456789';
const grant: FileGrant = {
  serverId: '0b0f5a3e-52a4-4a3b-9f0c-6f2f1d1f5a11',
  permission: 'file.read',
  volume: 'servers/0b0f5a3e-52a4-4a3b-9f0c-6f2f1d1f5a11',
  diskLimitBytes: 1024,
  denylist: ['*.jar'],
};

describe('file grants', () => {
  const signer = createGrantSigner(secret);

  it('come back as they were signed', () => {
    expect(signer.verify(signer.sign(grant))).to.deep.equal(grant);
  });

  it('live for 60 seconds', () => {
    const claims = jwt.decode(signer.sign(grant)) as { iat: number; exp: number };
    expect(claims.exp - claims.iat).to.equal(60);
  });

  const key = createSecretKey(Buffer.from(secret));
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    typ: 'grant',
    server_id: grant.serverId,
    permission: 'file.read',
    volume: grant.volume,
    disk_limit_bytes: 0,
    denylist: [],
  };
  const forgeries: Record<string, () => string> = {
    'signed with another secret': () => createGrantSigner(`${secret}!`).sign(grant),
    'that are actor tokens': () => createActorSigner(secret).sign(serviceActor('gateway')),
    'of another type': () => jwt.sign({ ...claims, typ: 'actor' }, key, { audience: 'panel-files', expiresIn: 60 }),
    'for another audience': () => jwt.sign(claims, key, { audience: 'panel-internal', expiresIn: 60 }),
    'that have expired': () => jwt.sign({ ...claims, exp: now - 1 }, key, { audience: 'panel-files' }),
    'without a signature': () => jwt.sign(claims, '', { algorithm: 'none', audience: 'panel-files', expiresIn: 60 }),
    'with a broken server id': () =>
      jwt.sign({ ...claims, server_id: '../x' }, key, { audience: 'panel-files', expiresIn: 60 }),
    'that are empty': () => '',
  };
  for (const [name, forge] of Object.entries(forgeries)) {
    it(`are refused when they are tokens ${name}`, () => {
      expect(() => signer.verify(forge()))
        .to.throw()
        .with.property('reason', 'GRANT_INVALID');
    });
  }
});
