import { RewriteConfigFilesResponse_Outcome as ProtoOutcome } from '@panel/protos/files';
import type { Outcome } from '../config-files/rewrite-files.js';

export const protoOutcomes: Readonly<Record<Outcome, ProtoOutcome>> = {
  unchanged: ProtoOutcome.UNCHANGED,
  written: ProtoOutcome.WRITTEN,
  created: ProtoOutcome.CREATED,
  skipped: ProtoOutcome.SKIPPED,
};
