import { expect } from 'chai';
import { filesBelow, readText, workspaces } from './files.js';

/*
 * domain/ decides from values alone, so that every rule is tested without a database, a clock or luck. Lint refuses imports of
 * other layers and of messages (lint-walls.test.ts); this refuses what needs no import of a layer.
 */

const impurities: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['a promise', /\basync\b|\bawait\b|\b(?:Promise|AsyncIterable|AsyncGenerator)\b|\.then\(/],
  [
    'a clock',
    /\bDate\.now\(|\bnew Date\(\)|(?<!new )\bDate\(\)|\bperformance\.|\bhrtime\b|\bclock\(\)|\bTemporal\.Now\b/,
  ],
  ['a timer', /\bset(?:Timeout|Interval|Immediate)\(|\bqueueMicrotask\(|\bnextTick\(/],
  ['chance', /\bMath\.random\(|\brandom(?:UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b|\bnanoid\b/],
  [
    'I/O',
    /\bfrom '(?:node:)?(?:fs|fs\/promises|dns|dns\/promises|http|https|http2|tls|dgram|child_process|timers|timers\/promises|worker_threads|os|process)'|\bfetch\(|\bprocess\.|\bconsole\./,
  ],
  [
    'a store or client',
    /\bfrom '(?:mongoose|mongodb|ioredis|@grpc\/[^']*|@panel\/(?:outbox|embedded-mongodb|stack)[^']*)'/,
  ],
  ['a signer, which has a clock', /\b\w+Signer\b/],
];

/** The code without its comments and texts; the source of an import is kept. */
function codeOf(source: string): string {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"])\/\/[^\n]*/g, '')
    .replaceAll(/(?<!from )'(?:\\.|[^'\\\n])*'/g, "''");
}

function impuritiesOf(source: string): string[] {
  const code = codeOf(source);
  return impurities.flatMap(([name, pattern]) => (pattern.test(code) ? [name] : []));
}

describe('domain/', () => {
  it('decides from values alone, in every service', () => {
    const files = workspaces().flatMap((name) => filesBelow(`${name}/src/domain`, '.ts'));
    expect(files).to.have.length.of.at.least(100);
    const problems = files.flatMap((file) => impuritiesOf(readText(file)).map((name) => `${file} has ${name}`));
    expect(problems).to.deep.equal([]);
  });

  for (const [line, name] of [
    ['export async function price() {}', 'a promise'],
    ['refund(request: Refund): Promise<void>;', 'a promise'],
    ['const now = new Date();', 'a clock'],
    ['const now = deps.clock();', 'a clock'],
    ['setTimeout(end, 1);', 'a timer'],
    ["import { randomUUID } from 'node:crypto';", 'chance'],
    ["import { readFileSync } from 'node:fs';", 'I/O'],
    ["import type { Redis } from 'ioredis';", 'a store or client'],
    ['function check(grants: FileGrantSigner) {}', 'a signer, which has a clock'],
  ] as const) {
    it(`refuses ${name}: ${line}`, () => expect(impuritiesOf(line)).to.deep.equal([name]));
  }

  it('accepts a date of a value, and words in comments and texts', () => {
    const source =
      "// await the clock()\n/** a Promise */\nconst at = new Date(given);\nconst text = 'async scheduler';\n";
    expect(impuritiesOf(source)).to.deep.equal([]);
  });
});
