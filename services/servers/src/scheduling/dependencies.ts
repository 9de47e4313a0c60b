import type { ServerPermission } from '@panel/protos/permissions';
import type { GameServer } from '../domain/servers/server.js';

export interface BackupRequest {
  readonly server: GameServer;
  readonly name: string;
  readonly ignoredFiles: readonly string[];
  /** User id of the author. */
  readonly requestedBy: string;
}

/** Resolves at acceptance. Throws the errors of a backup creation. */
export type StartBackup = (request: BackupRequest) => Promise<void>;

/** Throws SERVICE_UNAVAILABLE if the permission is unknown. */
export type HoldsPermission = (server: GameServer, userId: string, permission: ServerPermission) => Promise<boolean>;
