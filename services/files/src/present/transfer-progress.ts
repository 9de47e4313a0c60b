import { ReceiveVolumeResponse, ReceiveVolumeResponse_Phase as Phase } from '@panel/protos/files';
import type { PullProgress } from '../transfers/pull-volume.js';

const phases: Record<PullProgress['phase'], Phase> = {
  measuring: Phase.MEASURING,
  copying: Phase.COPYING,
  verifying: Phase.VERIFYING,
  finished: Phase.FINISHED,
};

export function presentProgress(progress: PullProgress): ReceiveVolumeResponse {
  return ReceiveVolumeResponse.create({
    bytesDone: progress.bytesDone,
    bytesTotal: progress.bytesTotal,
    entriesDone: progress.entriesDone,
    entriesTotal: progress.entriesTotal,
    bytesVerified: progress.bytesVerified,
    phase: phases[progress.phase],
  });
}
