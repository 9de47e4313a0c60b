import { dumpDirectory } from '@panel/rpc';

/** The directory or a file of database dumps; `path` is relative to the root. */
export function isDump(path: string): boolean {
  return path === dumpDirectory || path.startsWith(`${dumpDirectory}/`);
}
