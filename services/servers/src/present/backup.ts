import { enumOf, wordOf } from '@panel/kit/records';
import {
  type Backup,
  Backup_State as StoredState,
  Backup_Storage as Storage,
  type RetainedBackup as StoredRetained,
} from '@panel/protos/files';
import { type RetainedBackup, type ServerBackup, ServerBackup_State as State } from '@panel/protos/servers';

/** Unknown states and storages are left out. */
export function presentBackup(backup: Backup): ServerBackup {
  const state = wordOf(StoredState, backup.state);
  return {
    ...backup,
    state: state === null ? State.UNSPECIFIED : enumOf(State, state),
    storage: wordOf(Storage, backup.storage) ?? '',
  };
}

export function presentRetainedBackup({
  backup,
  nodeId,
  serverName,
  keepTime,
  expireTime,
}: StoredRetained): RetainedBackup {
  const shown = backup && presentBackup(backup);
  return { backup: shown, serverId: backup?.serverId ?? '', serverName, nodeId, keepTime, expireTime };
}
