import { fail } from '../reasons.js';
import { createIgnoreRules } from './ignore-rules.js';

/** The files that the egg's author protects. */
interface Denylist {
  readonly isEmpty: boolean;
  /** Whether the path, or a directory above it, is on the list. `path` is relative to the root. */
  denies(path: string, isDirectory: boolean): boolean;
  /** Throws FILE_DENIED when the path, or a directory above it, is on the list. `path` is relative to the root. */
  check(path: string, isDirectory: boolean): void;
}

/** The patterns of a connection are the same list in all its requests. */
const known = new WeakMap<readonly string[], Denylist>();

/** A denylist from patterns in gitignore syntax; case counts, as it does on the disk. */
export function createDenylist(patterns: readonly string[]): Denylist {
  const denylist = known.get(patterns) ?? compile(patterns);
  known.set(patterns, denylist);
  return denylist;
}

function compile(patterns: readonly string[]): Denylist {
  const rules = createIgnoreRules(patterns);
  const isEmpty = patterns.length === 0;
  const denies = (path: string, isDirectory: boolean) =>
    !isEmpty && path !== '' && rules.ignores(Buffer.from(path).toString('latin1'), isDirectory);
  return {
    isEmpty,
    denies,
    check: (path, isDirectory) => {
      if (!denies(path, isDirectory)) return;
      throw fail('FILE_DENIED', 'this file is protected by the egg of the server');
    },
  };
}
