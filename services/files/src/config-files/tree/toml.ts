import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { maxDepth } from '../limits.js';
import { RewriteError } from '../rewrite-error.js';
import type { TreeFormat } from './node.js';
import type { InsertionPoint, TomlMap, TomlNode } from './toml-node.js';
import { insertToml, printToml } from './toml-write.js';

/** TOML 1.0. */
export const toml: TreeFormat<TomlNode> = {
  parse: (text) => {
    checkDepth(text);
    const root: TomlMap = emptyMap({ kind: 'top', after: undefined });
    for (const part of parse(text).body[0].body) {
      if (part.type === 'TOMLTable') addTable(root, part);
      else addPair(root, part);
    }
    return root;
  },
  print: printToml,
  insert: insertToml,
};

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    if (error instanceof ParseError)
      throw new RewriteError(`it is not valid TOML (line ${error.lineNumber})`, { cause: error });
    throw error;
  }
}

/** Only arrays and inline tables nest. Counts brackets in strings and comments too: real files stay far below. */
function checkDepth(text: string): void {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > maxDepth) throw new RewriteError('it is nested too deeply');
  }
}

function emptyMap(home: InsertionPoint): TomlMap {
  return { kind: 'map', entries: [], start: 0, end: 0, home };
}

function addTable(root: TomlMap, table: AST.TOMLTable): void {
  let node: TomlNode = root;
  for (const [at, key] of table.resolvedKey.entries()) {
    const path = table.resolvedKey.slice(0, at + 1);
    const isList = typeof table.resolvedKey[at + 1] === 'number';
    node = below(node, key, () =>
      isList
        ? { kind: 'list', items: [], isOfTables: true, start: 0, end: 0 }
        : emptyMap({ kind: 'implied', path: namesOf(path) }),
    );
  }
  if (node.kind !== 'map') throw new RewriteError('it has a table that is not known');
  // a table's place is its header
  const keyEnd = table.key.range[1];
  node.home = { kind: 'lines', after: keyEnd + (table.kind === 'array' ? 2 : 1), prefix: [] };
  for (const pair of table.body) addPair(node, pair);
}

function namesOf(path: readonly (string | number)[]): string[] {
  return path.map(String);
}

function below(node: TomlNode, key: string | number, make: () => TomlNode): TomlNode {
  if (node.kind === 'list') {
    const item = node.items[Number(key)];
    if (item) return item;
    const made = make();
    node.items.push(made);
    return made;
  }
  if (node.kind !== 'map') throw new RewriteError('it has a table that is not known');
  const found = node.entries.find((entry) => entry.key === key)?.node;
  if (found) return found;
  const made = make();
  node.entries.push({ key: String(key), node: made });
  return made;
}

function addPair(map: TomlMap, { key, value, range: [, end] }: AST.TOMLKeyValue): void {
  const names = key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
  const isInline = map.home.kind === 'inline';
  let node = map;
  for (const [at, name] of names.slice(0, -1).entries()) {
    growTo(node.home, end);
    const prefix = names.slice(0, at + 1);
    const home: InsertionPoint = isInline ? { kind: 'inline', prefix } : { kind: 'lines', after: end, prefix };
    const next = below(node, name, () => emptyMap(home));
    if (next.kind !== 'map') throw new RewriteError('it has a table that is not known');
    node = next;
  }
  growTo(node.home, end);
  node.entries.push({ key: names.at(-1) ?? '', node: toNode(value) });
}

function growTo(home: InsertionPoint, end: number): void {
  if (home.kind === 'lines' || home.kind === 'top') home.after = end;
}

function toNode(node: AST.TOMLContentNode): TomlNode {
  const [start, end] = node.range;
  if (node.type === 'TOMLArray') {
    return { kind: 'list', items: node.elements.map(toNode), isOfTables: false, start, end };
  }
  if (node.type === 'TOMLInlineTable') {
    const map = { ...emptyMap({ kind: 'inline', prefix: [] }), start, end };
    for (const pair of node.body) addPair(map, pair);
    return map;
  }
  const place = { kind: 'scalar', start, end } as const;
  switch (node.kind) {
    case 'string':
      return { ...place, type: 'string', text: node.value };
    case 'integer':
    case 'float':
      return { ...place, type: 'number', text: node.number };
    case 'boolean':
      return { ...place, type: 'bool', text: String(node.value) };
    default:
      return { ...place, type: 'other', text: node.datetime };
  }
}
