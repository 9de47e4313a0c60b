import { serialize } from 'bson';
import type { Request } from './wire.js';

/**
 * Commands that may reach the engine: what drivers send for data, indexes and the handshake. Some of the rest abort the
 * whole engine process (`killAllSessions` does), so that nothing that is not named here is let through.
 */
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

/** Commands that need room on the disk. */
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

/** The error document for a request that must not reach the engine, or undefined when it may. */
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

/** What mongod answers, by the code that drivers know. */
export function outOfDiskSpace(): Uint8Array {
  return errorDocument(14031, 'OutOfDiskSpace', 'the disk of the database has too little room for writes');
}

export function errorDocument(code: number, codeName: string, errmsg: string): Uint8Array {
  return serialize({ ok: 0, errmsg, code, codeName });
}
