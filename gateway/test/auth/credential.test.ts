import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { createTokenKey } from '@panel/rpc';
import { expect } from 'chai';
import { CredentialReader } from '../../src/auth/authenticator.js';
import { accessToken, jwtSecret } from '../support/gateway.js';
import jwt from 'jsonwebtoken';

describe('credentials', () => {
  const reader = new CredentialReader(createTokenKey(jwtSecret), 'gsp', () => new Date());
  const [userId, sessionId] = [randomUUID(), randomUUID()];

  it('recognises an access token by its claims', () => {
    const token = accessToken(userId, sessionId);
    for (let i = 0; i < 2; i++) {
      expect(reader.fromHeader(`Bearer ${token}`)).to.include({ kind: 'session', userId, sessionId });
    }
  });

  it('recognises an API key by its format', () => {
    const key = `gsp_${'a1'.repeat(21)}z`;
    expect(reader.fromToken(key)).to.include({ kind: 'api_key', key });
    for (const bad of ['gsp_', 'gsp_short', `gsp_${'a'.repeat(42)}!`, `gsp_${'a'.repeat(100)}`]) {
      expect(reader.fromToken(bad).kind, bad).to.equal('invalid');
    }
  });

  it('marks a credential invalid when its token is forged, modified or of another type', () => {
    const good = accessToken(userId, sessionId);
    const [head = '', payload = '', signature = ''] = good.split('.');
    const unsigned = (alg: string) => {
      const header = Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url');
      return `${header}.${payload}.`;
    };
    const changed = { ...(jwt.decode(good) as object), sub: randomUUID() };
    for (const token of [
      unsigned('none'),
      unsigned('None'),
      unsigned('nOnE'),
      `${head}.${payload}.`,
      `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`,
      accessToken(userId, sessionId, 900, { typ: 'challenge' }),
      accessToken(userId, sessionId, 900, { iss: 'else' }),
      accessToken(userId, sessionId, -10),
      jwt.sign({ sub: userId }, 'another-secret-of-enough-length-0123'),
      'a.b.c',
      '',
    ]) {
      expect(reader.fromToken(token).kind, token.slice(0, 40)).to.equal('invalid');
    }
  });

  it('refuses an expired credential although it is cached', () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    try {
      const token = accessToken(userId, sessionId, 10);
      expect(reader.fromToken(token).kind).to.equal('session');
      mock.timers.tick(8_000);
      expect(reader.fromToken(token).kind).to.equal('session');
      mock.timers.tick(3_000);
      expect(reader.fromToken(token).kind).to.equal('invalid');
    } finally {
      mock.timers.reset();
    }
  });

  it('marks a credential absent without a header and invalid with another scheme', () => {
    expect(reader.fromHeader(undefined).kind).to.equal('none');
    for (const header of ['', 'Bearer', 'Bearer a b', 'Basic abc', `Bearer ${'x'.repeat(9_000)}`, 'Bearer \u00e4']) {
      expect(reader.fromHeader(header).kind, header.slice(0, 20)).to.equal('invalid');
    }
  });
});
