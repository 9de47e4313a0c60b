import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pause } from '@panel/kit/async';
import { pollDelayMs, waitUntil } from '@panel/kit/testing';
import { AllocationIdList, PowerAction, type Server, Server_Status } from '@panel/protos/servers';
import { createProcessRuntime } from '@panel/runtime';
import { type Clients, removeDirectory, serviceSecret } from './harness.js';
import { type FakeServices, startFakeServices } from './fake-services.js';
import { createFixture, emptyNode, type Fixture, type FixtureOptions, gameIp } from './fixture.js';

/** A second node with its own files, games and ports. */
export interface TwoNodes {
  readonly fixture: Fixture;
  readonly a: NodeSide;
  readonly b: NodeSide;
  /** A running server on node A with its own file. */
  running(): Promise<Server>;
  transfer(serverId: string, changes?: TransferChanges, clients?: Clients): Promise<Server>;
  view(serverId: string, clients?: Clients): Promise<Server>;
  /** Waits by the staff view. */
  until(
    serverId: string,
    isWanted: (server: Server) => boolean,
    clients?: Clients,
    timeoutMs?: number,
  ): Promise<Server>;
  /** Waits until all of the server is on this node, nothing on the other. */
  settledOn(side: NodeSide, serverId: string, clients?: Clients): Promise<Server>;
  stop(): Promise<void>;
}

export interface TransferChanges {
  readonly nodeId?: string;
  readonly allocationId?: string;
  readonly additional?: readonly string[];
}

export interface NodeSide {
  readonly nodeId: string;
  readonly files: FakeServices;
  readonly allocationIds: readonly string[];
  /** Null: missing. */
  read(serverId: string, name: string): string | null;
  write(serverId: string, name: string, content: string): void;
  hasVolume(serverId: string): boolean;
  /** Instance state from the node's engine. */
  instance(serverId: string): Promise<string>;
}

export const worldFile = 'world.dat';

export async function createTwoNodes(options: FixtureOptions = {}): Promise<TwoNodes> {
  const fixture = await createFixture(options);
  const directory = mkdtempSync(path.join(tmpdir(), 'panel-files-b-'));
  chmodSync(directory, 0o711);
  const files = await startFakeServices(directory, serviceSecret);
  const { node } = await fixture.admin.nodes.createNode({
    ...emptyNode,
    name: 'other',
    memoryMb: 1024,
    filesAddress: files.address,
  });
  const nodeId = node?.id ?? '';
  fixture.harness.processNodes.push(nodeId);
  const { allocations } = await fixture.admin.allocations.createAllocations({
    nodeId,
    ip: gameIp,
    alias: '',
    ports: ['26565-26569'],
  });
  const a = sideOf(fixture, fixture.nodeId, fixture.harness.fakes, fixture.allocationIds);
  const b = sideOf(
    fixture,
    nodeId,
    files,
    allocations.map(({ id }) => id),
  );
  const view = async (serverId: string, clients = fixture.admin) => {
    const { server } = await clients.servers.getServer({ serverId, asStaff: true });
    if (!server) throw new Error('no server in the answer');
    return server;
  };
  const until: TwoNodes['until'] = async (serverId, isWanted, clients = fixture.admin, timeoutMs = 30_000) => {
    const end = Date.now() + timeoutMs;
    for (let asked = 0; ; asked++) {
      const server = await view(serverId, clients);
      if (isWanted(server)) return server;
      if (Date.now() > end) throw new Error(`not as wanted after ${timeoutMs} ms: ${JSON.stringify(brief(server))}`);
      await pause(pollDelayMs(asked));
    }
  };
  return {
    fixture,
    a,
    b,
    view,
    until,
    running: async () => {
      const server = await fixture.installed({ nodeId: a.nodeId, allocationId: await freeOf(fixture, a) });
      a.write(server.id, worldFile, `the fixture of ${server.id}`);
      await fixture.admin.console.sendPowerAction({ serverId: server.id, action: PowerAction.START });
      return until(server.id, ({ status }) => status === Server_Status.RUNNING);
    },
    transfer: async (serverId, changes = {}, clients = fixture.admin) => {
      const { server } = await clients.servers.transferServer(requestOf(serverId, b, changes));
      if (!server) throw new Error('no server in the answer');
      return server;
    },
    settledOn: async (side, serverId, clients = fixture.admin) => {
      const other = side === a ? b : a;
      const server = await until(
        serverId,
        (now) => now.operation === undefined && now.node?.id === side.nodeId,
        clients,
        60_000,
      );
      await waitUntil(
        'nothing to be left on the other node',
        async () =>
          !other.hasVolume(serverId) &&
          (await other.instance(serverId)) === 'none' &&
          (await reservedOn(clients, other, serverId)) === 0 &&
          [a, b].every(({ files: { transfers } }) => (transfers.frozen.get(serverId)?.size ?? 0) === 0),
        30_000,
      );
      return server;
    },
    stop: async () => {
      await files.stop();
      await fixture.stop();
      removeDirectory(directory);
    },
  };
}

export function requestOf(serverId: string, target: NodeSide, changes: TransferChanges = {}) {
  const { nodeId = target.nodeId, allocationId = '', additional } = changes;
  const additionalAllocationIds = additional && AllocationIdList.create({ allocationIds: [...additional] });
  return { serverId, nodeId, allocationId, additionalAllocationIds };
}

/** Count of a server's allocations on a node. */
export async function reservedOn(clients: Clients, side: NodeSide, serverId: string): Promise<number> {
  const { allocations } = await clients.allocations.listAllocations({
    nodeId: side.nodeId,
    page: { page: 1, perPage: 100, sort: [], search: '' },
  });
  return allocations.filter((allocation) => allocation.serverId === serverId).length;
}

export async function allocatedOn(clients: Clients, side: NodeSide) {
  return (await clients.nodes.getNode({ nodeId: side.nodeId })).node?.allocated;
}

async function freeOf(fixture: Fixture, side: NodeSide): Promise<string> {
  const { allocations } = await fixture.admin.allocations.listAllocations({
    nodeId: side.nodeId,
    page: { page: 1, perPage: 100, sort: [], search: '' },
  });
  const free = allocations.find(({ serverId }) => serverId === '');
  if (!free) throw new Error('no free allocation');
  return free.id;
}

function brief({ status, operation, node, lastTransfer }: Server) {
  return { status, operation, node, lastTransfer };
}

function sideOf(fixture: Fixture, nodeId: string, files: FakeServices, allocationIds: readonly string[]): NodeSide {
  const fileOf = (serverId: string, name: string) => path.join(files.transfers.volume(serverId), name);
  return {
    nodeId,
    files,
    allocationIds,
    read: (serverId, name) => {
      const file = fileOf(serverId, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    },
    write: (serverId, name, content) => writeFileSync(fileOf(serverId, name), content),
    hasVolume: (serverId) => existsSync(files.transfers.volume(serverId)),
    instance: async (serverId) => {
      const runtime = createProcessRuntime({ runDir: path.join(fixture.harness.directory, 'run', nodeId) });
      const instance = await runtime.inspect(serverId);
      await runtime.close();
      return instance?.state ?? 'none';
    },
  };
}
