import type { ServerUsage } from '@panel/protos/servers';
import type { HourlyUsage } from '../usecases/usage/list-hourly-usage.js';

const seconds = (ms: number): number => Math.floor(ms / 1_000);

export function presentServerUsage({ serverId, hours, completeUntil }: HourlyUsage): ServerUsage {
  return {
    serverId,
    hours: hours.map(({ hour, runningMs, memoryMbMs, diskMbMs, trafficBytes }) => ({
      hourTime: hour,
      runningSeconds: seconds(runningMs),
      memoryMbSeconds: seconds(memoryMbMs),
      diskMbSeconds: seconds(diskMbMs),
      trafficBytes,
    })),
    completeUntilTime: completeUntil ?? undefined,
  };
}
