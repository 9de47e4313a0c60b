import { enumOf, messageFields } from '@panel/kit/records';
import { type FileOperation as ProtoOperation, FileOperation_Kind, FileOperation_State } from '@panel/protos/files';
import type { FileOperation } from '../domain/file-operation.js';

export function presentOperation(operation: FileOperation): ProtoOperation {
  return {
    ...messageFields(operation),
    kind: enumOf(FileOperation_Kind, operation.kind),
    state: enumOf(FileOperation_State, operation.state),
    startTime: operation.startedAt,
    endTime: operation.endedAt ?? undefined,
  };
}
