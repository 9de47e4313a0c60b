import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isAppError } from '@panel/kit/errors';
import type { Client } from '@panel/rpc';
import {
  type AllocationServiceService,
  type EggServiceService,
  ImportEggRequest_Format,
  type NestServiceService,
  type Node,
  Node_Runtime,
  type NodeServiceService,
} from '@panel/protos/servers';
import type { Engine } from '../engine/detect-engine.js';

export interface ServersClients {
  readonly nodes: Client<typeof NodeServiceService>;
  readonly allocations: Client<typeof AllocationServiceService>;
  readonly nests: Client<typeof NestServiceService>;
  readonly eggs: Client<typeof EggServiceService>;
}

export interface Machine {
  readonly engine: Engine;
  readonly filesAddress: string;
  readonly dataRoot: string;
  readonly memoryMb: number;
  readonly diskMb: number;
}

const nodeName = 'local';
const gamePorts = '25565-25590';
const author = 'eggs@localhost.localdomain';

/** The demo's nests and their files of `eggs/`. */
export const demoEggs: readonly {
  readonly nest: string;
  readonly description: string;
  readonly files: readonly string[];
}[] = [
  { nest: 'Demo', description: 'Games that need nothing but the machine.', files: ['lantern-caverns'] },
  { nest: 'Minecraft', description: 'Minecraft, both editions.', files: ['minecraft-java', 'minecraft-bedrock'] },
  { nest: 'Adventure', description: 'Building, crafting and survival.', files: ['terraria', 'valheim'] },
  { nest: 'Simulation', description: 'Building and running things.', files: ['openttd'] },
];

/** Idempotent. Returns the node's id. */
export async function seedDemo(clients: ServersClients, machine: Machine): Promise<string> {
  const node = (await findNode(clients)) ?? (await createNode(clients, machine));
  await createAllocations(clients, node.id);
  for (const { nest, description, files } of demoEggs) {
    const nestId = await ensureNest(clients, nest, description);
    await importMissingEggs(clients, nestId, files);
  }
  return node.id;
}

/** Addresses change at each start. */
export async function refreshNode(
  clients: ServersClients,
  nodeId: string,
  machine: Machine,
): Promise<'ok' | 'other runtime' | 'gone'> {
  try {
    const { node } = await clients.nodes.getNode({ nodeId });
    if (!node) return 'gone';
    if (node.runtime !== runtimeOf(machine.engine)) return 'other runtime';
    if (node.filesAddress === machine.filesAddress && node.engine?.url === urlOf(machine.engine)) return 'ok';
    await clients.nodes.updateNode({
      nodeId,
      filesAddress: machine.filesAddress,
      engine: engineOf(machine.engine),
      tags: undefined,
      emulatedPlatforms: undefined,
    });
    return 'ok';
  } catch (error) {
    if (isAppError(error) && error.kind === 'not_found') return 'gone';
    throw error;
  }
}

export function readEgg(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../eggs/${name}.json`, import.meta.url)), 'utf8');
}

export async function findNode({ nodes }: Pick<ServersClients, 'nodes'>): Promise<Node | undefined> {
  const page = { page: 1, perPage: 100, sort: [], search: nodeName };
  const { nodes: found } = await nodes.listNodes({ page });
  return found.find((node) => node.name === nodeName);
}

async function createNode({ nodes }: ServersClients, machine: Machine): Promise<Node> {
  const { node } = await nodes.createNode({
    name: nodeName,
    description: 'This machine.',
    fqdn: '127.0.0.1',
    tags: ['demo'],
    runtime: runtimeOf(machine.engine),
    engine: engineOf(machine.engine),
    filesAddress: machine.filesAddress,
    dataRoot: machine.dataRoot,
    dataRootId: '',
    memoryMb: machine.memoryMb,
    memoryOverallocatePercent: 0,
    diskMb: machine.diskMb,
    diskOverallocatePercent: 0,
    // Shared without reservation: games mostly idle.
    cpuPercent: 0,
    maintenanceMode: false,
    uploadLimitMb: 100,
    publicUrl: '',
    emulatedPlatforms: [],
  });
  if (!node) throw new Error('the servers service made no node');
  return node;
}

async function createAllocations({ allocations }: ServersClients, nodeId: string): Promise<void> {
  try {
    await allocations.createAllocations({ nodeId, ip: '127.0.0.1', alias: '', ports: [gamePorts] });
  } catch (error) {
    // Created all or none, so one existing means all exist.
    if (!isAppError(error, 'ALLOCATION_EXISTS')) throw error;
  }
}

async function ensureNest({ nests }: ServersClients, name: string, description: string): Promise<string> {
  const page = { page: 1, perPage: 100, sort: [], search: name };
  const { nests: found } = await nests.listNests({ page });
  const existing = found.find((nest) => nest.name === name);
  if (existing) return existing.id;
  const { nest } = await nests.createNest({ name, description, author });
  if (!nest) throw new Error('the servers service made no nest');
  return nest.id;
}

async function importMissingEggs({ eggs }: ServersClients, nestId: string, files: readonly string[]): Promise<void> {
  const { eggs: found } = await eggs.listEggs({ nestId, page: { page: 1, perPage: 100, sort: [], search: '' } });
  const names = new Set(found.map((egg) => egg.spec?.name));
  for (const file of files) {
    const content = readEgg(file);
    const { name } = JSON.parse(content) as { name: string };
    if (names.has(name)) continue;
    await eggs.importEgg({ nestId, content: Buffer.from(content), format: ImportEggRequest_Format.JSON });
  }
}

function runtimeOf(engine: Engine): Node_Runtime {
  return engine.kind === 'docker' ? Node_Runtime.DOCKER : Node_Runtime.PROCESS;
}

function urlOf(engine: Engine): string {
  return engine.kind === 'docker' ? engine.url : '';
}

function engineOf(engine: Engine): { url: string; tlsCa: string; tlsCert: string; tlsKey: string; tls: boolean } {
  const tls = engine.kind === 'docker' ? engine.tls : undefined;
  const pem = { tlsCa: tls?.ca ?? '', tlsCert: tls?.cert ?? '', tlsKey: tls?.key ?? '' };
  return { url: urlOf(engine), ...pem, tls: tls !== undefined };
}
