import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { AppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { createActorSigner, type GrpcServer, serve, startGrpcServer } from '@panel/rpc';
import {
  type ActivityEvent,
  ActivityServiceService,
  type EnqueueMailRequest,
  MailServiceService,
  type RecordActivityRequest,
} from '@panel/protos/admin';
import {
  BackupServiceService,
  type CreateVolumeRequest,
  type RewriteConfigFilesRequest,
  type SetVolumeLimitsRequest,
  VolumeServiceService,
} from '@panel/protos/files';
import { Product, ProductServiceService } from '@panel/protos/billing';
import { UserServiceService } from '@panel/protos/identity';
import { FakeBackups } from './fake-backups.js';
import { FakeVolumeTransfers } from './fake-volume-transfers.js';
import path from 'node:path';

const ownId = process.getuid?.() || 1000;

/** Minimal fakes of the called services: volumes on disk, users by id, recorded calls. */
export interface FakeServices {
  readonly address: string;
  readonly users: Set<string>;
  /** By address. */
  readonly accounts: Map<string, FakeAccount>;
  /** By event id. */
  readonly mails: Map<string, EnqueueMailRequest>;
  /** Fails all calls to the files service. */
  filesAreDown: boolean;
  /** Calls refused while they are down. */
  refusals: number;
  usedBytes: number;
  /** Of files without a server; others are not measured in time. */
  readonly volumeSizes: Map<string, number>;
  readonly transfers: FakeVolumeTransfers;
  readonly backups: FakeBackups;
  readonly rewrites: RewriteConfigFilesRequest[];
  /** Bytes by server id, as last received. */
  readonly diskLimits: Map<string, number>;
  /** Fails all calls to the admin service. */
  adminIsDown: boolean;
  /** By event id. */
  readonly activity: Map<string, ActivityEvent>;
  /** Name and egg by id. */
  readonly products: Map<string, { readonly name: string; readonly eggId: string }>;
  /** Fails all calls to the billing service. */
  billingIsDown: boolean;
  stop(): Promise<void>;
}

export interface FakeAccount {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly emailUnproven?: boolean;
}

export async function startFakeServices(directory: string, secret: string): Promise<FakeServices> {
  const state = {
    users: new Set<string>(),
    accounts: new Map<string, FakeAccount>(),
    mails: new Map<string, EnqueueMailRequest>(),
    filesAreDown: false,
    refusals: 0,
    usedBytes: 0,
    volumeSizes: new Map<string, number>(),
    rewrites: [] as RewriteConfigFilesRequest[],
    diskLimits: new Map<string, number>(),
    adminIsDown: false,
    activity: new Map<string, ActivityEvent>(),
    products: new Map<string, { readonly name: string; readonly eggId: string }>(),
    billingIsDown: false,
  };
  const areDown = () => {
    if (state.filesAreDown) state.refusals += 1;
    return state.filesAreDown;
  };
  const transfers = new FakeVolumeTransfers(directory, secret, areDown);
  const backups = new FakeBackups(areDown);
  const volume = (serverId: string) => path.join(directory, 'servers', serverId);
  const unused = async () => Promise.reject(new AppError('unimplemented', 'NOT_IMPLEMENTED', 'not here'));
  const files = async <T>(work: () => T): Promise<T> => {
    if (areDown()) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the files service is away');
    return work();
  };
  const volumes = {
    ...Object.fromEntries(Object.keys(VolumeServiceService).map((name) => [name, unused])),
    createVolume: ({ serverId, diskLimitBytes }: CreateVolumeRequest) =>
      files(() => {
        if (diskLimitBytes !== undefined) state.diskLimits.set(serverId, diskLimitBytes);
        mkdirSync(volume(serverId), { recursive: true });
        if (process.getuid?.() === 0) chownSync(volume(serverId), ownId, ownId);
        return { path: volume(serverId), uid: ownId, gid: ownId };
      }),
    openVolume: ({ serverId, diskLimitBytes }: CreateVolumeRequest) =>
      files(() => {
        if (!existsSync(volume(serverId))) throw new AppError('not_found', 'VOLUME_NOT_FOUND', 'no directory');
        if (diskLimitBytes !== undefined) state.diskLimits.set(serverId, diskLimitBytes);
        return { path: volume(serverId), uid: ownId, gid: ownId };
      }),
    listVolumes: ({ afterServerId }: { afterServerId: string }) =>
      files(() => {
        const names = existsSync(path.join(directory, 'servers')) ? readdirSync(path.join(directory, 'servers')) : [];
        return { serverIds: names.filter((name) => name > afterServerId).toSorted() };
      }),
    measureVolumes: () =>
      files(() => ({ sizes: [...state.volumeSizes].map(([serverId, sizeBytes]) => ({ serverId, sizeBytes })) })),
    setVolumeLimits: ({ limits }: SetVolumeLimitsRequest) =>
      files(() => {
        for (const { serverId, diskLimitBytes } of limits) state.diskLimits.set(serverId, diskLimitBytes);
        return { held: false };
      }),
    deleteVolume: ({ serverId }: { serverId: string }) =>
      files(() => {
        rmSync(volume(serverId), { recursive: true, force: true });
        transfers.frozen.delete(serverId);
        return {};
      }),
    rewriteConfigFiles: ({ serverId, files: asked }: RewriteConfigFilesRequest) =>
      files(() => {
        state.rewrites.push({ serverId, files: asked });
        const message = (path: string) => (path.includes('broken') ? 'cannot be read' : '');
        return { results: asked.map(({ path }) => ({ path, outcome: 'OUTCOME_WRITTEN', message: message(path) })) };
      }),
    ...transfers.handlers(),
    getVolumeUsage: () => files(() => ({ usedBytes: state.usedBytes })),
  };
  const identity = {
    ...Object.fromEntries(Object.keys(UserServiceService).map((name) => [name, unused])),
    getUser: async ({ userId }: { userId: string }) => {
      if (state.users.has(userId)) return { user: { id: userId } };
      throw new AppError('not_found', 'USER_NOT_FOUND', 'no such user');
    },
  };
  const accountsWhere = (isWanted: (account: FakeAccount) => boolean) => ({
    users: [...state.accounts.values()].filter((account) => state.users.has(account.id) && isWanted(account)),
  });
  const lookups = {
    batchGetUsers: async ({ userIds }: { userIds: string[] }) => accountsWhere(({ id }) => userIds.includes(id)),
    batchGetUsersByEmail: async ({ emails }: { emails: string[] }) =>
      accountsWhere(({ email }) => emails.includes(email)),
  };
  const mail = {
    ...Object.fromEntries(Object.keys(MailServiceService).map((name) => [name, unused])),
    enqueueMail: async (request: EnqueueMailRequest) => {
      if (state.adminIsDown) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the admin service is away');
      if (!state.mails.has(request.eventId)) state.mails.set(request.eventId, request);
      return {};
    },
  };
  const admin = {
    ...Object.fromEntries(Object.keys(ActivityServiceService).map((name) => [name, unused])),
    recordActivity: async ({ events }: RecordActivityRequest) => {
      if (state.adminIsDown) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the admin service is away');
      for (const event of events) if (!state.activity.has(event.id)) state.activity.set(event.id, event);
      return {};
    },
  };
  const billing = {
    ...Object.fromEntries(Object.keys(ProductServiceService).map((name) => [name, unused])),
    listProducts: async ({ eggId }: { eggId: string }) => {
      if (state.billingIsDown) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the billing service is away');
      const sold = [...state.products].filter(([, product]) => product.eggId === eggId);
      return { products: sold.map(([id, { name }]) => Product.create({ id, name })), page: undefined };
    },
  };
  const server: GrpcServer = await startGrpcServer(
    [
      serve(VolumeServiceService, volumes as never),
      serve(BackupServiceService, {
        ...Object.fromEntries(Object.keys(BackupServiceService).map((name) => [name, unused])),
        ...backups.handlers(),
      } as never),
      serve(UserServiceService, { ...identity, ...lookups } as never),
      serve(MailServiceService, mail as never),
      serve(ProductServiceService, billing as never),
      serve(ActivityServiceService, admin as never),
    ],
    {
      listen: '127.0.0.1:0',
      signer: createActorSigner(secret),
      log: createLogger({ service: 'fakes', level: 'silent' }),
    },
  );
  transfers.publish(server.address);
  return Object.assign(state, { address: server.address, transfers, backups, stop: () => server.stop(100) });
}

export function newUser(fakes: FakeServices): string {
  const userId = randomUUID();
  fakes.users.add(userId);
  return userId;
}

/** A user with an address, for invitations. */
export function newAccount(fakes: FakeServices, name: string, changes: Partial<FakeAccount> = {}): FakeAccount {
  const account = { id: newUser(fakes), email: `${name}@example.com`, username: name, ...changes };
  fakes.accounts.set(account.email, account);
  return account;
}
