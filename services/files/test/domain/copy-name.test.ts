import { expect } from 'chai';
import { copyNames } from '../../src/domain/copy-name.js';

describe('copy name', () => {
  const now = new Date('2026-01-31T12:00:00.000Z');

  for (const [name, first, second] of [
    ['a.txt', 'a copy.txt', 'a copy 2.txt'],
    ['world.tar.gz', 'world copy.tar.gz', 'world copy 2.tar.gz'],
    ['server.properties.bak', 'server.properties copy.bak', 'server.properties copy 2.bak'],
    ['README', 'README copy', 'README copy 2'],
    ['.bashrc', '.bashrc copy', '.bashrc copy 2'],
    ['trailing.', 'trailing. copy', 'trailing. copy 2'],
    ['tar.gz', 'tar copy.gz', 'tar copy 2.gz'],
    ['two\nlines.txt', 'two\nlines copy.txt', 'two\nlines copy 2.txt'],
  ] as const) {
    it(`calls the copy of ${JSON.stringify(name)} ${JSON.stringify(first)}`, () => {
      expect([...copyNames(name, now)].slice(0, 2)).to.deep.equal([first, second]);
    });
  }

  it('counts up to 50 and then uses the time', () => {
    const names = [...copyNames('a.txt', now)];
    expect(names.slice(-2)).to.deep.equal(['a copy 50.txt', 'a copy 2026-01-31T12-00-00-000Z.txt']);
    expect(names).to.have.length(51);
  });

  it('respects the length limit and never splits a character', () => {
    for (const name of [`${'x'.repeat(251)}.txt`, `${'🦔'.repeat(62)}.txt`]) {
      const [copy = ''] = copyNames(name, now);
      expect(Buffer.byteLength(copy)).to.be.at.most(255);
      expect(copy)
        .to.match(/ copy\.txt$/)
        .and.not.include('\ufffd');
    }
  });
});
