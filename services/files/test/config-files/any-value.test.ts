import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { expect } from 'chai';
import fc from 'fast-check';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { parse as parseYaml } from 'yaml';
import { rewriteContent } from '../../src/config-files/rewrite.js';
import type { Parser } from '../../src/domain/config-file.js';
import { replacementOf } from './rewriting.js';

interface Case {
  readonly what: string;
  readonly parser: Parser;
  readonly text: string;
  readonly key: string;
  /** The values of all keys, by a reader that is not the rewriter's. */
  readonly read: (text: string) => Record<string, unknown>;
}

/** Each line is `key=value`, as a program without escapes reads it. */
function readPlain(text: string): Record<string, string> {
  const lines = text.split(/\r\n|[\r\n]/).filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** As above, in quotes that end at the first `"` no backslash stands before, with a note behind them. */
function readQuoted(text: string): Record<string, string | undefined> {
  const inner = ([key, value]: [string, string]) => [key, /^"((?:\\.|[^"\\])*)"(?: ; note)?$/.exec(value)?.[1]];
  return Object.fromEntries(Object.entries(readPlain(text)).map(inner));
}

/** As a program reads it that knows no escapes. */
function readQuotedPlain(text: string): Record<string, string | undefined> {
  const inner = ([key, value]: [string, string]) => [key, /^"([^"]*)"(?: ; note)?$/.exec(value)?.[1]];
  return Object.fromEntries(Object.entries(readPlain(text)).map(inner));
}

/** java.util.Properties, for lines without continuation. */
function readProperties(text: string): Record<string, string> {
  const letters: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };
  const plain = (value: string) =>
    value.replace(/\\(?:u([\da-f]{4})|(.))/g, (_whole, code?: string, letter = '') =>
      code === undefined ? (letters[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
    );
  return Object.fromEntries(Object.entries(readPlain(text)).map(([key, value]) => [key, plain(value)]));
}

function readXml(text: string): Record<string, unknown> {
  const children = parseXml(text).root?.children.filter((child) => child instanceof XmlElement) ?? [];
  return Object.fromEntries(children.map((child) => [child.name, { text: child.text, ...child.attributes }]));
}

const yamlOf = (value: string) => `before: x\nname: ${value}\nafter: y\n`;
const tomlOf = (value: string) => `before = "x"\nname = ${value}\nafter = "y"\n`;
const readToml = (text: string) => getStaticTOMLValue(parseTOML(text)) as Record<string, unknown>;
const json = '{"before": "x", "name": "old", "after": "y"}';
const xml = '<r><before>x</before><name a="1">old</name><after>y</after></r>';

const cases: readonly Case[] = [
  { what: 'JSON', parser: 'json', text: json, key: 'name', read: (text) => JSON.parse(text) },
  ...['old', '"old"', "'old'", '|\n  old', 'old # note'].map((value): Case => ({
    what: `YAML at ${value}`,
    parser: 'yaml',
    text: yamlOf(value),
    key: 'name',
    read: parseYaml,
  })),
  { what: 'YAML at a new key', parser: 'yaml', text: 'before: x\nafter: y\n', key: 'name', read: parseYaml },
  ...['"old"', "'old'", '"""old"""'].map((value): Case => ({
    what: `TOML at ${value}`,
    parser: 'toml',
    text: tomlOf(value),
    key: 'name',
    read: readToml,
  })),
  { what: 'TOML at a new key', parser: 'toml', text: 'before = "x"\nafter = "y"\n', key: 'name', read: readToml },
  { what: 'XML', parser: 'xml', text: xml, key: 'r.name', read: readXml },
  { what: 'INI', parser: 'ini', text: 'before=x\nname=old\nafter=y\n', key: 'name', read: readPlain },
  { what: 'INI at a new key', parser: 'ini', text: 'before=x\nafter=y\n', key: 'name', read: readPlain },
  ...[readQuoted, readQuotedPlain].map((read): Case => ({
    what: `quotes of INI by ${read.name}`,
    parser: 'ini',
    text: 'before="x"\nname="old" ; note\nafter="y" ; note\n',
    key: 'name',
    read,
  })),
  {
    what: 'properties',
    parser: 'properties',
    text: 'before=x\nname=old\nafter=y\n',
    key: 'name',
    read: readProperties,
  },
  {
    what: 'properties of Java',
    parser: 'properties',
    text: 'before=\\u0061\nname=old\nafter=y\n',
    key: 'name',
    read: readProperties,
  },
];

/** Signs that mean something somewhere, among any others. */
const values = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('"', "'", '\\', '\n', '\r', ';', '#', '=', ':', ' ', '<', '>', '&', ']]>', '-', '5', 'x'))
    .map((signs) => signs.join('')),
  fc.array(fc.constantFrom('"', '\\', 'x')).map((signs) => `"${signs.join('')}"`),
);

function expected({ what, parser }: Case, value: string): unknown {
  if (parser === 'ini') return what.startsWith('quotes') ? quotedForm(value) : value.trim();
  return value;
}

/** In quotes that know no escapes, `"` becomes `'`. */
function quotedForm(value: string): string {
  if (/^"(?:\\[^"]|[^"\\])*"$/.test(value)) return value.slice(1, -1);
  const text = value.replaceAll('"', "'");
  return /(?<!\\)(?:\\\\)*\\$/.test(text) ? `${text}\\` : text;
}

describe('config files with any value of a customer', () => {
  for (const one of cases) {
    it(`get it in ${one.what} and change no other key, or refuse it`, () => {
      const before = one.read(one.text);
      let written = 0;
      fc.assert(
        fc.property(values, (value) => {
          const job = {
            parser: one.parser,
            content: Buffer.from(one.text),
            replacements: [replacementOf([one.key, value])],
          };
          const { content, warnings } = rewriteContent(job);
          if (warnings.length > 0) {
            expect(content).to.equal(null);
            return;
          }
          const after = one.read(Buffer.from(content ?? job.content).toString());
          const name = one.parser === 'xml' ? { text: value, a: '1' } : expected(one, value);
          if (one.parser === 'yaml' || one.parser === 'toml') after['name'] = String(after['name']);
          expect(after).to.deep.equal({ ...before, name });
          written += 1;
        }),
        { seed: 42, numRuns: 500 },
      );
      expect(written).to.be.above(100);
    });
  }
});
