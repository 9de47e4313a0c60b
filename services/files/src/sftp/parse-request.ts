import type { SentAttributes } from './packet-reader.js';
import { PacketReader } from './packet-reader.js';
import { malformedError, requestTypes } from './protocol.js';

interface WithPath {
  readonly path: string;
}

/** Distributes over kinds, for narrowing. */
type OneOf<K extends string, Fields> = { [Kind in K]: { readonly kind: Kind } & Fields }[K];

/** Responses repeat `id`. */
export type SftpRequest = { readonly id: number } & (
  | OneOf<'close' | 'fstat' | 'readdir' | 'fsync', { readonly handle: string }>
  | OneOf<'lstat' | 'stat' | 'opendir' | 'remove' | 'rmdir' | 'realpath' | 'readlink' | 'statvfs', WithPath>
  | OneOf<'setstat' | 'mkdir', WithPath & { readonly attributes: SentAttributes }>
  | OneOf<'rename' | 'posix-rename', { readonly from: string; readonly to: string }>
  | { readonly kind: 'open'; readonly path: string; readonly flags: number; readonly attributes: SentAttributes }
  | { readonly kind: 'read'; readonly handle: string; readonly offset: number; readonly length: number }
  | { readonly kind: 'write'; readonly handle: string; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'fsetstat'; readonly handle: string; readonly attributes: SentAttributes }
  | { readonly kind: 'limits' }
  | { readonly kind: 'unsupported' }
);

/** Of OpenSSH, with versions. */
export const extensions = [
  ['posix-rename@openssh.com', '1'],
  ['statvfs@openssh.com', '2'],
  ['fsync@openssh.com', '1'],
  ['limits@openssh.com', '1'],
] as const;

/** Throws SFTP_MALFORMED. */
export function parseRequest(packet: Buffer): SftpRequest {
  const reader = new PacketReader(packet);
  const type = reader.uint8();
  const id = reader.uint32();
  const handle = () => reader.bytes().toString('latin1');
  const path = () => reader.text();
  switch (type) {
    case requestTypes.open:
      return { id, kind: 'open', path: path(), flags: reader.uint32(), attributes: reader.attributes() };
    case requestTypes.close:
      return { id, kind: 'close', handle: handle() };
    case requestTypes.read:
      return { id, kind: 'read', handle: handle(), offset: reader.uint64(), length: reader.uint32() };
    case requestTypes.write:
      return { id, kind: 'write', handle: handle(), offset: reader.uint64(), data: reader.bytes() };
    case requestTypes.lstat:
      return { id, kind: 'lstat', path: path() };
    case requestTypes.fstat:
      return { id, kind: 'fstat', handle: handle() };
    case requestTypes.setstat:
      return { id, kind: 'setstat', path: path(), attributes: reader.attributes() };
    case requestTypes.fsetstat:
      return { id, kind: 'fsetstat', handle: handle(), attributes: reader.attributes() };
    case requestTypes.opendir:
      return { id, kind: 'opendir', path: path() };
    case requestTypes.readdir:
      return { id, kind: 'readdir', handle: handle() };
    case requestTypes.remove:
      return { id, kind: 'remove', path: path() };
    case requestTypes.mkdir:
      return { id, kind: 'mkdir', path: path(), attributes: reader.attributes() };
    case requestTypes.rmdir:
      return { id, kind: 'rmdir', path: path() };
    case requestTypes.realpath:
      return { id, kind: 'realpath', path: path() };
    case requestTypes.stat:
      return { id, kind: 'stat', path: path() };
    case requestTypes.rename:
      return { id, kind: 'rename', from: path(), to: path() };
    case requestTypes.readlink:
      return { id, kind: 'readlink', path: path() };
    case requestTypes.symlink:
      return { id, kind: 'unsupported' };
    case requestTypes.extended:
      return parseExtended(id, reader);
    default:
      throw malformedError();
  }
}

function parseExtended(id: number, reader: PacketReader): SftpRequest {
  switch (reader.text()) {
    case 'posix-rename@openssh.com':
      return { id, kind: 'posix-rename', from: reader.text(), to: reader.text() };
    case 'statvfs@openssh.com':
      return { id, kind: 'statvfs', path: reader.text() };
    case 'fsync@openssh.com':
      return { id, kind: 'fsync', handle: reader.bytes().toString('latin1') };
    case 'limits@openssh.com':
      return { id, kind: 'limits' };
    default:
      return { id, kind: 'unsupported' };
  }
}
