import { splitFilePath } from '@panel/kit/text';
import { isMap, parseJsonTree, type Tree, TreeError } from './json-tree.js';

const parsers = ['file', 'properties', 'json', 'ini', 'yaml', 'yml', 'xml', 'toml'] as const;
export type Parser = (typeof parsers)[number];

export interface ConfigFile {
  /** Relative to the root, without `..`; may hold `{{VAR}}`. */
  readonly path: string;
  readonly parser: Parser;
  readonly isCreated: boolean;
  readonly changes: readonly ConfigChange[];
}

export type ConfigValue = string | number | boolean;

export interface ConfigChange {
  readonly key: string;
  /** "regex:…" replaces the match. */
  readonly value: ConfigValue | readonly { readonly match: string; readonly value: ConfigValue }[];
}

const maxFiles = 50;
const maxChanges = 500;

/** Throws TreeError naming the path. */
export function parseConfigFiles(json: string): ConfigFile[] {
  const tree = parseJsonTree(json === '' ? '{}' : json);
  // PHP writes an empty map as [].
  if (Array.isArray(tree) && tree.length === 0) return [];
  if (tree === null) return [];
  if (!isMap(tree)) throw new TreeError('must be an object');
  if (tree.size > maxFiles) throw new TreeError(`has more than ${maxFiles} files`);
  return [...tree].map(([path, file]) => parseFile(path, file));
}

function parseFile(path: string, file: Tree): ConfigFile {
  const at = JSON.stringify(path);
  if (!isMap(file)) throw new TreeError(`${at} must be an object`);
  const parser = file.get('parser');
  if (!isParser(parser)) throw new TreeError(`${at} needs a parser: ${parsers.join(', ')}`);
  const find = file.get('find') ?? null;
  const changes = isMap(find) ? [...find] : [];
  if (!isMap(find) && find !== null && !(Array.isArray(find) && find.length === 0))
    throw new TreeError(`${at} needs an object "find"`);
  if (changes.length > maxChanges) throw new TreeError(`${at} has more than ${maxChanges} changes`);
  return {
    path: configPath(path),
    parser,
    isCreated: file.get('create_file') !== false,
    changes: changes.map(([key, value]) => ({ key, value: changeOf(at, key, value) })),
  };
}

function isParser(value: Tree | undefined): value is Parser {
  return parsers.some((parser) => parser === value);
}

function changeOf(at: string, key: string, value: Tree): ConfigChange['value'] {
  if (isMap(value)) return [...value].map(([match, to]) => ({ match, value: scalarOf(at, key, to) }));
  return scalarOf(at, key, value);
}

function scalarOf(at: string, key: string, value: Tree): ConfigValue {
  if (value === null) return '';
  if (typeof value === 'object')
    throw new TreeError(`${at}: the value of ${JSON.stringify(key)} is neither text nor a match`);
  return value;
}

const home = '/home/container/';
const maxPathLength = 512;

/**
 * Relative to the server's root. Runs again after placeholders are filled. Throws TreeError for a path that could leave
 * the root.
 */
export function configPath(path: string): string {
  const inside = path.startsWith(home) ? path.slice(home.length) : path;
  const split = splitFilePath(inside);
  if ('problem' in split || split.names.length === 0 || inside.length > maxPathLength) {
    throw new TreeError(`${JSON.stringify(path.slice(0, 100))} is not a path inside the server`);
  }
  return split.names.join('/');
}
