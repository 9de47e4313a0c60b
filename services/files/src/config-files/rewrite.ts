import { rewriteIni } from './ini.js';
import { maxFileBytes, maxKeyLength, maxReplacements, maxValueLength } from './limits.js';
import { rewriteLines } from './lines.js';
import type { Notes, Parser, Replacement } from './model.js';
import { Problem } from './problem.js';
import { rewriteProperties } from './properties.js';
import { decode } from './text.js';
import { json } from './tree/json.js';
import { rewriteTree } from './tree/rewrite-tree.js';
import { toml } from './tree/toml.js';
import { yaml } from './tree/yaml.js';
import { rewriteXml } from './xml/rewrite-xml.js';

const rewriters: Readonly<
  Record<Parser, (text: string, replacements: readonly Replacement[], notes: Notes) => string>
> = {
  file: rewriteLines,
  properties: rewriteProperties,
  ini: rewriteIni,
  yaml: (...work) => rewriteTree(yaml, ...work),
  json: (...work) => rewriteTree(json, ...work),
  toml: (...work) => rewriteTree(toml, ...work),
  xml: rewriteXml,
};

/** The content of a file, and what an egg wants in it. */
export interface RewriteJob {
  readonly parser: Parser;
  readonly content: Uint8Array;
  readonly replacements: readonly Replacement[];
}

export interface Rewritten {
  /** Null when nothing changes. */
  readonly content: Uint8Array | null;
  readonly notes: Notes;
}

/** The new content of a file; reads and writes nothing else. Throws Problem when the file cannot be handled at all. */
export function rewriteContent({ parser, content, replacements }: RewriteJob): Rewritten {
  if (content.length > maxFileBytes[parser]) throw new Problem(`it is larger than ${maxFileBytes[parser]} bytes`);
  if (replacements.length > maxReplacements) throw new Problem(`there are more than ${maxReplacements} replacements`);
  const { text, ...way } = decode(content, parser);
  const notes: Notes = [];
  const usable = replacements
    .filter((replacement) => isUsable(replacement, notes))
    .map((replacement) => way.adapt(replacement));
  const next = rewriters[parser](text, usable, notes);
  if (next === text) return { content: null, notes };
  const result = way.encode(next);
  if (result.length > maxFileBytes[parser]) throw new Problem(`it would be larger than ${maxFileBytes[parser]} bytes`);
  return { content: result, notes };
}

function isUsable({ key, value }: Replacement, notes: Notes): boolean {
  const problem = problemOf(key, value.text);
  if (problem) notes.push(`${key.slice(0, 100)}: ${problem}`);
  return !problem;
}

function problemOf(key: string, value: string): string | null {
  if (key.trim() === '') return 'a key must not be empty';
  if (key.length > maxKeyLength) return `a key must not be longer than ${maxKeyLength} characters`;
  if (value.length > maxValueLength) return `a value must not be longer than ${maxValueLength} characters`;
  return value.includes('\0') ? 'a value must not have NUL characters' : null;
}
