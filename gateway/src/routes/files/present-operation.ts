import { asSentence } from '@panel/rpc';
import { type FileOperation, FileOperation_Kind as Kind, FileOperation_State as State } from '@panel/protos/files';
import type { z } from 'zod';
import { isoTime, required } from '../../declaration/present.js';
import type { fileOperation } from './operation-schema.js';

type Shown = z.input<typeof fileOperation>;

const kinds: Partial<Record<Kind, Shown['kind']>> = {
  [Kind.COMPRESS]: 'compress',
  [Kind.DECOMPRESS]: 'decompress',
  [Kind.PULL]: 'pull',
};

const states: Partial<Record<State, Shown['status']>> = {
  [State.RUNNING]: 'running',
  [State.COMPLETED]: 'completed',
  [State.FAILED]: 'failed',
  [State.CANCELLED]: 'cancelled',
};

export function presentOperation(operation: FileOperation | undefined): Shown {
  const shown = required(operation, 'operation');
  const { errorReason, errorMessage } = shown;
  return {
    id: shown.id,
    kind: required(kinds[shown.kind], 'kind'),
    status: required(states[shown.state], 'state'),
    path: shown.path,
    bytes_done: shown.bytesDone,
    bytes_total: shown.bytesTotal,
    entries_done: shown.entriesDone,
    entries_skipped: shown.entriesSkipped,
    error: errorReason === '' ? null : { reason: errorReason.toLowerCase(), message: asSentence(errorMessage) },
    started_at: isoTime(shown.startTime),
    ended_at: isoTime(shown.endTime),
  };
}
