import type { HostConfig } from 'dockerode';
import type { InstanceLimits } from '../runtime.js';

const mb = 1024 * 1024;
/** The engine's minimum. */
const minMemoryBytes = 6 * mb;
const cpuPeriodUs = 100_000;
const minCpuQuotaUs = 1000;

/** Relatively larger for small heaps. Values of wings. */
function overhead(memoryMb: number): number {
  if (memoryMb <= 2048) return 1.15;
  return memoryMb <= 4096 ? 1.1 : 1.05;
}

export type Resources = Pick<
  HostConfig,
  'Memory' | 'MemoryReservation' | 'MemorySwap' | 'CpuPeriod' | 'CpuQuota' | 'CpuShares' | 'BlkioWeight' | 'CpusetCpus'
>;

function memoryResources(limits: InstanceLimits): Resources {
  if (limits.memoryMb === 0) return {};
  const memory = Math.max(minMemoryBytes, Math.round(limits.memoryMb * overhead(limits.memoryMb)) * mb);
  return {
    Memory: memory,
    MemoryReservation: Math.max(minMemoryBytes, limits.memoryMb * mb),
    MemorySwap: limits.swapMb === -1 ? -1 : memory + limits.swapMb * mb,
  };
}

export function resourcesOf(limits: InstanceLimits, ioWeightWorks: boolean): Resources {
  const cpu =
    limits.cpuPercent === 0
      ? {}
      : { CpuPeriod: cpuPeriodUs, CpuQuota: Math.max(minCpuQuotaUs, (limits.cpuPercent * cpuPeriodUs) / 100) };
  return {
    ...memoryResources(limits),
    ...cpu,
    CpuShares: 1024,
    ...(limits.threads === undefined ? {} : { CpusetCpus: limits.threads }),
    ...(ioWeightWorks ? { BlkioWeight: limits.ioWeight } : {}),
  };
}

/** The larger of the server's limits and an installation's minimum. */
export function installerLimits(limits: InstanceLimits): InstanceLimits {
  const larger = (value: number, floor: number) => (value === 0 ? 0 : Math.max(value, floor));
  return { ...limits, memoryMb: larger(limits.memoryMb, 1024), cpuPercent: larger(limits.cpuPercent, 100) };
}
