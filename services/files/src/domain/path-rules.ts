import type { PathAccess, PathRule } from '@panel/rpc';

/** Every list must allow it. Paths are relative, without leading slash. */
export interface PathRules {
  readonly isEmpty: boolean;
  accessTo(path: string): PathAccess;
  /** Whether something below an unreadable directory may be readable. */
  leadsToReadable(path: string): boolean;
  /** Whether rules apply below a directory but not to itself. */
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

/** The last match decides. */
function accessIn(rules: readonly CompiledRule[], names: readonly string[]): PathAccess {
  return rules.findLast(({ names: pattern }) => matchesSelfOrAbove(pattern, names))?.access ?? 'allow';
}

function matchesSelfOrAbove(pattern: readonly string[], names: readonly string[]): boolean {
  const deep = [...pattern, anyDepth];
  return reachable(deep, names).has(deep.length);
}

/** Whether it can match below a directory without matching it. */
function reachesBelow(pattern: readonly string[], names: readonly string[]): boolean {
  const reached = reachable(pattern, names);
  return [...reached].some((position) => position < pattern.length);
}

/** Possible positions after these names. */
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

/** `**` also matches no directory. */
function withSkips(pattern: readonly string[], positions: ReadonlySet<number>): Set<number> {
  const all = new Set(positions);
  for (const position of all) if (pattern[position] === anyDepth) all.add(position + 1);
  return all;
}

/** Bounded time: backtracks only to the last `*`. */
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
