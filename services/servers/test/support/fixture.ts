import { pause } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { pollDelayMs, reasonOf, waitUntil } from '@panel/kit/testing';
import {
  type CreateServerRequest,
  type EggSpec,
  ImportEggRequest_Format,
  Node_Runtime,
  type Server,
} from '@panel/protos/servers';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { imageName } from '@panel/testing/engine';
import { type Clients, Harness, userActor } from './harness.js';
import { newUser } from './fake-services.js';
import type { Overrides } from '../../src/orchestrator/overrides.js';

/** Greets, prints numbers on request, echoes other lines, ends by "stop". */
export const gameScript = `
echo "world loaded for $GREETING"
echo "ready to play"
while read -r line; do
  case "$line" in
    stop) echo "bye"; exit 0 ;;
    crash) exit 3 ;;
    hang) trap '' TERM INT; while :; do sleep 1; done ;;
    count\\ *) i=1; n=\${line#count }; while [ $i -le $n ]; do echo "line $i"; i=$((i+1)); done ;;
    wide\\ *) i=1; n=\${line#wide }; pad=$(printf '%0500d' 0); while [ $i -le $n ]; do echo "line $i $pad"; i=$((i+1)); done; echo end ;;
    flood) yes 'the same line again' & flood=$! ;;
    calm) kill $flood ;;
    *) echo "echo: $line" ;;
  esac
done
`;

/** A node with ports, an egg, an owner. */
export interface Fixture {
  readonly harness: Harness & { address: string };
  readonly admin: Clients;
  readonly owner: Clients;
  readonly ownerId: string;
  readonly nodeId: string;
  readonly eggId: string;
  readonly allocationIds: string[];
  request(changes?: Partial<CreateServerRequest>): CreateServerRequest;
  createServer(changes?: Partial<CreateServerRequest>): Promise<Server>;
  installed(changes?: Partial<CreateServerRequest>): Promise<Server>;
  stop(): Promise<void>;
}

/** A loopback address for this process: the ports of games must not meet those of concurrent test processes. */
export const gameIp = ['127', 1 + (process.pid >> 16), (process.pid >> 8) & 255, process.pid & 255].join('.');

const request = (fixture: Pick<Fixture, 'ownerId' | 'eggId'>): CreateServerRequest => ({
  name: 'a game',
  userId: fixture.ownerId,
  eggId: fixture.eggId,
  nodeId: '',
  allocationId: '',
  additionalAllocationIds: [],
  limits: { memoryMb: 128, swapMb: 0, diskMb: 100, ioWeight: 500, cpuPercent: 50 },
  featureLimits: { databases: 0, backups: 0, allocations: 1 },
  description: '',
  dockerImage: '',
  startup: '',
  environment: {},
  startOnCompletion: false,
  skipScripts: false,
  externalId: '',
  nodeTags: [],
});

export interface FixtureOptions {
  readonly environment?: Record<string, string>;
  readonly overrides?: Overrides;
  readonly ports?: string[];
  readonly memoryMb?: number;
  readonly egg?: Record<string, unknown>;
  /** Engine with the test images; default: local processes. */
  readonly engineUrl?: string;
}

/** A test image, present on the node. */
export const localImage = `~${imageName}:1`;

export const gameEgg = {
  startup: 'sh game.sh',
  scripts: {
    installation: {
      script: `cd /mnt/server 2>/dev/null || true\necho "installing $GREETING"\ncat > game.sh <<'GAME'\n${gameScript}\nGAME\necho installed`,
      container: 'debian:bookworm',
      entrypoint: 'sh',
    },
  },
};

const containedEgg = {
  ...gameEgg,
  docker_images: { Shell: localImage },
  scripts: { installation: { ...gameEgg.scripts.installation, container: localImage } },
};

/** Node fields of an engine without certificates. */
export function engineAt(url: string) {
  return { runtime: Node_Runtime.DOCKER, engine: { url, tlsCa: '', tlsCert: '', tlsKey: '', tls: false } };
}

