import { expect } from 'chai';
import { type Parser, type Replacement } from '../../src/domain/config-file.js';
import { RewriteError } from '../../src/config-files/rewrite-error.js';
import { rewriteContent } from '../../src/config-files/rewrite.js';
import { replacementOf } from './rewriting.js';

const shapes: Readonly<Record<Parser, { readonly pieces: readonly string[]; readonly keys: readonly string[] }>> = {
  yaml: {
    pieces: [
      ['a: 1\n', 'b:\n', '  c: "x"\n', '  d: [1, {e: f}]\n', '- x\n', '  - y: 1\n    z: 2\n', '# c\n', '\n', '\r\n'],
      [
        'e: |\n  t\n',
        'f: &q w\n',
        'g: *q\n',
        '? k\n: v\n',
        '{a: 1}\n',
        '---\n',
        'a: ~\n',
        '"q k": \'v\'\n',
        '\t',
        '  ',
      ],
      ['- - 1\n', 'h: !!str 5\n', 'l:\n- 1\n- k: 2\n', 'i: {}\n', 'j: []\n', 'm: >-\n    z\n\n'],
    ].flat(),
    keys: [
      'a',
      'b.c',
      'b.d[1].e',
      'l[0]',
      'new',
      'new.x.y',
      'f',
      'g',
      'i.z',
      'j[0].q',
      '[0]',
      'e',
      'b.new',
      'm',
      'h',
      'q k',
    ],
  },
  json: {
    pieces: [
      ['{', '}', '[', ']', '"a"', ':', '1', ',', '"b":', 'null', 'true', '// c\n', '/*x*/', '\n', '  '],
      ['{"a":1}', '"l":[1,2]', '{"b":{"c":"d"}}', '\r\n', '""'],
    ].flat(),
    keys: ['a', 'b', 'b.c', 'l[0]', 'n.x[0].y', '[0]', 'a.b'],
  },
  toml: {
    pieces: [
      ['a = 1\n', 'b.c = "x"\n', '[t]\n', '[t.u]\n', '[[l]]\n', 'x = {a=1, b.c=2}\n', 'y = [1, 2]\n', '# c\n', '\n'],
      ['z = """\nq"""\n', "s = 'r'\n", 'd = 1979-05-27\n', '[ "q k" ]\n', '\r\n', 'f = 1.5\n', 'e = {}\n', 'g = []\n'],
    ].flat(),
    keys: [
      'a',
      'b.c',
      'b.d',
      't.x',
      't.u.v',
      'l[0].x',
      'x.a',
      'x.b.d',
      'x.n',
      'y[2]',
      'new',
      'n.e.w',
      'e.q',
      'g[0]',
      'd',
      'f',
    ],
  },
  xml: {
    pieces: [
      ['<a>', '</a>', '<b x="1">', '</b>', '<b/>', 't', '<!-- c -->', '<![CDATA[d]]>', '<?p i?>', '\n', '  ', '\r\n'],
      ["<c y='2'/>", 'x&amp;', '<c>', '</c>', '<?xml version="1.0"?>', '<b><c>1</c></b>', '<a><b>1</b></a>'],
    ].flat(),
    keys: ['a', 'a.b', 'a.b.c', 'a.n', "a.b[@x='1']", "a.b[@x='9']", 'a.n.m', 'z'],
  },
  ini: {
    pieces: [
      '[a]\n',
      'k = 1\n',
      'k=2\n',
      '; c\n',
      '\n',
      '[b.c]\n',
      'x: "q"\n',
      '  y = z  \n',
      '\r\n',
      'junk\n',
      '[a\n',
      '=v\n',
      'k',
    ],
    keys: ['k', 'a.k', 'a.new', '[b.c].x', '[b.c].n', 'new.k', 'x', 'a.y'],
  },
  properties: {
    pieces: [
      ['a=1\n', 'b: 2\n', 'c 3\n', '# c\n', '\n', 'd=1\\\n  2\n', '\\u0061=x\n', 'e\\ f=g\\\n', '\r\n', '  g = h\n'],
      ['!x\n', 'i=\\u12\n', 'j', '\\'],
    ].flat(),
    keys: ['a', 'b', 'c', 'd', 'e f', 'g', 'i', 'new', 'j'],
  },
  file: { pieces: ['a=1\n', 'b 2\n', '\n', '# a\n', '\r\n', 'a'], keys: ['# a', 'b'] },
};
const values = [
  ['1', 'true', 'x', 'it\'s "q"', 'a: b #c', '0.0.0.0:1', '', 'é😀', "[v='w']", ' lead', '1.50', '-', 'null', '[1]'],
  ['99999999999999999999', '{', '|', '&x', '\\', 'a\\', 'a\tb'],
].flat();

/** Reproducible (mulberry32). */
function numbersFrom(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function run(parser: Parser, text: string, replacements: readonly Replacement[]): string | null {
  try {
    const { content } = rewriteContent({ parser, content: Buffer.from(text), replacements });
    return content && Buffer.from(content).toString();
  } catch (error) {
    if (error instanceof RewriteError) return null;
    throw error;
  }
}

describe('config files of any content', () => {
  for (const [parser, { pieces, keys }] of Object.entries(shapes)) {
    it(`leaves any content parsed by ${parser} unchanged or with the requested value, and changes nothing in a second run`, () => {
      const next = numbersFrom(42);
      const pick = (list: readonly string[]) => list[next(list.length)] ?? '';
      let written = 0;
      for (let round = 0; round < 1500; round += 1) {
        const text = Array.from({ length: 1 + next(12) }, () => pick(pieces)).join('');
        const key = pick(keys);
        const replacement = replacementOf([key, parser === 'file' ? `${key} ${pick(values)}` : pick(values)]);
        const after = run(parser as Parser, text, [replacement]);
        if (after === null) continue;
        written += 1;
        expect(run(parser as Parser, after, [replacement]), JSON.stringify({ text, replacement, after })).to.equal(
          null,
        );
      }
      expect(written).to.be.above(30);
    });
  }
});
