import { dirname } from 'node:path';
import { runtimeError } from '../reasons.js';
import type { Volume } from '../runtime.js';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const safePath = /^[A-Za-z0-9_./+@=:,-]+$/;
const mountPoints = /(?:\/home\/container|\/mnt\/server)(?![A-Za-z0-9_-])/g;

/** System paths and, for games, this machine's Node. */
export const programPath = `${systemPath}:${dirname(process.execPath)}`;

/** Nothing of the panel's own environment reaches a game. */
export function processEnvironment(
  volume: Volume,
  environment: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { PATH: programPath, HOME: volume.path, ...extra, ...environment };
}

/** Throws INVALID_SPEC when the volume's path is unsafe in shell text. */
export function replaceMountPoints(text: string, volume: Volume): string {
  if (!safePath.test(volume.path) && text.search(mountPoints) >= 0) {
    throw runtimeError('INVALID_SPEC', "the data directory's path holds characters a shell reads", {
      field: 'volume.path',
    });
  }
  return text.replace(mountPoints, () => volume.path);
}

/** Null: this process's user, without root. */
export function userOf(volume: Volume): { uid: number; gid: number } | null {
  return process.getuid?.() === 0 && volume.uid !== 0 ? { uid: volume.uid, gid: volume.gid } : null;
}
