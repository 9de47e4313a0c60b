import argon2 from 'argon2';
import { expect } from 'chai';
import { createPasswordHasher } from '../../src/crypto/passwords.js';

describe('password hashing', () => {
  it('uses salted argon2id with at least 19 MiB and two passes', async () => {
    const hasher = await createPasswordHasher();
    const [one, other] = [await hasher.hash('secret secret'), await hasher.hash('secret secret')];
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,(?:t=2,p=1|p=1,t=2)\$/);
    expect(one).to.not.equal(other);
  });

  it('distinguishes passwords that differ after byte 72', async () => {
    const hasher = await createPasswordHasher();
    const long = 'x'.repeat(80);
    const hash = await hasher.hash(`${long}a`);
    expect(await hasher.verify(hash, `${long}a`)).to.deep.equal({ isValid: true, rehashed: null });
    expect((await hasher.verify(hash, `${long}b`)).isValid).to.be.false;
  });

  it('accepts no password without a stored hash', async () => {
    const hasher = await createPasswordHasher();
    expect((await hasher.verify(null, '')).isValid).to.be.false;
  });

  it('returns a new hash for a valid password when the parameters have changed', async () => {
    const hasher = await createPasswordHasher();
    const old = await argon2.hash('secret secret', { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    expect((await hasher.verify(old, 'wrong')).rehashed).to.be.null;
    const { rehashed } = await hasher.verify(old, 'secret secret');
    expect(rehashed).to.match(/m=19456,(?:t=2,p=1|p=1,t=2)/);
  });

  it('verifies a hash that argon2 0.44 made', async () => {
    const hasher = await createPasswordHasher();
    const old = '$argon2id$v=19$m=19456,t=2,p=1$jtN2xxA7xEIxMxo8XTGOfA$gQu/6g9JCM9ikZytb4MVjx4F6p4K9yOsUJnjBFplPGI';
    expect(await hasher.verify(old, 'correct horse battery staple')).to.deep.equal({ isValid: true, rehashed: null });
    expect((await hasher.verify(old, 'correct horse battery stapler')).isValid).to.be.false;
  });
});
