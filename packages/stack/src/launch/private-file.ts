import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Owner-readable, atomic, also across a power failure. */
export function writePrivateJson(file: string, content: unknown): void {
  const draft = `${file}.${process.pid}.tmp`;
  withFile(draft, 'w', (fd) => {
    writeFileSync(fd, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(fd);
  });
  renameSync(draft, file);
  withFile(path.dirname(file), 'r', fsyncSync);
}

/** Undefined without a file, null for a damaged one. */
export function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${String(error)}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function withFile(file: string, flags: 'r' | 'w', use: (fd: number) => void): void {
  const fd = openSync(file, flags, 0o600);
  try {
    use(fd);
  } finally {
    closeSync(fd);
  }
}
