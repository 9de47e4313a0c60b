import { expect } from 'chai';
import { createGiftCodeTexts } from '../../src/gift-codes/gift-code-texts.js';

const texts = createGiftCodeTexts('test-only-secret-of-at-least-32-characters');
const pattern = /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/;

describe('texts of gift codes', () => {
  it('draws four groups of four characters without I, L, O and U', () => {
    for (let index = 0; index < 500; index++) {
      expect(texts.draw(undefined, index)).to.match(pattern);
      expect(texts.draw('seed', index)).to.match(pattern);
    }
  });

  it('draws every character in every position equally often, with and without a seed', () => {
    for (const seed of ['seed', undefined]) {
      const counts = new Map<string, number>();
      const drawn = 6_400;
      for (let index = 0; index < drawn; index++)
        for (const [at, digit] of Array.from(texts.draw(seed, index).replaceAll('-', '')).entries())
          counts.set(`${at}${digit}`, (counts.get(`${at}${digit}`) ?? 0) + 1);
      expect(counts.size).to.equal(16 * 32);
      // 200 expected, standard deviation 14.
      for (const count of counts.values()) expect(count).to.be.within(100, 300);
    }
  });

  it('draws the same for a seed and index, and other codes for other seeds, indexes and secrets', () => {
    const other = createGiftCodeTexts('another-test-only-secret-of-32-characters');
    expect(texts.draw('seed', 3)).to.equal(texts.draw('seed', 3));
    const different = [texts.draw('seed', 3), texts.draw('seed', 4), texts.draw('deed', 3), other.draw('seed', 3)];
    expect(new Set([...different, texts.draw(undefined, 3), texts.draw(undefined, 3)]).size).to.equal(6);
  });

  it('hashes a code however it is typed', () => {
    const typed = ['ABCD-1230-EFGH-JKMN', 'abcd1230efghjkmn', ' abcd-l23o efgh jkmn ', 'ABCD_I23O_EFGH_JKMN'];
    expect(new Set(typed.map((code) => texts.hashOf(code))).size).to.equal(1);
    expect(texts.hashOf('ABCD-1230-EFGH-JKMP')).not.to.equal(texts.hashOf('ABCD-1230-EFGH-JKMN'));
  });
});
