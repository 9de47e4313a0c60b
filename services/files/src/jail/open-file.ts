import * as fs from 'node:fs';
import { promisify } from 'node:util';

export interface OpenFile {
  readonly fd: number;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  write(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesWritten: number }>;
  truncate(lengthBytes: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  /** Seconds since 1970. */
  utimes(accessed: number, modified: number): Promise<void>;
  sync(): Promise<void>;
  stat(options: { readonly bigint: true }): Promise<fs.BigIntStats>;
  close(): Promise<void>;
}

const [read, write, close] = [promisify(fs.read), promisify(fs.write), promisify(fs.close)];
const [ftruncate, fchmod, futimes, fsync] = [
  promisify(fs.ftruncate),
  promisify(fs.fchmod),
  promisify(fs.futimes),
  promisify(fs.fsync),
];
const fstat = promisify(fs.fstat) as (fd: number, options: { readonly bigint: true }) => Promise<fs.BigIntStats>;

/** Owns the descriptor; fails after close, when its number may be reused. */
export function openFileOf(descriptor: number): OpenFile {
  let isOpen = true;
  const fd = () => {
    if (isOpen) return descriptor;
    throw new TypeError('the file is closed');
  };
  return {
    get fd() {
      return fd();
    },
    read: async (...input) => read(fd(), ...input),
    write: async (...input) => write(fd(), ...input),
    truncate: async (lengthBytes) => ftruncate(fd(), lengthBytes),
    chmod: async (mode) => fchmod(fd(), mode),
    utimes: async (accessed, modified) => futimes(fd(), accessed, modified),
    sync: async () => fsync(fd()),
    stat: async (options) => fstat(fd(), options),
    close: async () => {
      const last = fd();
      isOpen = false;
      await close(last);
    },
  };
}
