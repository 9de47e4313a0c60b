import type { FileGrant } from '@panel/rpc';
import { fail } from '../reasons.js';
import { createDenylist } from './denylist.js';
import { isChanging } from './grant.js';
import { createPathRules } from './path-rules.js';

/** Checks the egg's denylist and a subuser's path rules. Paths are relative to the root. */
export interface FileGuard {
  readonly isEmpty: boolean;
  /** Whether `check` throws. */
  denies(path: string, isDirectory: boolean): boolean;
  /** Throws FILE_DENIED (denylist, with directories above), PATH_FORBIDDEN (path rules). */
  check(path: string, isDirectory: boolean): void;
  /** Whether path rules conceal it. */
  hides(path: string, isDirectory: boolean): boolean;
  /** Throws PATH_FORBIDDEN when `hides`. */
  requireVisible(path: string, isDirectory: boolean): void;
  /** Whether path rules may differ below the directory. */
  differsBelow(path: string): boolean;
  /** Throws PATH_FORBIDDEN when `differsBelow`. */
  requireUniformBelow(path: string): void;
}

/** `guard` follows the grant's permission; `readGuard` is for incidental reads. */
export function createFileGuards(grant: FileGrant): { readonly guard: FileGuard; readonly readGuard: FileGuard } {
  const readGuard = createGuard(grant, false);
  return { guard: isChanging(grant) ? createGuard(grant, true) : readGuard, readGuard };
}

export function createFileGuard(grant: FileGrant): FileGuard {
  return createGuard(grant, isChanging(grant));
}

function createGuard({ denylist: patterns, pathRules }: FileGrant, isWriting: boolean): FileGuard {
  const denylist = createDenylist(patterns);
  const rules = createPathRules(pathRules);
  const hides = (path: string, isDirectory: boolean) =>
    !rules.isEmpty && rules.accessTo(path) === 'deny' && !(isDirectory && rules.leadsToReadable(path));
  const forbids = (path: string, isDirectory: boolean) =>
    isWriting ? !rules.isEmpty && rules.accessTo(path) !== 'allow' : hides(path, isDirectory);
  return {
    isEmpty: denylist.isEmpty && rules.isEmpty,
    denies: (path, isDirectory) => denylist.denies(path, isDirectory) || forbids(path, isDirectory),
    check: (path, isDirectory) => {
      denylist.check(path, isDirectory);
      if (forbids(path, isDirectory)) throw forbidden();
    },
    hides,
    requireVisible: (path, isDirectory) => {
      if (hides(path, isDirectory)) throw forbidden();
    },
    differsBelow: (path) => rules.mayDifferBelow(path),
    requireUniformBelow: (path) => {
      if (rules.mayDifferBelow(path)) throw forbidden();
    },
  };
}

function forbidden() {
  return fail('PATH_FORBIDDEN', 'your access to this server does not include this');
}
