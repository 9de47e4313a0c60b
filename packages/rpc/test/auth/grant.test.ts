import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import {
  createActorSigner,
  createExportGrantSigner,
  createGrantSigner,
  type ExportGrant,
  type FileGrant,
  serviceActor,
} from '@panel/rpc';
import jwt from 'jsonwebtoken';

const secret = 'a-secret-of-the-services-that-is-long-enough-0123456789';
const grant: FileGrant = {
  serverId: '0b0f5a3e-52a4-4a3b-9f0c-6f2f1d1f5a11',
  ownerId: '5f0f5a3e-52a4-4a3b-9f0c-6f2f1d1f5a11',
  permission: 'file.read',
  volume: 'servers/0b0f5a3e-52a4-4a3b-9f0c-6f2f1d1f5a11',
  diskLimitBytes: 1024,
  uploadLimitBytes: 2048,
  denylist: ['*.jar'],
  pathRules: [[{ path: '/plugins', access: 'allow' }], [{ path: '/', access: 'read_only' }]],
};

describe('file grants', () => {
  const signer = createGrantSigner(secret);

  it('reads a file grant back from its token', () => {
    expect(signer.verify(signer.sign(grant))).to.deep.equal(grant);
  });

  it('reads no file limit from a grant that contains none', () => {
    const { uploadLimitBytes: _limit, ...without } = grant;
    expect(signer.verify(signer.sign(without)).uploadLimitBytes).to.equal(0);
  });

  it('reads no path rules from a grant that contains none', () => {
    const { pathRules: _rules, ...without } = grant;
    expect(signer.verify(signer.sign(without)).pathRules).to.deep.equal([]);
  });

  it('limits the life of a file grant to 60 seconds', () => {
    const claims = jwt.decode(signer.sign(grant)) as { iat: number; exp: number };
    expect(claims.exp - claims.iat).to.equal(60);
  });

  const key = createSecretKey(Buffer.from(secret));
  const now = () => Math.floor(Date.now() / 1000);
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
    'that have expired': () => jwt.sign({ ...claims, exp: now() - 1 }, key, { audience: 'panel-files' }),
    'without a signature': () => jwt.sign(claims, '', { algorithm: 'none', audience: 'panel-files', expiresIn: 60 }),
    'with a broken server id': () =>
      jwt.sign({ ...claims, server_id: '../x' }, key, { audience: 'panel-files', expiresIn: 60 }),
    'that live longer than ours': () => jwt.sign(claims, key, { audience: 'panel-files', expiresIn: 61 }),
    'from the future': () => jwt.sign({ ...claims, iat: now() + 90 }, key, { audience: 'panel-files', expiresIn: 60 }),
    'that are too long': () => signer.sign({ ...grant, denylist: ['a'.repeat(1_048_576)] }),
    'that are empty': () => '',
  };
  for (const [name, forge] of Object.entries(forgeries)) {
    it(`refuses file grants from tokens ${name}`, () => {
      expect(() => signer.verify(forge()))
        .to.throw()
        .with.property('reason', 'GRANT_INVALID');
    });
  }
});

describe('export grants', () => {
  const signer = createExportGrantSigner(secret);
  const wanted: ExportGrant = {
    serverId: grant.serverId,
    operationId: '5a8f4a52-7f0c-4a55-8c5e-0c7a2f0d9b42',
    volume: grant.volume,
  };
  const key = createSecretKey(Buffer.from(secret));
  const claims = {
    typ: 'export',
    server_id: wanted.serverId,
    operation_id: wanted.operationId,
    volume: wanted.volume,
  };
  const signed = (payload: object, audience = 'panel-export', expiresIn = 60) =>
    jwt.sign(payload, key, { audience, expiresIn });

  it('reads an export grant back from its token', () => {
    expect(signer.verify(signer.sign(wanted))).to.deep.equal(wanted);
    expect(signer.verify(signed(claims))).to.deep.equal(wanted);
  });

  it('limits the life of an export grant to ten minutes', () => {
    const { iat, exp } = jwt.decode(signer.sign(wanted)) as { iat: number; exp: number };
    expect(exp - iat).to.equal(600);
  });

  it('refuses an export grant as file grant', () => {
    expect(() => createGrantSigner(secret).verify(signer.sign(wanted)))
      .to.throw()
      .with.property('reason', 'GRANT_INVALID');
  });

  const forgeries: Record<string, () => string> = {
    'signed with another secret': () => createExportGrantSigner(`${secret}!`).sign(wanted),
    'that are file grants': () => createGrantSigner(secret).sign(grant),
    'that are actor tokens': () => createActorSigner(secret).sign(serviceActor('servers')),
    'of another type': () => signed({ ...claims, typ: 'grant' }),
    'for another audience': () => signed(claims, 'panel-files'),
    'that have expired': () => signed(claims, 'panel-export', -1),
    'that live longer than ours': () => signed(claims, 'panel-export', 601),
    'from the future': () => signed({ ...claims, iat: Math.floor(Date.now() / 1_000) + 90 }),
    'without an operation': () => signed({ ...claims, operation_id: undefined }),
    'with a broken operation id': () => signed({ ...claims, operation_id: '../x' }),
    'that are empty': () => '',
  };
  for (const [name, forge] of Object.entries(forgeries)) {
    it(`refuses export grants from tokens ${name}`, () => {
      expect(() => signer.verify(forge()))
        .to.throw()
        .with.property('reason', 'GRANT_INVALID');
    });
  }
});
