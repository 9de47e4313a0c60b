import type { ServerPermission } from '@panel/protos/permissions';
import type { GameServer } from '../domain/servers/server.js';

/**
 * The limit of console commands, which schedules share with the API: a command counts once, by whichever way it came. That of
 * backups is counted where backups are made.
 */
export interface CommandLimiter {
  /** Count one. Throws SERVER_RATE_LIMITED. */
  countCommand(serverId: string): Promise<void>;
  close(): void;
}

/** What a backup task asks for. */
export interface BackupRequest {
  readonly server: GameServer;
  readonly name: string;
  readonly ignoredFiles: readonly string[];
  /** User id of the author. */
  readonly requestedBy: string;
}

/** Accept a backup; it goes on when this resolves. Throws what creating a backup throws. */
export type StartBackup = (request: BackupRequest) => Promise<void>;

/** Whether a user holds a permission on a server now. Throws SERVICE_UNAVAILABLE when that cannot be learned. */
export type HoldsPermission = (server: GameServer, userId: string, permission: ServerPermission) => Promise<boolean>;
