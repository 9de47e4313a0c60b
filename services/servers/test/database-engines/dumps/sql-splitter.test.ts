import { expect } from 'chai';
import fc from 'fast-check';
import { SqlSplitter } from '../../../src/database-engines/dumps/sql-splitter.js';

function split(text: string, pieceLength = text.length): string[] {
  const splitter = new SqlSplitter();
  const statements: string[] = [];
  for (let at = 0; at < text.length; at += pieceLength) {
    statements.push(...splitter.push(text.slice(at, at + pieceLength)));
  }
  return [...statements, ...splitter.end()];
}

describe('the splitter of SQL dumps', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['ends statements at semicolons', 'SELECT 1; SELECT 2 ;SELECT 3', ['SELECT 1', 'SELECT 2', 'SELECT 3']],
    ['keeps semicolons in quotes', `SELECT ';', ";", \`;\`;X`, [`SELECT ';', ";", \`;\``, 'X']],
    ['knows escaped and doubled quotes', `SELECT 'a\\';', 'b'';';X`, [`SELECT 'a\\';', 'b'';'`, 'X']],
    ['keeps semicolons in comments', '-- a;b\nSELECT /* ; */ 1; # c;d\nX;', ['-- a;b\nSELECT /* ; */ 1', '# c;d\nX']],
    ['takes -- without a blank as an operator', 'SELECT 1--1;X', ['SELECT 1--1', 'X']],
    ['keeps conditional comments as statements', "/*!40101 SET a='x;y' */;X", ["/*!40101 SET a='x;y' */", 'X']],
    ['follows DELIMITER', 'DELIMITER ;;\nBEGIN a; b; END ;;\nDELIMITER ;\nX;', ['BEGIN a; b; END', 'X']],
    ['follows DELIMITER after a comment', '-- c\ndelimiter //\na;b//\ndelimiter ;\nX', ['a;b', 'X']],
    ['ends at an open comment', 'X; /* never', ['X', '/* never']],
    ['answers nothing for nothing', ' \n ', []],
  ];

  for (const [title, text, statements] of cases) {
    it(title, () => {
      for (const pieceLength of [1, 2, 7, text.length]) {
        expect(split(text, pieceLength), `pieces of ${pieceLength}`).to.deep.equal(statements);
      }
    });
  }

  it('gives the same statements however the text is cut', () => {
    const token = fc.constantFrom(
      "'",
      '"',
      '`',
      ';',
      '\\',
      '--',
      ' ',
      '\n',
      '#',
      '/*',
      '*/',
      '/*!',
      'DELIMITER ',
      '//',
      'a',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (tokens, pieceLength) => {
        const text = tokens.join('');
        expect(split(text, pieceLength)).to.deep.equal(split(text));
      }),
    );
  });
});
