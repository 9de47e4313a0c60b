import { expect } from 'chai';
import { email, singleLine, newPassword, username } from '../../src/domain/fields.js';
import { readFields } from '../../src/handlers/read-fields.js';
import { displayableUserAgent, normaliseEmail, usernameKey } from '../../src/domain/normalise.js';

describe('normalisation', () => {
  it('normalises every spelling of an address', () => {
    const spellings = ['Anna@Example.org', '  anna@example.org\t', 'ANNA@EXAMPLE.ORG'];
    expect(new Set(spellings.map(normaliseEmail))).to.deep.equal(new Set(['anna@example.org']));
    expect(normaliseEmail('jose\u0301@example.org')).to.equal(normaliseEmail('jos\u00e9@example.org'));
    expect(usernameKey('Anna')).to.equal('anna');
  });

  it('removes undisplayable characters from user agents', () => {
    expect(displayableUserAgent('Mozilla\r\nSet-Cookie: a\u001b[31m\u202eb')).to.equal('MozillaSet-Cookie: a[31mb');
    expect(displayableUserAgent('x'.repeat(10_000))).to.have.lengthOf(256);
    expect(displayableUserAgent('\ud83d\ude00'.repeat(300))).to.have.lengthOf(512);
  });
});

describe('fields', () => {
  const isGood = (shape: { safeParse(text: string): { success: boolean } }, text: string) =>
    shape.safeParse(text).success;

  it('accepts common addresses', () => {
    for (const text of [
      'a@b',
      'admin@localhost.localdomain',
      "o'neil+x@sub.example.co.uk",
      'j\u00fcrgen@m\u00fcller.de',
    ])
      expect(isGood(email, text), text).to.be.true;
  });

  it('refuses malformed addresses and header injection', () => {
    const bad = [
      '',
      '@',
      'a',
      'a@',
      '@b',
      'a b@c',
      'a@b@c',
      'a@b\nBcc: x@y',
      'a@-b',
      'a@b-',
      'a@b..c',
      'a,b@c',
      '<a@b>',
    ];
    for (const text of [...bad, `${'a'.repeat(65)}@b`, `a@${'b'.repeat(300)}`])
      expect(isGood(email, text), text).to.be.false;
  });

  it('accepts passwords of 10 characters to 1 KiB', () => {
    expect(isGood(newPassword, '123456789')).to.be.false;
    expect(isGood(newPassword, '\u00e9'.repeat(10))).to.be.true;
    expect(isGood(newPassword, '\ud83d\ude00'.repeat(9))).to.be.false;
    expect(isGood(newPassword, 'x'.repeat(1024))).to.be.true;
    expect(isGood(newPassword, '\u00e9'.repeat(513))).to.be.false;
  });

  it('refuses confusable usernames', () => {
    for (const text of ['anna', 'A', 'a.b-c_d', '9lives']) expect(isGood(username, text), text).to.be.true;
    for (const text of ['', '.a', 'a.', 'a b', 'a/b', '\u0430nna', 'a\n', 'x'.repeat(65)])
      expect(isGood(username, text), text).to.be.false;
  });

  it('reports every invalid field at once, each message once', () => {
    const shape = { one: singleLine(1, 3), two: singleLine(1, 3) };
    try {
      readFields(shape, { one: '', two: 'a\nb' });
      expect.fail('was not refused');
    } catch (error) {
      expect(error).to.have.nested.property('metadata.fields').that.has.keys('one', 'two');
    }
  });
});
