import { serve, type ServedService } from '@panel/rpc';
import { BackupServiceService, FileServiceService, VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { confirmBackup } from './backup/confirm-backup.js';
import { deleteBackup } from './backup/delete-backup.js';
import { deleteServerBackups } from './backup/delete-server-backups.js';
import { downloadBackup } from './backup/download-backup.js';
import { exportBackup } from './backup/export-backup.js';
import { failBackup } from './backup/fail-backup.js';
import { getBackup } from './backup/get-backup.js';
import { listBackupFiles } from './backup/list-backup-files.js';
import { listBackups } from './backup/list-backups.js';
import { listKeptBackups } from './backup/list-kept-backups.js';
import { receiveBackups } from './backup/receive-backups.js';
import { reserveBackup } from './backup/reserve-backup.js';
import { restoreBackup } from './backup/restore-backup.js';
import { runBackup } from './backup/run-backup.js';
import { setBackupLock } from './backup/set-backup-lock.js';
import { cancelFileOperation } from './file/cancel-file-operation.js';
import { chmodFiles } from './file/chmod-files.js';
import { compressFiles } from './file/compress-files.js';
import { decompressFile } from './file/decompress-file.js';
import { getFileOperation } from './file/get-file-operation.js';
import { listFileOperations } from './file/list-file-operations.js';
import { pullFile } from './file/pull-file.js';
import { searchFiles } from './file/search-files.js';
import { listTrash } from './file/list-trash.js';
import { restoreTrash } from './file/restore-trash.js';
import { emptyTrash } from './file/empty-trash.js';
import { listFileVersions } from './file/list-file-versions.js';
import { readFileVersion } from './file/read-file-version.js';
import { restoreFileVersion } from './file/restore-file-version.js';
import { copyFile } from './file/copy-file.js';
import { createDownloadLink } from './file/create-download-link.js';
import { readDirectoryAsArchive } from './file/read-directory-as-archive.js';
import { exchangeUpload } from './file/exchange-upload.js';
import { listUploads } from './file/list-uploads.js';
import { useDownloadLink } from './file/use-download-link.js';
import { createDirectory } from './file/create-directory.js';
import { createVolume } from './volume/create-volume.js';
import { deleteFiles } from './file/delete-files.js';
import { deleteVolume } from './volume/delete-volume.js';
import { discardVolumeTransfer } from './volume/discard-volume-transfer.js';
import { exportVolume } from './volume/export-volume.js';
import { freezeVolume } from './volume/freeze-volume.js';
import { getDataRoot } from './volume/get-data-root.js';
import { getVolumeUsage } from './volume/get-volume-usage.js';
import { listDirectory } from './file/list-directory.js';
import { readFile } from './file/read-file.js';
import { receiveVolume } from './volume/receive-volume.js';
import { renameFiles } from './file/rename-files.js';
import { rewriteConfigFiles } from './volume/rewrite-config-files.js';
import { setVolumeLimits } from './volume/set-volume-limits.js';
import { thawVolume } from './volume/thaw-volume.js';
import { verifyVolume } from './volume/verify-volume.js';
import { writeFile } from './file/write-file.js';

/** Everything files answers. */
export function createHandlers(context: FilesContext): ServedService[] {
  return [
    serve(BackupServiceService, {
      confirmBackup: confirmBackup(context),
      deleteBackup: deleteBackup(context),
      deleteServerBackups: deleteServerBackups(context),
      downloadBackup: downloadBackup(context),
      exportBackup: exportBackup(context),
      failBackup: failBackup(context),
      getBackup: getBackup(context),
      listBackupFiles: listBackupFiles(context),
      listBackups: listBackups(context),
      listKeptBackups: listKeptBackups(context),
      receiveBackups: receiveBackups(context),
      reserveBackup: reserveBackup(context),
      restoreBackup: restoreBackup(context),
      runBackup: runBackup(context),
      setBackupLock: setBackupLock(context),
    }),
    serve(VolumeServiceService, {
      createVolume: createVolume(context),
      deleteVolume: deleteVolume(context),
      setVolumeLimits: setVolumeLimits(context),
      getVolumeUsage: getVolumeUsage(context),
      rewriteConfigFiles: rewriteConfigFiles(context),
      getDataRoot: getDataRoot(context),
      exportVolume: exportVolume(context),
      receiveVolume: receiveVolume(context),
      discardVolumeTransfer: discardVolumeTransfer(context),
      freezeVolume: freezeVolume(context),
      thawVolume: thawVolume(context),
      verifyVolume: verifyVolume(context),
    }),
    serve(FileServiceService, {
      listDirectory: listDirectory(context),
      readFile: readFile(context),
      createDownloadLink: createDownloadLink(context),
      useDownloadLink: useDownloadLink(context),
      readDirectoryAsArchive: readDirectoryAsArchive(context),
      writeFile: writeFile(context),
      exchangeUpload: exchangeUpload(context),
      listUploads: listUploads(context),
      createDirectory: createDirectory(context),
      renameFiles: renameFiles(context),
      copyFile: copyFile(context),
      deleteFiles: deleteFiles(context),
      chmodFiles: chmodFiles(context),
      searchFiles: searchFiles(context),
      compressFiles: compressFiles(context),
      decompressFile: decompressFile(context),
      pullFile: pullFile(context),
      listTrash: listTrash(context),
      restoreTrash: restoreTrash(context),
      emptyTrash: emptyTrash(context),
      listFileVersions: listFileVersions(context),
      readFileVersion: readFileVersion(context),
      restoreFileVersion: restoreFileVersion(context),
      listFileOperations: listFileOperations(context),
      getFileOperation: getFileOperation(context),
      cancelFileOperation: cancelFileOperation(context),
    }),
  ];
}
