import { serialize } from 'bson';
import type { Request } from './wire.js';

/** Drivers' data, index and handshake commands. Some others abort the whole engine process (`killAllSessions` does). */
const allowed = new Set([
  'aggregate',
  'buildInfo',
  'buildinfo',
  'collStats',
  'collstats',
  'count',
  'create',
  'createIndexes',
  'dbStats',
  'dbstats',
  'delete',
  'distinct',
  'drop',
  'dropDatabase',
  'dropIndexes',
  'explain',
  'find',
  'findAndModify',
  'findandmodify',
  'getMore',
  'hello',
  'insert',
  'isMaster',
  'ismaster',
  'killCursors',
  'listCollections',
  'listDatabases',
  'listIndexes',
  'ping',
  'renameCollection',
  'update',
  'validate',
]);

const writing = new Set([
  'create',
  'createIndexes',
  'delete',
  'findAndModify',
  'findandmodify',
  'insert',
  'renameCollection',
  'update',
]);

const handshake = new Set(['hello', 'isMaster', 'ismaster']);

export function isHandshake(command: string): boolean {
  return handshake.has(command);
}

/** Undefined when allowed. */
export function refuse(request: Request): Uint8Array | undefined {
  if (!allowed.has(request.command) || (request.legacy && !isHandshake(request.command))) {
    return errorDocument(59, 'CommandNotFound', `no such command: '${request.command.slice(0, 64)}'`);
  }
  if (request.sessionField !== undefined) {
    return errorDocument(20, 'IllegalOperation', 'sessions and transactions are not supported');
  }
  return undefined;
}

export function isWrite(command: string): boolean {
  return writing.has(command);
}

/** mongod's answer, with the code that drivers handle. */
export function outOfDiskSpace(): Uint8Array {
  return errorDocument(14031, 'OutOfDiskSpace', 'the disk of the database has too little room for writes');
}

export function errorDocument(code: number, codeName: string, errmsg: string): Uint8Array {
  return serialize({ ok: 0, errmsg, code, codeName });
}
