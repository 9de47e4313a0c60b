import { expect } from 'chai';
import { EntryCount } from '../../src/domain/archive-entry.js';

describe('the count of archive entries', () => {
  it('refuses more than 100,000 entries', () => {
    const count = new EntryCount();
    for (let i = 0; i < 100_000; i += 1) count.add('a');
    expect(() => count.add('a')).to.throw('the archive holds too many entries');
  });

  it('refuses paths of more than 32 MiB together', () => {
    const count = new EntryCount();
    const path = 'a'.repeat(4_096);
    for (let i = 0; i < 8_192; i += 1) count.add(path);
    expect(() => count.add('a')).to.throw('the paths in the archive are too long');
  });
});
