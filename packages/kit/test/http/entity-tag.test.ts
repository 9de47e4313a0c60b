import { expect } from 'chai';
import { asWeak, fileEntityTag, isSameVersion, matchesEntityTag } from '../../src/http/entity-tag.js';

describe('entity tag of a file', () => {
  const modifiedAt = new Date('2026-01-01T00:00:00.000Z');
  const after = (ms: number) => new Date(modifiedAt.getTime() + ms);

  it('changes with size and modification time', () => {
    const of = (sizeBytes: number, date: Date) => fileEntityTag({ sizeBytes, modifiedAt: date }, after(60_000));
    expect(of(1, modifiedAt))
      .to.equal(of(1, modifiedAt))
      .and.to.match(/^"[0-9a-z]+-[0-9a-z]+"$/);
    expect(of(2, modifiedAt)).not.to.equal(of(1, modifiedAt));
    expect(of(1, after(1))).not.to.equal(of(1, modifiedAt));
  });

  it('makes a weak tag for a second after a change, and then a strong one', () => {
    const at = (ms: number) => fileEntityTag({ sizeBytes: 1, modifiedAt }, after(ms));
    expect(at(1_000)).to.equal(asWeak(at(1_001)));
    expect(at(-5_000)).to.equal(at(1_000));
    expect(isSameVersion(at(0), at(2_000))).to.equal(true);
  });

  it('compares tags with If-None-Match weakly', () => {
    for (const header of ['"a"', 'W/"a"', '"b", W/"a"', ' * ']) expect(matchesEntityTag(header, '"a"')).to.equal(true);
    for (const header of [undefined, '', '"b"', 'a', '"a']) expect(matchesEntityTag(header, '"a"')).to.equal(false);
  });
});
