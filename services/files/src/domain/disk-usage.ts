import { date, id, number, type RecordOf } from '@panel/kit/records';

export const diskUsageFields = { nodeId: id, usedBytes: number, measuredAt: date };
export interface DiskUsage extends RecordOf<typeof diskUsageFields> {
  readonly serverId: string;
}
