import { VolumeServiceService } from '@panel/protos/files';
import { serve, type ServedService } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { handleAdvanceEpoch } from './advance-epoch.js';
import { handleCreateVolume } from './create-volume.js';
import { handleDeleteVolume } from './delete-volume.js';
import { handleDiscardVolumeTransfer } from './discard-volume-transfer.js';
import { handleExportVolume } from './export-volume.js';
import { handleFreezeVolume } from './freeze-volume.js';
import { handleGetDataRoot } from './get-data-root.js';
import { handleGetVolumeUsage } from './get-volume-usage.js';
import { handleListVolumes } from './list-volumes.js';
import { handleMeasureVolumes } from './measure-volumes.js';
import { handleOpenVolume } from './open-volume.js';
import { handleReceiveVolume } from './receive-volume.js';
import { handleRewriteConfigFiles } from './rewrite-config-files.js';
import { handleSetVolumeLimits } from './set-volume-limits.js';
import { handleThawVolume } from './thaw-volume.js';
import { handleVerifyVolume } from './verify-volume.js';

export function createVolumeService(context: FilesContext): ServedService {
  return serve(VolumeServiceService, {
    createVolume: handleCreateVolume(context),
    openVolume: handleOpenVolume(context),
    deleteVolume: handleDeleteVolume(context),
    setVolumeLimits: handleSetVolumeLimits(context),
    getVolumeUsage: handleGetVolumeUsage(context),
    rewriteConfigFiles: handleRewriteConfigFiles(context),
    getDataRoot: handleGetDataRoot(context),
    advanceEpoch: handleAdvanceEpoch(context),
    listVolumes: handleListVolumes(context),
    measureVolumes: handleMeasureVolumes(context),
    exportVolume: handleExportVolume(context),
    receiveVolume: handleReceiveVolume(context),
    discardVolumeTransfer: handleDiscardVolumeTransfer(context),
    freezeVolume: handleFreezeVolume(context),
    thawVolume: handleThawVolume(context),
    verifyVolume: handleVerifyVolume(context),
  });
}
