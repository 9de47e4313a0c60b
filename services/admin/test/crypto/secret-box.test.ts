import { expect } from 'chai';
import { createSecretBox } from '../../src/crypto/secret-box.js';

describe('a secret box', () => {
  const box = createSecretBox('test-only-secret-of-at-least-32-characters');

  it('opens what it sealed', () => {
    for (const text of ['x', 'pässwörd 🦔', 'x'.repeat(10_000)]) {
      expect(box.open(box.seal(text, 'mail.password'), 'mail.password')).to.equal(text);
    }
  });

  it('hides the text and whether two texts are equal', () => {
    const sealed = box.seal('correct horse', 'mail.password');
    expect(sealed).not.to.include('correct');
    expect(Buffer.from(bodyOf(sealed), 'base64url').toString('latin1')).not.to.include('correct');
    expect(box.seal('correct horse', 'mail.password')).not.to.equal(sealed);
  });

  it('keeps empty text empty', () => {
    expect(box.seal('', 'a')).to.equal('');
    expect(box.open('', 'a')).to.equal('');
  });

  it('opens no box with another secret, other data or after a change', () => {
    const sealed = box.seal('correct horse', 'mail.password');
    expect(createSecretBox('another-secret-of-at-least-32-characters').open(sealed, 'mail.password')).to.equal(null);
    expect(box.open(sealed, 'mail.username')).to.equal(null);
    const body = bodyOf(sealed);
    const bytes = Buffer.from(body, 'base64url');
    for (const at of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(box.open(sealed.replace(body, changed.toString('base64url')), 'mail.password')).to.equal(null);
    }
    for (const other of ['plain text', 'sealed.v1.', sealed.replace(body, 'AAAA'), sealed.replace('v1', 'v2')])
      expect(box.open(other, 'a')).to.equal(null);
  });
});

/** Ciphertext, after format and key names. */
function bodyOf(sealed: string): string {
  return sealed.split('.').at(-1) ?? '';
}
