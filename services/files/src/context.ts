import {
  connect,
  createExportGrantSigner,
  createGrantSigner,
  type ExportGrantSigner,
  type GrantSigner,
  serviceActor,
  type ServiceBase,
} from '@panel/rpc';
import { isAppError, type TaskGroup } from '@panel/kit';
import type { FilesConfig } from './config.js';
import { Creations } from './creations.js';
import { createKeyedLock, type KeyedLock } from './jail/keyed-lock.js';
import { measureTree } from './jail/measure.js';
import { createTemporaries, type Temporaries } from './jail/temporaries.js';
import { createUsageMeter, type UsageMeter } from './jail/usage.js';
import {
  creationsDirectory,
  openVolumes,
  type Owner,
  transfersDirectory,
  volumeOf,
  type Volumes,
} from './jail/volumes.js';
import { FreezeStore } from './transfer/freeze-store.js';
import { Freezes } from './transfer/freezes.js';
import { TransferStore } from './transfer/transfer-store.js';
import { Transfers } from './transfer/transfers.js';

/** What the handlers hold. */
export interface FilesContext {
  readonly grants: GrantSigner;
  readonly volumes: Volumes;
  readonly usage: UsageMeter;
  readonly temporaries: Temporaries;
  /** One writer at a time per file, so that each sees what the one before has written. */
  readonly lock: KeyedLock;
  readonly owner: Owner;
  readonly tasks: TaskGroup;
  readonly exportGrants: ExportGrantSigner;
  /** By server id: one at a time makes, takes away or replaces a server's volume. */
  readonly volumeLock: KeyedLock;
  /** What is being made by calls that may be repeated. */
  readonly creations: Creations;
  /** The volumes that are about to leave, and whoever changes one. */
  readonly freezes: Freezes;
  /** The volumes that arrive from other nodes. */
  readonly transfers: Transfers;
}

const usageMaxAgeMs = 60_000;
const usagePatienceMs = 3_000;
/** A game that moves directories about while they are measured is measured again, but not for ever. */
const maxMeasureTries = 3;

export async function createContext(
  base: Pick<ServiceBase, 'tasks' | 'signer'>,
  config: FilesConfig,
): Promise<FilesContext> {
  const temporaries = createTemporaries();
  const volumes = await openVolumes(config.dataRoot, config.owner);
  const measure = async (serverId: string) =>
    volumes.open(volumeOf(serverId), async (root) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await measureTree(root, base.tasks.signal, temporaries);
        } catch (error) {
          if (!isAppError(error, 'TREE_MOVED') || tries === maxMeasureTries) throw error;
        }
      }
    });
  const usage = createUsageMeter({ maxAgeMs: usageMaxAgeMs, patienceMs: usagePatienceMs, measure });
  const volumeLock = createKeyedLock();
  const { owner } = config;
  const directory = transfersDirectory(config.dataRoot);
  return {
    grants: createGrantSigner(config.serviceSecret),
    volumes,
    usage,
    temporaries,
    lock: createKeyedLock(),
    owner,
    tasks: base.tasks,
    exportGrants: createExportGrantSigner(config.serviceSecret),
    volumeLock,
    creations: await Creations.open(creationsDirectory(config.dataRoot)),
    freezes: await Freezes.open(new FreezeStore(directory)),
    transfers: new Transfers({
      volumes,
      store: new TransferStore(directory),
      owner,
      temporaries,
      usage,
      volumeLock,
      tasks: base.tasks,
      connectTo: (address) => connect({ address, signer: base.signer, actor: serviceActor('files'), tls: config.tls }),
    }),
  };
}
