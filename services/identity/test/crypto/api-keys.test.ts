import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createApiKeys } from '../../src/crypto/api-keys.js';
import { times } from '../integration/harness.js';

describe('API keys', () => {
  const keys = createApiKeys('gsp', 'a secret');

  it('generates a prefix and 43 base62 characters, hashed by SHA-256', () => {
    const { key, hash, identifier } = keys.make();
    expect(key).to.match(/^gsp_[0-9A-Za-z]{43}$/);
    expect(hash).to.equal(createHash('sha256').update(key).digest('hex'));
    expect(key.startsWith(identifier)).to.be.true;
    expect(identifier).to.have.lengthOf(12);
    expect(keys.hashOf(key)).to.equal(hash);
  });

  it('derives the same key from the same seed and secret only', () => {
    const { key, hash } = keys.make('seed');
    expect(key).to.match(/^gsp_[0-9A-Za-z]{43}$/);
    expect(createApiKeys('gsp', 'a secret').make('seed')).to.include({ key, hash });
    const others = [keys.make('seed 2'), createApiKeys('gsp', 'another').make('seed'), keys.make(), keys.make()];
    expect(new Set([key, ...others.map((other) => other.key)]).size).to.equal(5);
  });

  it('uses all characters with equal frequency', () => {
    const counts = new Map<string, number>();
    for (const { key } of times(2000, (index) => keys.make(index % 2 ? undefined : `seed ${index}`)))
      for (const character of key.slice(4)) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (2000 * 43) / 62;
    expect(counts.size).to.equal(62);
    for (const count of counts.values()) expect(count).to.be.within(expected * 0.8, expected * 1.2);
  });

  it('returns no hash for text that cannot be a key', () => {
    const { key } = keys.make();
    const other = createApiKeys('abc', 'a secret').make().key;
    const bad = [
      '',
      'gsp_',
      key.slice(0, -1),
      `${key}x`,
      ` ${key}`,
      `${key}\n`,
      key.toUpperCase(),
      other,
      key.slice(4),
    ];
    for (const text of [...bad, `gsp_${'é'.repeat(43)}`, `gsp_${'a'.repeat(1_000_000)}`])
      expect(keys.hashOf(text), text.slice(0, 60)).to.be.null;
  });
});
