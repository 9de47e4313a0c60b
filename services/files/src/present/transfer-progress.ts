import { enumOf, messageFields } from '@panel/kit/records';
import { type ReceiveVolumeResponse, ReceiveVolumeResponse_Phase } from '@panel/protos/files';
import type { PullProgress } from '../transfers/pull-volume.js';

export function presentProgress(progress: PullProgress): ReceiveVolumeResponse {
  return { ...messageFields(progress), phase: enumOf(ReceiveVolumeResponse_Phase, progress.phase), end: undefined };
}
