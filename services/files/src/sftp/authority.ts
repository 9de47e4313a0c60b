import { isAppError } from '@panel/kit/errors';
import type { AuthenticateSftpRequest, AuthenticateSftpResponse, AuthServiceService } from '@panel/protos/identity';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ActorSigner, Client, GrantSigner } from '@panel/rpc';
import type { SftpAccess } from '../domain/sftp-access.js';

type SftpProof =
  { readonly kind: 'password'; readonly password: string } | { readonly kind: 'key'; readonly publicKey: Buffer };

export interface SftpLogin {
  readonly access: SftpAccess;
  readonly sessionEpoch: number;
  /** Empty for a password. */
  readonly sshKeyId: string;
  readonly serverShortId: string;
  readonly ip: string;
}

interface OfferedKey {
  readonly username: string;
  readonly ip: string;
  readonly publicKey: Buffer;
}

export interface SftpCredentials {
  readonly username: string;
  readonly serverShortId: string;
  readonly ip: string;
  readonly proof: SftpProof;
}

/** Identity authenticates, the servers service authorizes. */
export interface SftpAuthority {
  /** Before a signature. */
  isKnownKey(credentials: OfferedKey): Promise<boolean>;
  /** Null when refused; throws when a service is unavailable. */
  logIn(credentials: SftpCredentials): Promise<SftpLogin | null>;
  /** Current rights; null: end the connection. Throws when a service is unavailable. */
  recheck(login: SftpLogin): Promise<SftpLogin | null>;
}

interface SftpAuthorityDeps {
  readonly identity: Client<typeof AuthServiceService>;
  readonly servers: Client<typeof ServerServiceService>;
  readonly signer: ActorSigner;
  readonly grants: GrantSigner;
}

const timeoutMs = 4_000;
/** Missing user or right, or a locked or suspended server. */
const definite: readonly string[] = ['unauthenticated', 'permission_denied', 'not_found', 'failed_precondition'];

export function createSftpAuthority({ identity, servers, signer, grants }: SftpAuthorityDeps): SftpAuthority {
  const authenticate = async (request: AuthenticateSftpRequest, serverShortId: string): Promise<SftpLogin | null> =>
    nullIfRefused(async () => {
      const user = await identity.authenticateSftp(request, { timeoutMs });
      const actorToken = signer.sign(actorOf(user, request.ip));
      const granted = await servers.grantSftpAccess({ serverShortId }, { actorToken, timeoutMs });
      const grant = grants.verify(granted.grant);
      const { sessionEpoch, sshKeyId, userId } = user;
      return {
        access: { userId, grant, permissions: granted.permissions },
        sessionEpoch,
        sshKeyId,
        serverShortId,
        ip: request.ip,
      };
    });
  return {
    isKnownKey: async ({ username, ip, publicKey }) => {
      const request: AuthenticateSftpRequest = { username, ip, proof: { $case: 'offeredKey', value: publicKey } };
      return (await nullIfRefused(async () => identity.authenticateSftp(request, { timeoutMs }))) !== null;
    },
    logIn: async (credentials) => authenticate(requestOf(credentials), credentials.serverShortId),
    recheck: async ({ access, ip, serverShortId, sessionEpoch, sshKeyId }) => {
      const value = { userId: access.userId, sessionEpoch, sshKeyId };
      return authenticate({ username: '', ip, proof: { $case: 'continued', value } }, serverShortId);
    },
  };
}

function requestOf({ ip, proof, username }: SftpCredentials): AuthenticateSftpRequest {
  return proof.kind === 'password'
    ? { username, ip, proof: { $case: 'password', value: proof.password } }
    : { username, ip, proof: { $case: 'publicKey', value: proof.publicKey } };
}

function actorOf({ permissions, sshKeyId, userId }: AuthenticateSftpResponse, ip: string) {
  return {
    kind: 'user',
    userId,
    permissions,
    method: 'session',
    credentialId: sshKeyId === '' ? userId : sshKeyId,
    ip,
  } as const;
}

async function nullIfRefused<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isAppError(error) && definite.includes(error.kind)) return null;
    throw error;
  }
}
