import { createActivityLog } from '@panel/activity';
import { monotonicClock } from '@panel/kit/async';
import type { Job } from '@panel/kit/process';
import { createOutboxMetrics } from '@panel/outbox';
import { ActivityServiceService } from '@panel/protos/admin';
import { AuthServiceService } from '@panel/protos/identity';
import { ServerServiceService } from '@panel/protos/servers';
import type { ServiceBase } from '@panel/rpc';
import type { FilesConfig } from '../config.js';
import type { FilesContext } from '../context.js';
import { createSftpAuthority } from './authority.js';
import { type ChangeLimits, changeLimits, ChangePaces } from './change-paces.js';
import { ConnectionCounts, connectionLimits, withinOpenFiles } from './connection-limits.js';
import { HandlePlaces } from './handle-places.js';
import { loadHostKey } from './host-key.js';
import { createSftpMetrics } from './metrics.js';
import { SftpServer } from './server.js';

interface StartedSftp {
  readonly address: string;
  readonly jobs: readonly Job[];
  stop(): Promise<void>;
}

/** A revocation ends a connection within 5 s. */
const recheckMs = 4_000;
/** Without a request. */
const idleMs = 15 * 60_000;

/** Null without configuration. */
export async function startSftp(
  { dataRoot, sftp }: FilesConfig,
  base: ServiceBase,
  context: FilesContext,
  changes: ChangeLimits = changeLimits,
): Promise<StartedSftp | null> {
  if (!sftp) return null;
  const { log, metrics, signer, tasks } = base;
  const { adminAddress, identityAddress, serversAddress } = sftp;
  const authority = createSftpAuthority({
    identity: base.connectTo(identityAddress).client(AuthServiceService),
    servers: base.connectTo(serversAddress).client(ServerServiceService),
    signer,
    grants: context.grants,
  });
  const { clock } = context;
  const activity = createActivityLog({
    ...base,
    client: adminAddress === null ? null : base.connectTo(adminAddress).client(ActivityServiceService),
    metrics: createOutboxMetrics(metrics.registry),
    clock,
  });
  const limits = withinOpenFiles(connectionLimits, 1);
  const server = new SftpServer(
    {
      context,
      authority,
      activity: { activity, clock },
      counts: new ConnectionCounts(limits),
      handlePlaces: new HandlePlaces(),
      changePaces: new ChangePaces(changes),
      metrics: createSftpMetrics(metrics.registry),
      tasks,
      log,
      recheckMs,
      idleMs,
      monotonicClock,
    },
    await loadHostKey(dataRoot),
  );
  const address = await server.listen(sftp.listen);
  log.info({ address, maxConnections: limits.total }, 'SFTP is ready');
  return { address, jobs: activity.jobs, stop: async () => server.stop() };
}
