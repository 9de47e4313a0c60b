import { rmSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { connect, type Connection, createActorSigner, serviceActor, type TlsFiles } from '@panel/rpc';
import { CreditServiceService, ProductServiceService } from '@panel/protos/billing';
import { UserServiceService } from '@panel/protos/identity';
import {
  AllocationServiceService,
  EggServiceService,
  NestServiceService,
  NodeServiceService,
} from '@panel/protos/servers';
import type { StackConfig } from '../config.js';
import type { Engine } from '../engine/detect-engine.js';
import type { DataDir } from '../launch/data-dir.js';
import type { LogLine } from '@panel/programs';
import { type Machine, refreshNode, seedDemo, type ServersClients } from './demo.js';
import { readMarker, writeMarker } from './marker.js';
import { seedShop, type ShopClients } from './shop.js';
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.js';

const reachableMs = 10_000;

interface SeedOptions {
  readonly config: StackConfig;
  readonly dataDir: DataDir;
  readonly serviceSecret: string;
  readonly engine: Engine;
  readonly addresses: Readonly<Record<'identity' | 'servers' | 'files' | 'billing', string>>;
  readonly tls: TlsFiles | null;
  readonly log: LogLine;
}

/**
 * Seeds the demo once: a marker in DATA_DIR prevents its recreation after a removal; a new database voids the marker.
 */
export async function seed(options: SeedOptions): Promise<FirstAdmin> {
  const { config, dataDir, addresses, log } = options;
  const signer = createActorSigner(options.serviceSecret);
  const open = (address: string): Connection =>
    connect({ address, signer, actor: serviceActor('stack'), tls: options.tls });
  const [identity, servers, billing] = [open(addresses.identity), open(addresses.servers), open(addresses.billing)];
  try {
    await Promise.all([identity.waitUntilReachable(reachableMs), servers.waitUntilReachable(reachableMs)]);
    const admin = await ensureFirstAdmin({
      users: identity.client(UserServiceService),
      email: config.adminEmail,
      password: config.adminPassword,
      pendingFile: dataDir.file('first-admin.json'),
    });
    const marker = dataDir.file('seeded.json');
    if (admin.created) rmSync(marker, { force: true });
    const shop = {
      ...clientsOf(servers),
      users: identity.client(UserServiceService),
      products: billing.client(ProductServiceService),
      credits: billing.client(CreditServiceService),
    };
    await seedNode(shop, marker, options, admin.email);
    log(admin.created ? `first administrator ${admin.email} made` : `administrator ${admin.email} is there`);
    return admin;
  } finally {
    identity.close();
    servers.close();
    billing.close();
  }
}

async function seedNode(
  clients: ServersClients & ShopClients,
  marker: string,
  options: SeedOptions,
  adminEmail: string,
): Promise<void> {
  const machine = describeMachine(options);
  const known = await readMarker(clients, marker, options.log);
  if (typeof known === 'string') {
    const state = await refreshNode(clients, known, machine);
    if (state === 'other runtime') {
      options.log('the node local was made for another runtime than this start has found: its servers cannot run now');
    }
    return;
  }
  if (options.config.seed === 'none' || known === null) return;
  const nodeId = await seedDemo(clients, machine);
  await seedShop(clients, adminEmail);
  writeMarker(marker, nodeId);
  options.log('demo seeded: node local with allocations on 127.0.0.1:25565-25590, eggs, and a shop');
}

function clientsOf(servers: Connection): ServersClients {
  return {
    nodes: servers.client(NodeServiceService),
    allocations: servers.client(AllocationServiceService),
    nests: servers.client(NestServiceService),
    eggs: servers.client(EggServiceService),
  };
}

function describeMachine({ engine, addresses, dataDir }: SeedOptions): Machine {
  const constrained = process.constrainedMemory();
  const memoryBytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  const { bavail, bsize } = statfsSync(dataDir.node);
  return {
    engine,
    filesAddress: addresses.files,
    dataRoot: dataDir.node,
    memoryMb: Math.floor(memoryBytes / 1024 ** 2),
    diskMb: Math.min(Math.floor((bavail * bsize) / 1024 ** 2), 2 ** 31 - 1),
  };
}
