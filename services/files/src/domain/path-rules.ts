import type { PathAccess, PathRule } from '@panel/rpc';

/** Lists of rules that all have to allow a path. Paths are relative to the root, without a slash in front. */
export interface PathRules {
  readonly isEmpty: boolean;
  /** What may be done with a path. */
  accessTo(path: string): PathAccess;
  /** Whether something below a directory may be read although the directory itself may not. */
  leadsToReadable(path: string): boolean;
  /** Whether rules say something about what is below a directory that they do not say about the directory itself. */
  mayDifferBelow(path: string): boolean;
}

interface CompiledRule {
  readonly names: readonly string[];
  readonly access: PathAccess;
}

const anyDepth = '**';
const order: Readonly<Record<PathAccess, number>> = { deny: 0, read_only: 1, allow: 2 };

export function createPathRules(lists: readonly (readonly PathRule[])[] = []): PathRules {
  const compiled = lists.map((rules) => rules.map(({ path, access }) => ({ names: namesOf(path), access })));
  return {
    isEmpty: compiled.length === 0,
    accessTo: (path) => lowest(compiled.map((rules) => accessIn(rules, namesOf(path)))),
    leadsToReadable: (path) => {
      const names = namesOf(path);
      return compiled.every(
        (rules) =>
          accessIn(rules, names) !== 'deny' ||
          rules.some(({ names: pattern, access }) => access !== 'deny' && reachesBelow(pattern, names)),
      );
    },
    mayDifferBelow: (path) => {
      const names = namesOf(path);
      return compiled.some((rules) => rules.some(({ names: pattern }) => reachesBelow(pattern, names)));
    },
  };
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

function lowest(accesses: readonly PathAccess[]): PathAccess {
  return accesses.reduce<PathAccess>((least, access) => (order[access] < order[least] ? access : least), 'allow');
}

/** The last rule that matches decides. */
function accessIn(rules: readonly CompiledRule[], names: readonly string[]): PathAccess {
  return rules.findLast(({ names: pattern }) => matchesSelfOrAbove(pattern, names))?.access ?? 'allow';
}

/** Whether a pattern matches a path or a directory above it. */
function matchesSelfOrAbove(pattern: readonly string[], names: readonly string[]): boolean {
  const deep = [...pattern, anyDepth];
  return reachable(deep, names).has(deep.length);
}

/** Whether a pattern can match something below a directory without matching the directory. */
function reachesBelow(pattern: readonly string[], names: readonly string[]): boolean {
  const reached = reachable(pattern, names);
  return [...reached].some((position) => position < pattern.length);
}

/** The positions in a pattern at which a match of these names can stand. */
function reachable(pattern: readonly string[], names: readonly string[]): Set<number> {
  let positions = withSkips(pattern, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const position of positions) {
      const wanted = pattern[position];
      if (wanted === undefined) continue;
      if (wanted === anyDepth) next.add(position);
      else if (isNameMatch(wanted, name)) next.add(position + 1);
    }
    positions = withSkips(pattern, next);
  }
  return positions;
}

/** `**` also stands for no directory at all. */
function withSkips(pattern: readonly string[], positions: ReadonlySet<number>): Set<number> {
  const all = new Set(positions);
  for (const position of all) if (pattern[position] === anyDepth) all.add(position + 1);
  return all;
}

/** Linear in the length of both, whatever the pattern: only the last `*` is ever tried again. */
function isNameMatch(pattern: string, name: string): boolean {
  let [at, position, star, resume] = [0, 0, -1, 0];
  while (at < name.length) {
    const wanted = pattern[position];
    if (wanted === '*') [star, resume, position] = [position, at, position + 1];
    else if (wanted === '?' || (wanted !== undefined && wanted === name[at])) [at, position] = [at + 1, position + 1];
    else if (star >= 0) [position, resume, at] = [star + 1, resume + 1, resume + 1];
    else return false;
  }
  while (pattern[position] === '*') position += 1;
  return position === pattern.length;
}
