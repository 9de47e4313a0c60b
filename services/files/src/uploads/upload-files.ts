import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Upload } from '../domain/upload.js';
import { uuid } from '../domain/server-id.js';
import { ifExists, namesIn } from '../jail/paths.js';

type UploadRef = Pick<Upload, 'id' | 'serverId'>;

/** Outside volumes: inaccessible to games and other clients. */
export interface UploadFiles {
  /** False when it existed. */
  makeDirectory(serverId: string): Promise<boolean>;
  create(upload: UploadRef): Promise<void>;
  /** For writing; the caller closes it. Null when missing. */
  open(upload: UploadRef): Promise<FileHandle | null>;
  /** Null when missing. */
  sizeOf(upload: UploadRef): Promise<number | null>;
  directoryOf(serverId: string): string;
  /** Freed bytes on disk. */
  remove(upload: UploadRef): Promise<number>;
  /** On disk. */
  usedBytes(serverId: string): Promise<number>;
  deleteServer(serverId: string): Promise<void>;
  list(before: Date): Promise<UploadRef[]>;
}

export function createUploadFiles(directory: string): UploadFiles {
  const directoryOf = (serverId: string) => path.join(directory, serverId);
  const fileOf = ({ serverId, id }: UploadRef) => path.join(directoryOf(serverId), id);
  return {
    directoryOf,
    makeDirectory: async (serverId) =>
      (await mkdir(directoryOf(serverId), { recursive: true, mode: 0o700 })) !== undefined,
    create: async (upload) => {
      await (await open(fileOf(upload), 'wx', 0o600)).close();
    },
    open: async (upload) => ifExists(async () => open(fileOf(upload), constants.O_RDWR | constants.O_NOFOLLOW)),
    sizeOf: async (upload) => ifExists(async () => (await stat(fileOf(upload))).size),
    remove: async (upload) => {
      const blocks = await ifExists(async () => (await lstat(fileOf(upload))).blocks);
      await rm(fileOf(upload), { force: true });
      return (blocks ?? 0) * 512;
    },
    usedBytes: async (serverId) => {
      let blocks = 0;
      for (const id of await uuidsIn(directoryOf(serverId))) {
        blocks += (await ifExists(async () => (await lstat(fileOf({ serverId, id }))).blocks)) ?? 0;
      }
      return blocks * 512;
    },
    deleteServer: async (serverId) => rm(directoryOf(serverId), { recursive: true, force: true }),
    list: async (before) => {
      const found: UploadRef[] = [];
      for (const serverId of await uuidsIn(directory)) {
        for (const id of await uuidsIn(directoryOf(serverId))) {
          const ctimeMs = await ifExists(async () => (await lstat(fileOf({ serverId, id }))).ctimeMs);
          if (ctimeMs !== null && ctimeMs < before.getTime()) found.push({ serverId, id });
        }
      }
      return found;
    },
  };
}

async function uuidsIn(directory: string): Promise<string[]> {
  return (await namesIn(directory)).filter((name) => uuid.test(name));
}
