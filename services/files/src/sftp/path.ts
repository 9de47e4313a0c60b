import path from 'node:path';
import { parsePath, type Segments } from '../domain/path.js';

/**
 * A client's path, which begins at the server's root with or without a slash; `..` goes up and stays at the root. Throws
 * INVALID_FIELDS as `parsePath` does.
 */
export function parseSftpPath(text: string): Segments {
  return parsePath(resolveSftpPath(text), 'path');
}

export function resolveSftpPath(text: string): string {
  return path.posix.resolve('/', text);
}
