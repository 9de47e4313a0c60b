import { fail } from '../reasons.js';
import { createIgnoreRules } from './ignore-rules.js';

interface Denylist {
  readonly isEmpty: boolean;
  /** With directories above; `path` is relative. */
  denies(path: string, isDirectory: boolean): boolean;
  /** Throws FILE_DENIED. */
  check(path: string, isDirectory: boolean): void;
}

/** A connection reuses its list. */
const known = new WeakMap<readonly string[], Denylist>();

/** gitignore patterns, case-sensitive. */
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
