import { FileServiceService } from '@panel/protos/files';
import { serve, type ServedService } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { handleCancelFileOperation } from './cancel-file-operation.js';
import { handleChmodFiles } from './chmod-files.js';
import { handleCompressFiles } from './compress-files.js';
import { handleCopyFile } from './copy-file.js';
import { handleCreateDirectory } from './create-directory.js';
import { handleCreateDownloadLink } from './create-download-link.js';
import { handleDecompressFile } from './decompress-file.js';
import { handleDeleteFiles } from './delete-files.js';
import { handleEmptyTrash } from './empty-trash.js';
import { handleExchangeUpload } from './exchange-upload.js';
import { handleGetFileOperation } from './get-file-operation.js';
import { handleReleaseDownloadLink } from './release-download-link.js';
import { handleListDirectory } from './list-directory.js';
import { handleListFileOperations } from './list-file-operations.js';
import { handleListFileVersions } from './list-file-versions.js';
import { handleListTrash } from './list-trash.js';
import { handleListUploads } from './list-uploads.js';
import { handlePullFile } from './pull-file.js';
import { handleReadDirectoryAsArchive } from './read-directory-as-archive.js';
import { handleReadFile } from './read-file.js';
import { handleReadFileVersion } from './read-file-version.js';
import { handleRenameFiles } from './rename-files.js';
import { handleRestoreFileVersion } from './restore-file-version.js';
import { handleRestoreTrash } from './restore-trash.js';
import { handleSearchFiles } from './search-files.js';
import { handleUseDownloadLink } from './use-download-link.js';
import { handleWriteFile } from './write-file.js';

export function createFileService(context: FilesContext): ServedService {
  return serve(FileServiceService, {
    listDirectory: handleListDirectory(context),
    readFile: handleReadFile(context),
    createDownloadLink: handleCreateDownloadLink(context),
    useDownloadLink: handleUseDownloadLink(context),
    releaseDownloadLink: handleReleaseDownloadLink(context),
    readDirectoryAsArchive: handleReadDirectoryAsArchive(context),
    writeFile: handleWriteFile(context),
    exchangeUpload: handleExchangeUpload(context),
    listUploads: handleListUploads(context),
    createDirectory: handleCreateDirectory(context),
    renameFiles: handleRenameFiles(context),
    copyFile: handleCopyFile(context),
    deleteFiles: handleDeleteFiles(context),
    chmodFiles: handleChmodFiles(context),
    searchFiles: handleSearchFiles(context),
    compressFiles: handleCompressFiles(context),
    decompressFile: handleDecompressFile(context),
    pullFile: handlePullFile(context),
    listTrash: handleListTrash(context),
    restoreTrash: handleRestoreTrash(context),
    emptyTrash: handleEmptyTrash(context),
    listFileVersions: handleListFileVersions(context),
    readFileVersion: handleReadFileVersion(context),
    restoreFileVersion: handleRestoreFileVersion(context),
    listFileOperations: handleListFileOperations(context),
    getFileOperation: handleGetFileOperation(context),
    cancelFileOperation: handleCancelFileOperation(context),
  });
}
