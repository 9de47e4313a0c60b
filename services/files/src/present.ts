import { FileEntry, ReceiveVolumeResponse, ReceiveVolumeResponse_Phase as Phase } from '@panel/protos/files';
import { modeBits, modeText } from './domain/mode.js';
import type { Entry } from './jail/entries.js';
import type { PullProgress } from './transfer/pull.js';

export function presentEntry(entry: Entry): FileEntry {
  return FileEntry.create({
    name: entry.name,
    mode: modeText(entry.mode),
    modeBits: modeBits(entry.mode),
    sizeBytes: entry.sizeBytes,
    isFile: entry.isFile,
    isSymlink: entry.isSymlink,
    mimetype: entry.mimetype,
    createTime: entry.createdAt,
    modifyTime: entry.modifiedAt,
  });
}

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
