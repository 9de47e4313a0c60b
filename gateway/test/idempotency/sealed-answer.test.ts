import { expect } from 'chai';
import { createSeals } from '../../src/idempotency/sealed-answer.js';

describe('seals of kept answers', () => {
  const seals = createSeals('a-service-secret-of-enough-length-012');
  const answer = { status: 201, body: { data: { key: 'gsp_secret' } } };

  it('open under their own name and secret only', () => {
    const sealed = seals.seal('name', answer);
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.to.contain('gsp_secret');
    expect(seals.open('name', sealed)).to.deep.equal(answer);
    expect(seals.open('other', sealed)).to.equal(null);
    expect(createSeals('another-service-secret-of-enough-len').open('name', sealed)).to.equal(null);
    expect(seals.open('name', sealed.slice(0, -4))).to.equal(null);
    expect(seals.open('name', '')).to.equal(null);
  });

  it('tell apart everything that is another request', () => {
    const prints = [
      seals.fingerprintOf('POST', '/a', '{}'),
      seals.fingerprintOf('POST', '/a', '{} '),
      seals.fingerprintOf('POST', '/a{', '}'),
      seals.fingerprintOf('PUT', '/a', '{}'),
    ];
    expect(new Set(prints).size).to.equal(4);
    const session = { userId: 'ab', method: 'session', credentialId: 's1' } as const;
    const name = seals.nameOf(session, 'c');
    expect(name).not.to.equal(seals.nameOf({ ...session, userId: 'a' }, 'bc'));
  });

  it('are the same for all sessions of a user, and apart for each API key', () => {
    const session = { userId: 'u', method: 'session', credentialId: 's1' } as const;
    const apiKey = { userId: 'u', method: 'api_key', credentialId: 'k1' } as const;
    const name = seals.nameOf(session, 'c');
    expect(seals.nameOf({ ...session, credentialId: 's2' }, 'c')).to.equal(name);
    const others = [seals.nameOf(apiKey, 'c'), seals.nameOf({ ...apiKey, credentialId: 'k2' }, 'c')];
    expect(new Set([name, ...others]).size).to.equal(3);
  });

  it('give one id to one request, in the form of a UUID', () => {
    const id = seals.creationIdOf('n', 'f');
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(seals.creationIdOf('n', 'f')).to.equal(id);
    expect(seals.creationIdOf('n', 'g')).not.to.equal(id);
  });
});
