import { expect } from 'chai';
import { parsePreferences } from '../../src/domain/preferences.js';

describe('parsePreferences', () => {
  it('returns the canonical text of an object', () => {
    expect(parsePreferences(' { "theme" : "dark", "pins":[1,2] } ')).to.deep.equal({
      json: '{"theme":"dark","pins":[1,2]}',
    });
  });

  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  it('accepts 16 levels', () => expect(parsePreferences(nested(16))).to.have.property('json'));

  const refused: Record<string, string> = {
    'text that is not JSON': '{theme}',
    'an array': '[]',
    null: 'null',
    'a string': '"dark"',
    '17 levels': nested(17),
    '10,000 levels': nested(10_000),
    'more than 32 KiB': JSON.stringify({ text: 'x'.repeat(32 * 1024) }),
  };
  for (const [name, json] of Object.entries(refused)) {
    it(`refuses ${name}`, () => expect(parsePreferences(json)).to.be.a('string'));
  }
});
