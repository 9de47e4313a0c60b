import { dirname } from 'node:path';
import { runtimeError } from '../reasons.js';
import type { Volume } from '../runtime.js';

/** What a game or installer of this driver finds around it, instead of a container. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const safePath = /^[A-Za-z0-9_./+@=:,-]+$/;
const mountPoints = /(?:\/home\/container|\/mnt\/server)(?![A-Za-z0-9_-])/g;

/** Where programs are looked for: the system's places and, for games written for it, this machine's Node. */
export const programPath = `${systemPath}:${dirname(process.execPath)}`;

/** Exactly this: nothing of the panel's own environment reaches a game. */
export function processEnvironment(
  volume: Volume,
  environment: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { PATH: programPath, HOME: volume.path, ...extra, ...environment };
}

/**
 * Startup commands and scripts name the places a container has, /home/container and /mnt/server: here both are the
 * volume itself. Throws INVALID_SPEC when its path could not stand in shell text as it is.
 */
export function replaceMountPoints(text: string, volume: Volume): string {
  if (!safePath.test(volume.path) && text.search(mountPoints) >= 0) {
    throw runtimeError('INVALID_SPEC', "the data directory's path holds characters a shell reads", {
      field: 'volume.path',
    });
  }
  return text.replace(mountPoints, () => volume.path);
}

/** The user to run as: the volume's when this process may choose, else its own. */
export function userOf(volume: Volume): { uid: number; gid: number } | null {
  return process.getuid?.() === 0 && volume.uid !== 0 ? { uid: volume.uid, gid: volume.gid } : null;
}
