import type { AuthServiceService } from '@panel/protos/identity';
import type { ServerPermission } from '@panel/protos/permissions';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ActorSigner, Client, FileGrant, GrantSigner } from '@panel/rpc';
import type { LinkCredential } from '../domain/download-link.js';
import { fail } from '../reasons.js';

interface DirectAuthorityDeps {
  readonly identity: Pick<Client<typeof AuthServiceService>, 'authenticate'>;
  readonly servers: Pick<Client<typeof ServerServiceService>, 'grantFileAccess'>;
  readonly signer: ActorSigner;
  readonly grants: GrantSigner;
}

interface DirectRequest {
  readonly madeWith: LinkCredential;
  readonly serverId: string;
  readonly permission: ServerPermission;
  readonly ip: string;
}

export interface DirectAuthority {
  /** Throws refusals of identity and the servers service. */
  grantFor(request: DirectRequest): Promise<FileGrant>;
}

const timeoutMs = 5_000;

/** Per request: a revocation ends an upload at its next piece. */
export function createDirectAuthority({ identity, servers, signer, grants }: DirectAuthorityDeps): DirectAuthority {
  return {
    grantFor: async ({ madeWith, serverId, permission, ip }) => {
      const { id, method } = madeWith;
      const credential = { $case: method === 'session' ? ('sessionId' as const) : ('apiKeyId' as const), value: id };
      const user = await identity.authenticate({ credential, ip }, { timeoutMs });
      if (user.twoFactorRequired) throw fail('PERMISSION_MISSING', 'this needs two-factor authentication first');
      const { userId, permissions, keyPermissions } = user;
      const narrowing = keyPermissions === undefined ? {} : { keyPermissions: keyPermissions.permissions };
      const actor = { kind: 'user', userId, permissions, ...narrowing, method, credentialId: id, ip } as const;
      const options = { actorToken: signer.sign(actor), timeoutMs };
      return grants.verify((await servers.grantFileAccess({ serverId, permission }, options)).grant);
    },
  };
}
