import { expect } from 'chai';
import { applicableRange, parseRange, resolveRange } from '../../src/http/byte-range.js';

describe('byte range', () => {
  const of = (header: string | undefined, size: number) => resolveRange(parseRange(header), size);

  it('follows the header within the file', () => {
    expect(of('bytes=0-0', 10)).to.deep.equal({ first: 0, last: 0 });
    expect(of('bytes=2-', 10)).to.deep.equal({ first: 2, last: 9 });
    expect(of('bytes=2-99', 10)).to.deep.equal({ first: 2, last: 9 });
    expect(of('bytes=-3', 10)).to.deep.equal({ first: 7, last: 9 });
    expect(of('bytes=-99', 10)).to.deep.equal({ first: 0, last: 9 });
  });

  it('reads the whole file without a Range header and for multiple ranges', () => {
    for (const header of [undefined, '', 'bytes=', 'bytes=-', 'bytes=5-2', 'lines=1-2', 'bytes=0-1,3-4', 'bytes=a-b']) {
      expect(of(header, 10), header).to.deep.equal({ first: 0, last: 9 });
    }
  });

  it('refuses a byte range outside the file as unsatisfiable', () => {
    for (const [header, size] of [
      ['bytes=10-', 10],
      ['bytes=0-', 0],
      ['bytes=-0', 10],
      ['bytes=-1', 0],
    ] as const) {
      expect(of(header, size), header).to.equal(null);
    }
  });

  it('does not apply when If-Range names another version, or one that is not strong', () => {
    const kindOf = (ifRange: string | undefined, version: string) =>
      applicableRange({ range: 'bytes=1-', ifRange }, version).kind;
    expect(kindOf(undefined, '"a"')).to.equal('from');
    expect(kindOf(' "a" ', '"a"')).to.equal('from');
    for (const other of ['"b"', 'W/"a"', 'a', '', 'Wed, 25 Nov 2026 12:00:00 GMT'])
      expect(kindOf(other, '"a"'), other).to.equal('all');
    expect(kindOf('W/"a"', 'W/"a"')).to.equal('all');
  });
});
