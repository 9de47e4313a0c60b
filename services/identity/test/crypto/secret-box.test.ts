import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { generateRecoveryCodes, plainRecoveryCode } from '../../src/crypto/recovery-codes.js';
import { createSecretBox } from '../../src/crypto/secret-box.js';

describe('secret box', () => {
  const box = createSecretBox('a service secret that is long enough');
  const isUnreadable = (error: unknown) => isAppError(error, 'SECRET_UNREADABLE');

  it('opens sealed text with its own data only and never repeats a ciphertext', () => {
    const sealed = box.seal('JBSWY3DPEHPK3PXP', 'totp anna');
    expect(sealed).to.not.include('JBSWY');
    expect(box.seal('JBSWY3DPEHPK3PXP', 'totp anna')).to.not.equal(sealed);
    expect(box.open(sealed, 'totp anna')).to.equal('JBSWY3DPEHPK3PXP');
    expect(() => box.open(sealed, 'totp ben'))
      .to.throw()
      .that.satisfies(isUnreadable);
  });

  it('refuses text that was altered, truncated or sealed with another secret', () => {
    const sealed = box.seal('secret', 'here');
    const text = sealed.split('.').at(-1) ?? '';
    const flipped = sealed.replace(text, `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`);
    const foreign = createSecretBox('another service secret, also long').seal('secret', 'here');
    for (const bad of ['', 'sealed', 'sealed.v1.', sealed.slice(0, -4), flipped, foreign, sealed.replace('v1', 'v2')])
      expect(() => box.open(bad, 'here'), bad)
        .to.throw()
        .that.satisfies(isUnreadable);
  });

  it('hashes codes by data and secret', () => {
    const other = createSecretBox('another service secret, also long');
    const hashes = [box.hashCode('a', 'x'), box.hashCode('a', 'y'), box.hashCode('b', 'x'), other.hashCode('a', 'x')];
    expect(new Set(hashes).size).to.equal(4);
    expect(box.hashCode('a', 'x')).to.equal(hashes[0]);
  });
});

describe('recovery codes', () => {
  it('generates ten codes of 80 bits and accepts typed variants', () => {
    const codes = generateRecoveryCodes();
    expect(new Set(codes).size).to.equal(10);
    for (const code of codes) {
      expect(code).to.match(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
      expect(plainRecoveryCode(` ${code.toUpperCase().replaceAll('-', ' ')} `)).to.equal(code.replaceAll('-', ''));
    }
  });

  it('refuses text that is not a recovery code', () => {
    for (const text of ['', 'abcd', 'abcd-efgh-ijkm-npq', 'abcd-efgh-ijkm-npq0', '{"$gt":""}', 'a'.repeat(100_000)])
      expect(plainRecoveryCode(text), text.slice(0, 30)).to.be.null;
  });
});
