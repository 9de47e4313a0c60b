import type { ServerPermission } from '@panel/protos/permissions';
import type { FileGrant } from '@panel/rpc';
import { fail } from '../reasons.js';

export interface SftpAccess {
  readonly userId: string;
  /** For "file.sftp". */
  readonly grant: FileGrant;
  /** Subuser permissions, or "*". */
  readonly permissions: readonly string[];
}

export function hasPermission({ permissions }: SftpAccess, permission: ServerPermission): boolean {
  return permissions.includes('*') || permissions.includes(permission);
}

/** Throws PERMISSION_MISSING. */
export function grantFor(access: SftpAccess, permission: ServerPermission): FileGrant {
  if (!hasPermission(access, permission)) {
    throw fail('PERMISSION_MISSING', `this needs the right ${permission}`, { permission });
  }
  return { ...access.grant, permission };
}

/** `<username>.<first 8 characters of the server id>`, split at the last dot. */
export function parseSftpUsername(text: string): { readonly username: string; readonly serverShortId: string } | null {
  const match = /^([^\s]{1,255})\.([0-9a-fA-F]{8})$/.exec(text);
  const [, username, serverShortId] = match ?? [];
  return username && serverShortId ? { username, serverShortId: serverShortId.toLowerCase() } : null;
}
