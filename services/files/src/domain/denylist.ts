import { fail } from '../reasons.js';
import { createIgnoreRules } from './ignore-rules.js';

/** The egg's protected files. */
interface Denylist {
  readonly isEmpty: boolean;
  /** Includes directories above; `path` is relative to the root. */
  denies(path: string, isDirectory: boolean): boolean;
  /** Throws FILE_DENIED when it denies the path. */
  check(path: string, isDirectory: boolean): void;
}

/** By identity: a connection reuses its list. */
const known = new WeakMap<readonly string[], Denylist>();

/** From case-sensitive gitignore patterns. */
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
