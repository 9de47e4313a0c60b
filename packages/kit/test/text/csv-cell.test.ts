import { expect } from 'chai';
import { csvCell } from '../../src/text/index.js';

describe('a cell of CSV', () => {
  for (const [text, cell] of [
    ['plain', 'plain'],
    ['a "b", c', '"a ""b"", c"'],
    ['=1+1', "'=1+1"],
    ['x; =1+1', `"x; '=1+1"`],
    ['-4.90', "'-4.90"],
    ['a-b', 'a-b'],
  ] as const)
    it(`writes «${text}» as «${cell}»`, () => expect(csvCell(text)).to.equal(cell));
});
