import type { EggSpec, EggVariable } from '../../../src/domain/eggs/egg.js';
import { checkEgg } from '../../../src/domain/eggs/check-egg.js';
import { withCleanTexts } from '../../../src/domain/eggs/clean-texts.js';

/** Seeded (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const pieces = ['a', 'Z', '7', ' ', '"', '\\', '\n', '\r\n', '\t', '|', '{{PORT}}', '${PORT}', '$(id)', "'", '<b>'];
const morePieces = ['é', '日本', '🎮', '\u0001', '{', '}', '[]', '&a', '*a', '- x', '%', '#', ':', '!', 'null', 'true'];
const rules = [
  'required',
  'nullable',
  'string',
  'max:20',
  'integer',
  'between:1,9',
  'in:a,"b,c",',
  'regex:/^(a|b)$/i',
  'in:a|b',
  'regex:((a)|b)',
  'regex:/a/|b/',
];

/** A valid egg with random texts. */
export function randomSpec(seed: number): EggSpec {
  const below = numbers(seed);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const text = (max: number) => Array.from({ length: below(max) }, () => pick([...pieces, ...morePieces])).join('');
  const line = (max: number) =>
    `x${Array.from(text(max))
      .filter((one) => one >= ' ')
      .join('')}y`;
  const many = <T>(max: number, make: (at: number) => T): T[] =>
    Array.from({ length: below(max + 1) }, (_, at) => make(at));
  const variable = (at: number): EggVariable => ({
    name: line(5),
    description: text(8),
    envVariable: `V${at}_${below(100)}`,
    defaultValue: text(6),
    userViewable: below(2) === 0,
    userEditable: below(2) === 0,
    rules: [...new Set(many(4, () => pick(rules)))],
  });
  const value = () => pick([text(5), below(70_000), below(2) === 0, { [line(2)]: text(3), 'regex:^a': '1' }]);
  const file = (at: number) => ({
    parser: pick(['file', 'properties', 'yaml', 'yml', 'json', 'ini', 'xml', 'toml']),
    find: Object.fromEntries(many(3, () => [line(4), value()])),
    ...(at === 0 ? {} : { create_file: below(2) === 0 }),
  });
  const spec: EggSpec = {
    name: line(6),
    description: text(12),
    author: `${line(3).replaceAll(/[^a-z]/gi, '')}@example.com`,
    features: many(3, () => line(3)),
    dockerImages: [
      { label: `${below(30)}`, image: 'debian:bookworm' },
      ...many(3, (at) => ({ label: `${line(3)}${at}`, image: `~ghcr.io/x/y${at}:1` })),
    ],
    startup: `run ${text(10)}`,
    startupCommands:
      below(2) === 0
        ? []
        : [1, 2, ...many(2, (at) => at + 3)].map((at) => ({ label: `${line(3)}${at}`, command: `c${text(8)}` })),
    config: {
      filesJson: JSON.stringify(Object.fromEntries(many(3, (at) => [`config/${below(99)}.txt`, file(at)]))),
      startupDone: many(3, () => line(4)),
      startupStripAnsi: below(2) === 0,
      logsJson: pick(['{}', '{"custom":true,"location":"logs/latest.log"}']),
      stop: pick(['stop', '^C', '^^C', '/quit now', '^SIGTERM']),
    },
    script: { install: text(40), container: 'debian:bookworm', entrypoint: pick(['bash', 'ash', '/bin/sh']) },
    fileDenylist: many(3, () => line(3)),
    forceOutgoingIp: below(2) === 0,
    extrasJson: '',
    variables: many(5, variable),
  };
  const clean = withCleanTexts(spec);
  checkEgg(clean);
  return clean;
}
