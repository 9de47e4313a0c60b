import { hostname, networkInterfaces } from 'node:os';
import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

interface DataRoot {
  readonly dataRootId: string;
  readonly epoch: number;
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly hostName: string;
  readonly addresses: string[];
  readonly systemTime: Date;
}

/** Throws DATA_ROOT_GONE. */
export async function readDataRoot({
  volumes,
  identity,
}: Pick<FilesContext, 'volumes' | 'identity'>): Promise<DataRoot> {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const addresses = [...new Set(interfaces.map(({ address }) => address))];
  const space = await mapFsErrors(async () => volumes.space());
  const machine = { hostName: hostname(), addresses, systemTime: new Date() };
  return { dataRootId: identity.id, epoch: identity.epoch(), ...space, ...machine };
}
