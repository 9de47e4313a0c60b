import { expect } from 'chai';
import fc from 'fast-check';
import { SqlSplitter } from '../../../src/database-engines/dumps/sql-splitter.js';

function split(text: string, pieceLength = text.length): string[] {
  const splitter = new SqlSplitter();
  const statements: string[] = [];
  for (let at = 0; at < text.length; at += pieceLength) {
    statements.push(...splitter.push(Buffer.from(text.slice(at, at + pieceLength), 'latin1')));
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

  it('keeps bytes that are blanks in latin1 only', () => {
    expect(split(Buffer.from('SELECT 1 AS à; SELECT 2 AS à').toString('latin1'))).to.deep.equal(
      ['SELECT 1 AS à', 'SELECT 2 AS à'].map((statement) => Buffer.from(statement).toString('latin1')),
    );
  });

  it('refuses a command without an end before it holds all of it', () => {
    const splitter = new SqlSplitter();
    const pieces = Array.from({ length: 20 }, () => Buffer.alloc(64 * 1024, 'x'));
    expect(() => {
      for (const piece of [Buffer.from('DELIMITER '), ...pieces]) expect([...splitter.push(piece)]).to.deep.equal([]);
    }).to.throw(/command/);
  });

  describe('with 32 MiB', function () {
    this.timeout(60_000);
    const row = "(1,'some text; it\\'s long','abcdefghijklmnop'),";
    const dumps = {
      'rows of an export': Buffer.from(`INSERT INTO t VALUES ${row.repeat(20_000)}(2,'','');\n`.repeat(34)),
      'small statements': Buffer.from("INSERT INTO t VALUES (1,'a;b');\n".repeat(1_048_576)),
      'one statement': Buffer.from(`INSERT INTO t VALUES ('${'x'.repeat(32 * 1024 * 1024)}');`),
    };
    const cpuMs = (work: () => void) => {
      const start = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    const piecesOf = (dump: Buffer) =>
      Array.from({ length: Math.ceil(dump.length / 65_536) }, (_, i) => dump.subarray(i * 65_536, (i + 1) * 65_536));
    /** The least that any splitter does. */
    const joinAndLook = (dump: Buffer) => {
      let found = 0;
      for (const byte of Buffer.concat(piecesOf(dump))) if (byte === 0x27) found += 1;
      return found;
    };

    for (const [title, dump] of Object.entries(dumps)) {
      it(`takes less CPU for ${title} than joining it twice and looking at each byte`, () => {
        const least = cpuMs(() => {
          for (let i = 0; i < 5; i += 1) expect(joinAndLook(dump)).to.be.greaterThan(0);
        });
        let bytes = 0;
        const spent = cpuMs(() => {
          const splitter = new SqlSplitter();
          for (const piece of piecesOf(dump)) {
            for (const statement of splitter.push(piece)) bytes += statement.length;
          }
          for (const statement of splitter.end()) bytes += statement.length;
        });
        expect(bytes).to.be.greaterThan(dump.length * 0.9);
        expect(spent / (least / 5)).to.be.below(2);
      });
    }
  });
});
