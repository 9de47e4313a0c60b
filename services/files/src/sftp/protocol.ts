import { fail } from '../reasons.js';

/* SFTP version 3 (draft-ietf-secsh-filexfer-02) with OpenSSH extensions (its PROTOCOL, section 4). */

export const requestTypes = {
  init: 1,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  symlink: 20,
  extended: 200,
} as const;

export const responseTypes = {
  version: 2,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extendedReply: 201,
} as const;

export const statusCodes = {
  ok: 0,
  eof: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  badMessage: 5,
  unsupported: 8,
} as const;

export type StatusCode = (typeof statusCodes)[keyof typeof statusCodes];

export const openFlags = { read: 1, write: 2, append: 4, create: 8, truncate: 16, exclusive: 32 } as const;
export const attributeFlags = { size: 1, owner: 2, permissions: 4, times: 8, extended: 0x80000000 } as const;

/** As in OpenSSH. */
export const maxPacketBytes = 256 * 1024;
/** Without the packet head. */
export const maxDataBytes = maxPacketBytes - 1024;
export const protocolVersion = 3;

/** Ends the session: packet boundaries are unreliable. */
export function malformedError() {
  return fail('SFTP_MALFORMED', 'this is not a valid SFTP packet');
}
