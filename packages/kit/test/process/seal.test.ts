import { expect } from 'chai';
import { createSeal } from '../../src/process/index.js';

const [first, second] = ['a-secret-of-32-characters-or-more-1', 'a-secret-of-32-characters-or-more-2'];

describe('sealed secret', () => {
  const seal = createSeal([first], 'tests');

  it('opens and never produces the same ciphertext twice', () => {
    for (const text of ['', 'x', 'grüße 🎮', 'k'.repeat(100_000)]) {
      const sealed = seal.seal(text, 'here');
      expect(seal.open(sealed, 'here')).to.equal(text);
      if (text.length > 3) expect(sealed).not.to.include(text);
    }
    expect(seal.seal('x', 'here')).not.to.equal(seal.seal('x', 'here'));
  });

  it('opens with its own data, purpose and secret only', () => {
    const sealed = seal.seal('x', 'here');
    expect(seal.open(sealed, 'there')).to.equal(null);
    expect(createSeal([first], 'other').open(sealed, 'here')).to.equal(null);
    expect(createSeal([second], 'tests').open(sealed, 'here')).to.equal(null);
  });

  it('opens no secret that is modified, truncated or malformed', () => {
    const sealed = seal.seal('some text', 'here');
    const at = sealed.lastIndexOf('.') + 20;
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    for (const text of [changed, sealed.slice(0, -6), sealed.slice(0, 40), '', 'plain', 'sealed.v1.00000000.AAAA']) {
      expect(seal.open(text, 'here'), text).to.equal(null);
    }
  });

  it('opens with the old secret during a rotation', () => {
    const old = seal.seal('x', 'here');
    const both = createSeal([second, first], 'tests');
    expect(both.open(old, 'here')).to.equal('x');
    expect(both.isCurrent(old)).to.equal(false);
    const renewed = both.seal('x', 'here');
    expect(both.isCurrent(renewed)).to.equal(true);
    expect(createSeal([second], 'tests').open(renewed, 'here')).to.equal('x');
  });

  it('requires a secret', () => {
    expect(() => createSeal([], 'tests')).to.throw(TypeError);
  });
});
