import { dumpDirectory } from '@panel/rpc';

/** Whether a path, relative to the root, is one of the dumps of databases that a backup carries, or their directory. */
export function isDump(path: string): boolean {
  return path === dumpDirectory || path.startsWith(`${dumpDirectory}/`);
}
