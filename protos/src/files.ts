import { BackupServiceService as Backups } from '../gen/panel/files/v1/backup.js';
import { FileServiceService as Files } from '../gen/panel/files/v1/file.js';
import { decodeChunks, encodeChunks } from './chunk-encoding.js';

export * from '../gen/panel/files/v1/backup.js';
export * from '../gen/panel/files/v1/file.js';

const chunkOf = (value: Buffer) => ({ part: { $case: 'chunk' as const, value } });

/** The generated service, whose calls that carry files encode them faster. */
export const FileServiceService = {
  ...Files,
  readFile: {
    ...Files.readFile,
    responseSerialize: encodeChunks(Files.readFile.responseSerialize),
    responseDeserialize: decodeChunks(Files.readFile.responseDeserialize, chunkOf),
  },
  writeFile: {
    ...Files.writeFile,
    requestSerialize: encodeChunks(Files.writeFile.requestSerialize),
    requestDeserialize: decodeChunks(Files.writeFile.requestDeserialize, chunkOf),
  },
  exchangeUpload: {
    ...Files.exchangeUpload,
    requestSerialize: encodeChunks(Files.exchangeUpload.requestSerialize),
    requestDeserialize: decodeChunks(Files.exchangeUpload.requestDeserialize, chunkOf),
  },
};
export type FileServiceService = typeof FileServiceService;

/** The generated service, whose calls that carry backups encode them faster. */
export const BackupServiceService = {
  ...Backups,
  downloadBackup: {
    ...Backups.downloadBackup,
    responseSerialize: encodeChunks(Backups.downloadBackup.responseSerialize),
    responseDeserialize: decodeChunks(Backups.downloadBackup.responseDeserialize, chunkOf),
  },
};
export type BackupServiceService = typeof BackupServiceService;
