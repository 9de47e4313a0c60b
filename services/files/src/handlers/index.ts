import { serve, type ServedService } from '@panel/rpc';
import { FileServiceService, VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { copyFile } from './copy-file.js';
import { createDirectory } from './create-directory.js';
import { createVolume } from './create-volume.js';
import { deleteFiles } from './delete-files.js';
import { deleteVolume } from './delete-volume.js';
import { discardVolumeTransfer } from './discard-volume-transfer.js';
import { exportVolume } from './export-volume.js';
import { freezeVolume } from './freeze-volume.js';
import { getDataRoot } from './get-data-root.js';
import { getVolumeUsage } from './get-volume-usage.js';
import { listDirectory } from './list-directory.js';
import { readFile } from './read-file.js';
import { receiveVolume } from './receive-volume.js';
import { renameFiles } from './rename-files.js';
import { rewriteConfigFiles } from './rewrite-config-files.js';
import { thawVolume } from './thaw-volume.js';
import { verifyVolume } from './verify-volume.js';
import { writeFile } from './write-file.js';

/** Everything files answers. */
export function createHandlers(context: FilesContext): ServedService[] {
  return [
    serve(VolumeServiceService, {
      createVolume: createVolume(context),
      deleteVolume: deleteVolume(context),
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
      writeFile: writeFile(context),
      createDirectory: createDirectory(context),
      renameFiles: renameFiles(context),
      copyFile: copyFile(context),
      deleteFiles: deleteFiles(context),
    }),
  ];
}
