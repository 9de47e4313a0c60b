import { randomUUID } from 'node:crypto';
import type { MonotonicClock } from '@panel/kit/async';
import { type AppError, isAppError } from '@panel/kit/errors';
import { AuthServiceService } from '@panel/protos/identity';
import { ServerServiceService } from '@panel/protos/servers';
import type { ExchangeUploadRequest } from '@panel/protos/files';
import { type FileGrant, type GrpcServer, toErrorResponse, type UserActor } from '@panel/rpc';
import { fileGrant, newVolume, type RunningFiles, startTestFiles } from '../harness.js';
import { fake, orStop, startFakes } from './fake-service.js';

export const maker: UserActor = {
  kind: 'user',
  userId: randomUUID(),
  permissions: [],
  method: 'session',
  credentialId: randomUUID(),
  ip: '192.0.2.9',
};

/** Changed by tests. */
export interface Rights {
  more: Partial<FileGrant>;
  /** Null: none. */
  refusal: AppError | null;
  permission: string;
}

export interface DirectFixture {
  readonly running: RunningFiles;
  readonly rights: Rights;
  readonly serverId: string;
  readonly directory: string;
  renew(): Promise<void>;
  stop(): Promise<void>;
}

export const origin = 'https://panel.example.com';

/** The services that direct transfers ask. */
export async function startDirectOthers(rights: Rights): Promise<GrpcServer> {
  return startFakes(
    fake(AuthServiceService, {
      authenticate: async () => {
        if (rights.refusal) throw rights.refusal;
        const { userId, permissions } = maker;
        const session = {
          username: 'alex',
          roleId: '',
          roleName: 'user',
          rateLimitMultiplier: 1,
          twoFactorRequired: false,
        };
        const none = { keyPermissions: undefined, apiKeyId: '', expireTime: undefined };
        return { userId, permissions: [...permissions], sessionId: maker.credentialId, ...session, ...none };
      },
    }),
    fake(ServerServiceService, {
      grantFileAccess: async ({ serverId, permission }) => {
        rights.permission = permission;
        return { filesAddress: '', grant: fileGrant(serverId, permission, rights.more), publicUrl: '' };
      },
    }),
  );
}

export async function startDirectFixture(
  env: Record<string, string> = {},
  clock: () => Date = () => new Date(),
  monotonicClock?: MonotonicClock,
): Promise<DirectFixture> {
  const rights: Rights = { more: {}, refusal: null, permission: '' };
  const fakes = await startDirectOthers(rights);
  const running = await orStop(
    fakes,
    startTestFiles({
      clock,
      ...(monotonicClock && { monotonicClock }),
      env: {
        DIRECT_LISTEN: '127.0.0.1:0',
        DIRECT_ORIGINS: origin,
        IDENTITY_ADDRESS: fakes.address,
        SERVERS_ADDRESS: fakes.address,
        ...env,
      },
    }),
  );
  let volume = await newVolume(running);
  return {
    running,
    rights,
    get serverId() {
      return volume.serverId;
    },
    get directory() {
      return volume.directory;
    },
    renew: async () => {
      rights.more = {};
      rights.refusal = null;
      volume = await newVolume(running);
    },
    stop: async () => {
      await running.stop();
      await fakes.stop(0);
    },
  };
}

export interface TusAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string;
}

export interface TusRequest {
  readonly method: 'POST' | 'HEAD' | 'PATCH' | 'DELETE';
  /** Location of an upload; empty for a new one. */
  readonly location?: string;
  readonly headers?: Record<string, string>;
  readonly body?: AsyncIterable<Buffer> | Buffer;
  readonly directory?: string;
  readonly overwrite?: boolean;
  readonly ifMatchSha256?: string;
}

/** Through the gateway, which calls the RPC, or directly to the node. */
export interface TusWay {
  readonly name: 'through the gateway' | 'direct';
  send(fixture: DirectFixture, request: TusRequest): Promise<TusAnswer>;
}

const version = { 'tus-resumable': '1.0.0' };

/** Both ways create uploads through the gateway. */
export const ways: readonly TusWay[] = [
  { name: 'through the gateway', send: async (fixture, request) => exchange(fixture, request, '') },
  {
    name: 'direct',
    send: async (fixture, request) =>
      request.location === undefined || request.location === ''
        ? exchange(fixture, request, `http://${fixture.running.direct}`)
        : fetchDirectly(request, request.location),
  },
];

async function exchange(fixture: DirectFixture, request: TusRequest, publicUrl: string): Promise<TusAnswer> {
  const { rights, running, serverId } = fixture;
  const { method, location = '', headers = {}, body, directory = '/', overwrite = false, ifMatchSha256 = '' } = request;
  const permission = overwrite || location.endsWith('?overwrite=true') ? 'file.update' : 'file.create';
  const messages = async function* (): AsyncGenerator<ExchangeUploadRequest> {
    yield {
      part: {
        $case: 'start',
        value: {
          grant: running.grant(serverId, permission, rights.more),
          method,
          headers: { ...version, ...headers },
          uploadId: location.replace(/^.*\/|\?.*$/g, ''),
          directory,
          overwrite,
          locationPrefix: '/uploads/',
          locationSuffix: overwrite ? '?overwrite=true' : '',
          publicUrl,
          ifMatchSha256,
        },
      },
    };
    for await (const value of Buffer.isBuffer(body) ? [body] : (body ?? [])) yield { part: { $case: 'chunk', value } };
  };
  try {
    if (rights.refusal) throw rights.refusal;
    const options = { actorToken: running.tokenOf(maker), timeoutMs: 60_000 };
    const answer = await running.files.exchangeUpload(messages(), options);
    return { status: answer.status, headers: answer.headers, reason: 'none' };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { status: toErrorResponse(error).status, headers: {}, reason: error.reason };
  }
}

async function fetchDirectly({ method, headers, body }: TusRequest, url: string): Promise<TusAnswer> {
  const hasBody = method === 'PATCH';
  const response = await fetch(url, {
    method,
    headers: { ...version, origin, ...headers },
    ...(hasBody
      ? { body: Buffer.isBuffer(body) ? new Uint8Array(body) : streamOf(body), duplex: 'half' as const }
      : {}),
  });
  const text = await response.text();
  const details = text === '' ? {} : (JSON.parse(text) as { error: { details: { reason?: string } } }).error.details;
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    reason: response.ok ? 'none' : (details.reason ?? '').toUpperCase(),
  };
}

function streamOf(body: AsyncIterable<Buffer> | undefined): ReadableStream {
  return ReadableStream.from(body ?? []);
}
