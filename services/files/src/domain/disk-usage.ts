/** What a volume took on the disk of its node. */
export interface DiskUsage {
  readonly serverId: string;
  readonly nodeId: string;
  readonly usedBytes: number;
  readonly measuredAt: Date;
}
