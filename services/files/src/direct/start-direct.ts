import { type MonotonicClock, monotonicClock as systemClock } from '@panel/kit/async';
import { AuthServiceService } from '@panel/protos/identity';
import { ServerServiceService } from '@panel/protos/servers';
import type { ServiceBase } from '@panel/rpc';
import type { FilesConfig } from '../config.js';
import type { FilesContext } from '../context.js';
import { connectionLimits, withinOpenFiles } from '../sftp/connection-limits.js';
import { TransferPlaces } from '../workspace/transfer-places.js';
import { createDirectAuthority } from './authority.js';
import { DirectServer } from './server.js';

interface StartedDirect {
  readonly address: string;
  stop(): Promise<void>;
}

const directLimits = { ...connectionLimits, total: 2_000, perAddress: 100 };
/** A socket and what it moves. */
const filesPerConnection = 2;

/** Null without configuration. */
export async function startDirect(
  { direct }: FilesConfig,
  base: ServiceBase,
  context: FilesContext,
  monotonicClock: MonotonicClock = systemClock,
): Promise<StartedDirect | null> {
  if (!direct || !context.directAddresses) return null;
  const { log, metrics, signer } = base;
  const authority = createDirectAuthority({
    identity: base.connectTo(direct.identityAddress).client(AuthServiceService),
    servers: base.connectTo(direct.serversAddress).client(ServerServiceService),
    signer,
    grants: context.grants,
  });
  const addresses = context.directAddresses;
  const limits = withinOpenFiles(directLimits, filesPerConnection);
  const places = { what: 'files', perServer: 50, perOwner: 100, perNode: limits.total } as const;
  const downloads = new TransferPlaces({ ...places, way: 'downloaded' });
  const uploads = new TransferPlaces({ ...places, way: 'uploaded' });
  const server = await DirectServer.create(
    { context, addresses, authority, limits, downloads, uploads, monotonicClock, log, metrics },
    direct,
  );
  const address = await server.listen();
  log.info({ address, tls: direct.tls !== null, maxConnections: limits.total }, 'direct transfers are ready');
  return { address, stop: async () => server.stop() };
}
