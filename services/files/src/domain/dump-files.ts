import { dumpDirectory } from '@panel/rpc';

/** `path` is relative to the root. */
export function isDump(path: string): boolean {
  return path === dumpDirectory || path.startsWith(`${dumpDirectory}/`);
}
