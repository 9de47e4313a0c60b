import type Docker from 'dockerode';
import type { ContainerStats, ImageInspectInfo } from 'dockerode';

interface Abortable {
  readonly abortSignal: AbortSignal;
}

/** Part of GET /info. */
export interface EngineInfo {
  readonly SystemTime?: string;
  readonly ID?: string;
  readonly Name?: string;
  readonly Warnings?: readonly string[] | null;
}

/** Part of GET /version, in the words of images ("linux", "amd64"). */
interface EngineVersion {
  readonly Os?: string;
  readonly Arch?: string;
}

/** Part of GET /containers/{id}/stats; some fields are absent without usage. */
export type StatsSample = Omit<ContainerStats, 'networks' | 'memory_stats'> & {
  readonly id?: string;
  readonly networks?: Readonly<Record<string, { readonly rx_bytes: number; readonly tx_bytes: number }>>;
  readonly memory_stats?: {
    readonly usage?: number;
    readonly limit?: number;
    readonly stats?: Readonly<Record<string, number>>;
  };
};

/** Part of GET /networks/{name}. */
export interface NetworkInfo {
  readonly Created?: string;
  readonly IPAM?: { readonly Config?: readonly { readonly Gateway?: string }[] | null };
}

/** Calls whose abort signal is missing in @types/dockerode 4. */
interface AbortableCalls {
  ping(options: Abortable): Promise<unknown>;
  info(options: Abortable): Promise<EngineInfo>;
  version(options: Abortable): Promise<EngineVersion>;
  getNetwork(name: string): {
    inspect(options: Abortable): Promise<NetworkInfo>;
    connect(options: Abortable & { Container: string }): Promise<unknown>;
  };
  getContainer(id: string): {
    stats(options: Abortable & { stream: true }): Promise<NodeJS.ReadableStream>;
    stats(options: Abortable & { stream: false; 'one-shot': true }): Promise<StatsSample>;
  };
}

/** The library's own image inspect ignores the signal. */
export async function inspectImage(
  docker: Docker,
  reference: string,
  abortSignal: AbortSignal,
): Promise<ImageInspectInfo> {
  const modem = docker.modem;
  return new Promise((resolve, reject) => {
    const statusCodes = { 200: true, 404: 'no such image', 500: 'server error' };
    modem.dial({ path: `/images/${reference}/json`, method: 'GET', abortSignal, statusCodes }, (error, info) => {
      if (error) reject(error);
      else resolve(info as ImageInspectInfo);
    });
  });
}

export function abortable(docker: Docker): AbortableCalls {
  return docker;
}
