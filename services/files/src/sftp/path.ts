import path from 'node:path';
import { parsePath, type Segments } from '../domain/path.js';

/** `..` stops at the server's root. Throws INVALID_FIELDS as `parsePath`. */
export function parseSftpPath(text: string): Segments {
  return parsePath(resolveSftpPath(text), 'path');
}

export function resolveSftpPath(text: string): string {
  return path.posix.resolve('/', text);
}
