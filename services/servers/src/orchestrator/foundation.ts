import { createActivityLog } from '@panel/activity';
import { createAddressGuard } from '@panel/kit/net';
import { createSeal } from '@panel/kit/process';
import { createOutboxMetrics } from '@panel/outbox';
import { ActivityServiceService } from '@panel/protos/admin';
import { createExportGrantSigner, createGrantSigner, type ServiceBase } from '@panel/rpc';
import type { ServersConfig } from '../config.js';
import type { GameServer } from '../domain/servers/server.js';
import { createStores } from '../models/stores.js';
import { DataRoots } from '../node-clients/data-roots.js';
import { NodeFiles } from '../node-clients/files.js';
import { otherFilesAddress } from '../node-clients/other-files-address.js';
import type { Overrides } from './overrides.js';

export type Foundation = ReturnType<typeof createFoundation>;

/** Shared base: stores, clock, clients of nodes and services. */
export function createFoundation(
  config: ServersConfig,
  base: ServiceBase,
  { installationId, overrides }: { readonly installationId: string; readonly overrides: Overrides },
  onServerChange: (server: GameServer) => void,
) {
  const { log, tasks, jobs } = base;
  const { clock = base.systemClock, clock: installationClock = base.clock } = overrides;
  const stores = createStores(base.mongo, createSeal(config.sealSecrets, 'panel-servers'), {
    clock: installationClock,
    onServerChange,
  });
  const guard = createAddressGuard(config.nodeLocalAddresses);
  const files: NodeFiles = new NodeFiles(
    (address, options) => base.connectTo(address, options),
    config.filesAddress,
    createExportGrantSigner(config.serviceSecret),
    guard,
    new DataRoots(stores.epochs),
    async (unreachableAddress) => otherFilesAddress({ stores, files }, unreachableAddress),
  );
  const admin = config.adminAddress === null ? null : base.connectTo(config.adminAddress);
  const metrics = createOutboxMetrics(base.metrics.registry);
  const client = admin?.client(ActivityServiceService) ?? null;
  return {
    config,
    base,
    installationId,
    overrides,
    log,
    tasks,
    jobs,
    attempt: async (...item: Parameters<typeof jobs.attempt>) => jobs.attempt(...item),
    clock,
    installationClock,
    stores,
    guard,
    files,
    admin,
    identity: base.connectTo(config.identityAddress),
    billing: config.billingAddress === null ? null : base.connectTo(config.billingAddress),
    outboxMetrics: metrics,
    activity: createActivityLog({ client, mongo: base.mongo, jobs, metrics, log, clock: installationClock }),
    grants: createGrantSigner(config.serviceSecret),
    failpoint: overrides.failpoint ?? config.failpoint,
  };
}
