export interface DiskUsage {
  readonly serverId: string;
  readonly nodeId: string;
  readonly usedBytes: number;
  readonly measuredAt: Date;
}
