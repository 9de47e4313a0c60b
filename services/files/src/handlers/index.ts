import { AppError, serve, type ServedService } from '@panel/kit';
import { FileServiceService, VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { copyFile } from './copy-file.js';
import { createDirectory } from './create-directory.js';
import { createVolume } from './create-volume.js';
import { deleteFiles } from './delete-files.js';
import { deleteVolume } from './delete-volume.js';
import { getDataRoot } from './get-data-root.js';
import { getVolumeUsage } from './get-volume-usage.js';
import { listDirectory } from './list-directory.js';
import { readFile } from './read-file.js';
import { renameFiles } from './rename-files.js';
import { rewriteConfigFiles } from './rewrite-config-files.js';
import { writeFile } from './write-file.js';

function comingSoon(): never {
  throw new AppError('unimplemented', 'NOT_IMPLEMENTED', 'volumes cannot be transferred yet');
}

/** Everything files answers. */
export function createHandlers(context: FilesContext): ServedService[] {
  return [
    serve(VolumeServiceService, {
      createVolume: createVolume(context),
      deleteVolume: deleteVolume(context),
      getVolumeUsage: getVolumeUsage(context),
      rewriteConfigFiles: rewriteConfigFiles(context),
      getDataRoot: getDataRoot(context),
      exportVolume: comingSoon,
      receiveVolume: comingSoon,
      discardVolumeTransfer: comingSoon,
      verifyVolume: comingSoon,
    }),
    serve(FileServiceService, {
      listDirectory: listDirectory(context),
      readFile: readFile(context),
      writeFile: writeFile(context),
      createDirectory: createDirectory(context),
      renameFiles: renameFiles(context),
      copyFile: copyFile(context),
      deleteFiles: deleteFiles(context),
    }),
  ];
}
