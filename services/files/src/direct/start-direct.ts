import { AuthServiceService } from '@panel/protos/identity';
import { ServerServiceService } from '@panel/protos/servers';
import type { ServiceBase } from '@panel/rpc';
import type { FilesConfig } from '../config.js';
import type { FilesContext } from '../context.js';
import { createDirectAuthority } from './authority.js';
import { DirectServer } from './server.js';

interface StartedDirect {
  readonly address: string;
  stop(): Promise<void>;
}

/** Null without configuration. */
export async function startDirect(
  { direct }: FilesConfig,
  base: ServiceBase,
  context: FilesContext,
): Promise<StartedDirect | null> {
  if (!direct || !context.directAddresses) return null;
  const { log, signer } = base;
  const authority = createDirectAuthority({
    identity: base.connectTo(direct.identityAddress).client(AuthServiceService),
    servers: base.connectTo(direct.serversAddress).client(ServerServiceService),
    signer,
    grants: context.grants,
  });
  const server = await DirectServer.create({ context, addresses: context.directAddresses, authority, log }, direct);
  const address = await server.listen();
  log.info({ address, tls: direct.tls !== null }, 'direct transfers are ready');
  return { address, stop: async () => server.stop() };
}
