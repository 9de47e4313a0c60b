import {
  FileOperation as ProtoOperation,
  FileOperation_Kind as Kind,
  FileOperation_State as State,
} from '@panel/protos/files';
import type { FileOperation } from '../domain/file-operation.js';

const kinds: Record<FileOperation['kind'], Kind> = {
  compress: Kind.COMPRESS,
  decompress: Kind.DECOMPRESS,
  pull: Kind.PULL,
};

const states: Record<FileOperation['state'], State> = {
  running: State.RUNNING,
  completed: State.COMPLETED,
  failed: State.FAILED,
  cancelled: State.CANCELLED,
};

export function presentOperation(operation: FileOperation): ProtoOperation {
  return ProtoOperation.create({
    id: operation.id,
    kind: kinds[operation.kind],
    state: states[operation.state],
    path: operation.path,
    bytesDone: operation.bytesDone,
    bytesTotal: operation.bytesTotal,
    entriesDone: operation.entriesDone,
    entriesSkipped: operation.entriesSkipped,
    errorReason: operation.errorReason,
    errorMessage: operation.errorMessage,
    startTime: operation.startedAt,
    endTime: operation.endedAt ?? undefined,
  });
}
