import { expect } from 'chai';
import { normaliseEmail } from '../../src/domain/normalise.js';
import { email, roleName } from '../../src/domain/fields.js';
import { readFields } from '../../src/handlers/read-fields.js';
import { roleNameKey } from '../../src/domain/role.js';
import { isMixedScript } from '../../src/domain/scripts.js';

const parsed = (text: string) => readFields({ email }, { email: text }).email;

describe('look-alike names', () => {
  for (const text of ['pаypal', 'аdmin', 'ραypal', 'goоgle', 'Ꮯaesar'])
    it(`recognises the mixed scripts of ${JSON.stringify(text)}`, () => expect(isMixedScript(text)).to.equal(true));
  for (const text of ['paypal', 'админ', 'Ελλάδα', 'müller-2', '東京タワーTV', '한국abc', '中文', '١٢٣', ''])
    it(`accepts ${JSON.stringify(text)}`, () => expect(isMixedScript(text)).to.equal(false));

  it('refuses e-mail addresses with mixed scripts in a label', () => {
    for (const text of ['аda@example.org', 'ada@exаmple.org']) expect(() => parsed(text)).to.throw();
  });

  it('stores full-width letters as plain ones', () => {
    expect(parsed('ａｄａ@ｅｘａｍｐｌｅ.org')).to.equal('ada@example.org');
  });

  it('stores a domain in its IDNA form, whatever its spelling', () => {
    for (const text of [
      'ada@bücher.example',
      'ADA@BÜCHER.example',
      'ada@xn--bcher-kva.example',
      'ada@bu\u0308cher.example',
    ])
      expect(parsed(text)).to.equal('ada@xn--bcher-kva.example');
  });

  it('reads a domain in its IDNA form as what it shows', () => {
    // exаmple with a Cyrillic letter, and invalid IDNA forms.
    for (const text of ['ada@xn--exmple-4nf.com', 'ada@xn--a.org', 'ada@xn--.org'])
      expect(() => parsed(text), text).to.throw();
    expect(parsed('ada@XN--BCHER-KVA.example')).to.equal('ada@xn--bcher-kva.example');
  });

  it('refuses e-mail addresses with invisible letters', () => {
    for (const letter of ['\u3164', '\u115f', '\uffa0']) expect(() => parsed(`ada${letter}@example.org`)).to.throw();
  });

  it('leaves an address without a domain invalid', () => {
    for (const text of ['ada@', 'ada@\u2024\u2024', 'ada@ex\u2044ample.org']) expect(() => parsed(text)).to.throw();
    expect(normaliseEmail('nobody')).to.equal('nobody');
  });

  it('refuses look-alike role names and normalises full-width ones', () => {
    const name = (text: string) => readFields({ name: roleName }, { name: text }).name;
    expect(() => name('аdmin')).to.throw();
    expect(name('ａｄｍｉｎ ２')).to.equal('admin 2');
    expect(name('Суппорт team')).to.equal('Суппорт team');
  });

  it('takes role names for one that differ in invisible characters only', () => {
    for (const text of ['Ad\u200bmin', 'Admin\u3164', '\u2060Admin', 'Ad\u00admin', 'Admin\ufe0f', 'Admin \u200b'])
      expect(roleNameKey(text), JSON.stringify(text)).to.equal('admin');
    expect(() => readFields({ name: roleName }, { name: '\u200b\u3164' })).to.throw();
    expect(readFields({ name: roleName }, { name: 'Love ❤️' }).name).to.equal('Love ❤️');
  });
});
