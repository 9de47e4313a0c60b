import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { KeyedMutex } from '@panel/kit/async';
import { isErrno } from '@panel/kit/errors';
import { ConfigError, readJson, writeJson } from '@panel/kit/process';
import { z } from 'zod';
import { volumesName } from './volumes.js';

const schema = z.object({
  nodeId: z.uuid(),
  backupDirectory: z.string().optional(),
  epoch: z.int().nonnegative().optional(),
});
type Identity = z.output<typeof schema>;

export interface DataRootIdentity {
  readonly id: string;
  /** The records have counted so many changes to which servers have files here. */
  epoch(): number;
  /** On the disk when it resolves. An earlier one changes nothing. */
  advance(epoch: number): Promise<void>;
}

/** In the data root and in the backup directory, which may be a disk of its own. */
const fileName = 'node.json';

/**
 * The identity of a data root, kept on its disk; new for one without servers. Binds the backup directory to it. Throws
 * ConfigError when the identity is lost, or the directory does not hold the backups of this node.
 */
export async function loadIdentity(dataRoot: string, backupDirectory: string): Promise<DataRootIdentity> {
  const file = path.join(dataRoot, fileName);
  const known = await readJson(file, schema);
  if (!known && (await hasVolumes(dataRoot))) {
    throw new ConfigError([
      `${file} is missing or damaged, but there are servers: write {"nodeId":"…"} into it, with the data_root_id that the panel shows for this node`,
    ]);
  }
  const identity: Identity = known ?? { nodeId: randomUUID() };
  await bindBackups(identity, backupDirectory);
  const bound = { ...identity, backupDirectory };
  if (identity.backupDirectory !== backupDirectory) await writeJson(file, bound);
  return identityIn(file, bound);
}

function identityIn(file: string, identity: Identity): DataRootIdentity {
  const writes = new KeyedMutex();
  let { epoch: last = 0 } = identity;
  return {
    id: identity.nodeId,
    epoch: () => last,
    advance: async (epoch) =>
      writes.run(file, async () => {
        if (epoch <= last) return;
        await writeJson(file, { ...identity, epoch });
        last = epoch;
      }),
  };
}

async function bindBackups({ nodeId, backupDirectory: last }: Identity, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, fileName);
  const owner = await readJson(file, schema);
  if (owner?.nodeId === nodeId) return;
  if (owner) throw new ConfigError([`the backup directory ${directory} holds the backups of another data root`]);
  if (last === directory) {
    throw new ConfigError([
      `the backup directory ${directory} does not hold the backups of this node: is its disk mounted? ` +
        `For an empty one write {"nodeId":"${nodeId}"} to ${file}`,
    ]);
  }
  await writeJson(file, { nodeId });
}

async function hasVolumes(dataRoot: string): Promise<boolean> {
  try {
    return (await readdir(path.join(dataRoot, volumesName))).length > 0;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}
