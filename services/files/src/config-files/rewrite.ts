import { rewriteIni } from './ini.js';
import { maxFileBytes, maxKeyLength, maxReplacements, maxValueLength } from './limits.js';
import { rewriteLines } from './lines.js';
import type { Warnings, Parser, Replacement } from '../domain/config-file.js';
import { RewriteError } from './rewrite-error.js';
import { rewriteProperties } from './properties.js';
import { decode } from './text.js';
import { json } from './tree/json.js';
import { rewriteTree } from './tree/rewrite-tree.js';
import { toml } from './tree/toml.js';
import { yaml } from './tree/yaml.js';
import { rewriteXml } from './xml/rewrite-xml.js';

const rewriters: Readonly<
  Record<Parser, (text: string, replacements: readonly Replacement[], warnings: Warnings) => string>
> = {
  file: rewriteLines,
  properties: rewriteProperties,
  ini: rewriteIni,
  yaml: (...work) => rewriteTree(yaml, ...work),
  json: (...work) => rewriteTree(json, ...work),
  toml: (...work) => rewriteTree(toml, ...work),
  xml: rewriteXml,
};

export interface RewriteJob {
  readonly parser: Parser;
  readonly content: Uint8Array;
  readonly replacements: readonly Replacement[];
}

export interface Rewritten {
  /** Null: unchanged. */
  readonly content: Uint8Array | null;
  readonly warnings: Warnings;
}

/** Pure. Throws RewriteError when the whole file fails. */
export function rewriteContent({ parser, content, replacements }: RewriteJob): Rewritten {
  if (content.length > maxFileBytes[parser]) throw new RewriteError(`it is larger than ${maxFileBytes[parser]} bytes`);
  if (replacements.length > maxReplacements)
    throw new RewriteError(`there are more than ${maxReplacements} replacements`);
  const { text, ...way } = decode(content, parser);
  const warnings: Warnings = [];
  const usable = replacements
    .filter((replacement) => isUsable(parser, replacement, warnings))
    .map((replacement) => way.adapt(replacement));
  const next = rewriters[parser](text, usable, warnings);
  if (next === text) return { content: null, warnings };
  const result = way.encode(next);
  if (result.length > maxFileBytes[parser])
    throw new RewriteError(`it would be larger than ${maxFileBytes[parser]} bytes`);
  return { content: result, warnings };
}

function isUsable(parser: Parser, { key, value }: Replacement, warnings: Warnings): boolean {
  const problem = problemOf(parser, key, value.text);
  if (problem) warnings.push(`${key.slice(0, 100)}: ${problem}`);
  return !problem;
}

function problemOf(parser: Parser, key: string, value: string): string | null {
  // Matches every line; eggs use it for one-line files.
  const mayBeEmpty = parser === 'file' && key === '';
  if (key.trim() === '' && !mayBeEmpty) return 'a key must not be empty';
  if (key.length > maxKeyLength) return `a key must not be longer than ${maxKeyLength} characters`;
  if (value.length > maxValueLength) return `a value must not be longer than ${maxValueLength} characters`;
  return value.includes('\0') ? 'a value must not have NUL characters' : null;
}
