import { expect } from 'chai';
import { createResponseEncryption } from '../../src/idempotency/response-encryption.js';

describe('response encryption', () => {
  const encryption = createResponseEncryption('a-service-secret-of-enough-length-012');
  const response = { status: 201, body: { data: { key: 'gsp_secret' } } };

  it('decrypts under the same storage key and secret only', () => {
    const encrypted = encryption.encrypt('name', response);
    expect(Buffer.from(encrypted, 'base64').toString('latin1')).not.to.contain('gsp_secret');
    expect(encryption.decrypt('name', encrypted)).to.deep.equal(response);
    expect(encryption.decrypt('other', encrypted)).to.equal(null);
    expect(createResponseEncryption('another-service-secret-of-enough-len').decrypt('name', encrypted)).to.equal(null);
    expect(encryption.decrypt('name', encrypted.slice(0, -4))).to.equal(null);
    expect(encryption.decrypt('name', '')).to.equal(null);
  });

  it('gives different requests different fingerprints', () => {
    const prints = [
      encryption.fingerprintOf('POST', '/a', '{}'),
      encryption.fingerprintOf('POST', '/a', '{} '),
      encryption.fingerprintOf('POST', '/a{', '}'),
      encryption.fingerprintOf('PUT', '/a', '{}'),
    ];
    expect(new Set(prints).size).to.equal(4);
    const session = { userId: 'ab', method: 'session', credentialId: 's1' } as const;
    const name = encryption.storageKeyOf(session, 'c');
    expect(name).not.to.equal(encryption.storageKeyOf({ ...session, userId: 'a' }, 'bc'));
  });

  it('shares storage keys between the sessions of a user and separates API keys', () => {
    const session = { userId: 'u', method: 'session', credentialId: 's1' } as const;
    const apiKey = { userId: 'u', method: 'api_key', credentialId: 'k1' } as const;
    const name = encryption.storageKeyOf(session, 'c');
    expect(encryption.storageKeyOf({ ...session, credentialId: 's2' }, 'c')).to.equal(name);
    const others = [
      encryption.storageKeyOf(apiKey, 'c'),
      encryption.storageKeyOf({ ...apiKey, credentialId: 'k2' }, 'c'),
    ];
    expect(new Set([name, ...others]).size).to.equal(3);
  });

  it('derives one UUID per request', () => {
    const id = encryption.idempotencyIdOf('n', 'f');
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(encryption.idempotencyIdOf('n', 'f')).to.equal(id);
    expect(encryption.idempotencyIdOf('n', 'g')).not.to.equal(id);
  });
});