export async function createFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const harness = await Harness.start(options.environment, options.overrides);
  const admin = harness.clients(userActor('0b0f5a3e-52a4-4a3b-9f0c-6f2f1d1f5a11', ['*']), harness.address);
  const ownerId = newUser(harness.fakes);
  const { node } = await admin.nodes.createNode({
    ...emptyNode,
    name: 'local',
    memoryMb: options.memoryMb ?? 64_000,
    ...(options.engineUrl === undefined ? {} : engineAt(options.engineUrl)),
  });
  const nodeId = node?.id ?? '';
  if (options.engineUrl === undefined) harness.processNodes.push(nodeId);
  const { allocations } = await admin.allocations.createAllocations({
    nodeId,
    ip: gameIp,
    alias: '',
    ports: options.ports ?? ['25565-25600'],
  });
  const { egg } = await admin.eggs.importEgg({
    content: eggBytes({ ...(options.engineUrl === undefined ? gameEgg : containedEgg), ...options.egg }),
    format: ImportEggRequest_Format.JSON,
    nestId: '',
  });
  const base = { ownerId, eggId: egg?.id ?? '' };
  const owner = harness.clients(userActor(ownerId), harness.address);
  const createServer = async (changes: Partial<CreateServerRequest> = {}) => {
    const { server } = await admin.servers.createServer({ ...request(base), ...changes });
    if (!server) throw new Error('no server in the answer');
    return server;
  };
  return {
    harness,
    admin,
    owner,
    ...base,
    nodeId,
    allocationIds: allocations.map(({ id }) => id),
    request: (changes) => ({ ...request(base), ...changes }),
    createServer,
    installed: async (changes) => {
      const server = await createServer(changes);
      return waitForServer(owner, server.id, ({ operation }) => operation === undefined, 60_000);
    },
    stop: () => harness.stop(),
  };
}

export const emptyNode = {
  name: 'node',
  description: '',
  fqdn: 'localhost',
  tags: [],
  runtime: Node_Runtime.PROCESS,
  engine: undefined,
  filesAddress: '',
  dataRoot: '',
  dataRootId: '',
  memoryMb: 4096,
  memoryOverallocatePercent: 0,
  diskMb: 100_000,
  diskOverallocatePercent: 0,
  cpuPercent: 0,
  maintenanceMode: false,
  uploadLimitMb: 100,
  publicUrl: '',
  emulatedPlatforms: [],
};

/** Retries while another action holds the power lease: the state shows before the release. */
export async function onceUnlocked<T>(call: () => Promise<T>, timeoutMs = 40_000): Promise<T> {
  const probe = async () => {
    try {
      return { answer: await call() };
    } catch (error) {
      if (!isAppError(error, 'SERVER_LOCKED')) throw error;
      return null;
    }
  };
  return (await waitUntil('the power lease', probe, timeoutMs)).answer;
}

export async function waitForServer(
  clients: Clients,
  serverId: string,
  isWanted: (server: Server) => boolean,
  timeoutMs = 40_000,
): Promise<Server> {
  const until = Date.now() + timeoutMs;
  for (let asked = 0; ; asked++) {
    const { server } = await clients.servers.getServer({ serverId, asStaff: false });
    if (server && isWanted(server)) return server;
    if (Date.now() > until) {
      const last = await lastLines(clients, serverId);
      throw new Error(
        `not as wanted after ${timeoutMs} ms: ${server?.status} ${server?.installError}; console: ${last}`,
      );
    }
    await pause(pollDelayMs(asked));
  }
}

/** Of its console, with the notices of failed starts. */
async function lastLines({ console }: Clients, serverId: string): Promise<string> {
  const texts: string[] = [];
  try {
    const signal = AbortSignal.timeout(1_000);
    for await (const { events } of console.watchServer({ serverId, historyLines: 10 }, { signal })) {
      for (const { event } of events) if (event?.$case === 'console') texts.push(event.value.text);
    }
  } catch {
    // Its end.
  }
  return texts.join(' | ');
}

export { reasonOf };

/** Distinct reasons. */
export async function allReasons(promises: readonly Promise<unknown>[]): Promise<string[]> {
  return [...new Set(await Promise.all(promises.map(reasonOf)))];
}

/** Fields of an INVALID_FIELDS error. */
export async function fieldsOf(promise: Promise<unknown>): Promise<string[]> {
  try {
    await promise;
  } catch (error) {
    const { metadata } = error as { metadata?: { fields?: Record<string, unknown> } };
    return Object.keys(metadata?.fields ?? {}).toSorted();
  }
  return [];
}

export type { EggSpec };
export { expect };
