import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { AppError, rateLimited } from '@panel/kit/errors';
import { type CallContext, grants, type GrpcServer, requirePermission, requireUser } from '@panel/rpc';
import { Settings, SettingsServiceService } from '@panel/protos/admin';
import { PaymentServiceService, ProductServiceService, type ReceiveWebhookRequest } from '@panel/protos/billing';
import { FileEntry, FileServiceService } from '@panel/protos/files';
import {
  AccountServiceService,
  type AuthenticateRequest,
  AuthenticateResponse,
  AuthServiceService,
  User,
} from '@panel/protos/identity';
import {
  AllocationServiceService,
  ConsoleServiceService,
  EggServiceService,
  NestServiceService,
  NodeServiceService,
  PowerState,
  Resources,
  Server,
  Server_Status,
  ServerServiceService,
  type WatchEvent,
  type WatchServerRequest,
  type WatchServerResponse,
} from '@panel/protos/servers';
import { encodeServer, listOwn } from './encode-servers.js';
import { FakeDownloadLinks } from './fake-download-links.js';
import { FakeUploads } from './fake-uploads.js';
import { fake, fakeFiles, grantFor, serveFakes } from './fake-service.js';

export interface TestUser {
  readonly userId: string;
  permissions: string[];
  multiplier: number;
  mustSetUpTwoFactor?: boolean;
}

interface Key {
  readonly user: TestUser;
  readonly id: string;
  readonly allowedIps: readonly string[];
}

/** Minimal services with the proto contract over the real transport. test/e2e uses the real ones. */
export class Fixture {
  readonly sessions = new Map<string, TestUser>();
  readonly keys = new Map<string, Key>();
  readonly servers = new Map<string, Server>();
  /** `${userId} ${serverId}` to permissions. */
  readonly rights = new Map<string, string[]>();
  readonly files = new Map<string, Buffer>();
  /** Overrides the fixture's files service. */
  filesAddressOfNode: string | null = null;
  readonly uploads = new FakeUploads();
  readonly downloadLinks = new FakeDownloadLinks();
  /** Method names, in order. */
  readonly calls: string[] = [];
  /** Accepted. */
  readonly commands: { serverId: string; command: string; userId: string }[] = [];
  /** Of each server. */
  commandLimit = 1000;
  readonly commandsUsed = new Map<string, number>();
  /** Requested by the gateway. */
  readonly creationIds: (string | undefined)[] = [];
  /** As received by billing. */
  readonly webhooks: ReceiveWebhookRequest[] = [];
  readonly consoles = new Map<string, FakeConsole>();
  settings = Settings.create({ general: { name: 'Panel' }, servers: { consoleHistoryLines: 150 } });
  /** RPCs that fail, by name. */
  readonly failing = new Map<string, AppError>();
  #servers: GrpcServer[] = [];
  addresses = { identity: '', servers: '', billing: '', admin: '', files: '' };

  async start(): Promise<void> {
    const [identity, servers, billing, admin, files] = await Promise.all([
      serveFakes(this.#identity()),
      serveFakes(this.#serversService()),
      serveFakes(this.#billing()),
      serveFakes(this.#admin()),
      serveFakes(this.#files()),
    ]);
    this.#servers = [identity, servers, billing, admin, files];
    this.addresses = {
      identity: identity.address,
      servers: servers.address,
      billing: billing.address,
      admin: admin.address,
      files: files.address,
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map(async (server) => server.stop(0)));
  }

  /** Like a crash. */
  async kill(name: 'identity' | 'servers'): Promise<void> {
    await this.#servers[name === 'identity' ? 0 : 1]?.stop(0);
  }

  createUser(permissions: string[] = [], multiplier = 1): TestUser {
    return { userId: randomUUID(), permissions, multiplier };
  }

  addServer(owner: TestUser, change: Partial<Server> = {}): Server {
    const server = Server.create({
      id: randomUUID(),
      name: 'a server',
      status: Server_Status.RUNNING,
      userId: owner.userId,
      limits: { memoryMb: 512, swapMb: 0, diskMb: 1024, ioWeight: 500, cpuPercent: 100 },
      featureLimits: { databases: 0, backups: 0, allocations: 1 },
      createTime: new Date(),
      updateTime: new Date(),
      ...change,
    });
    this.servers.set(server.id, server);
    this.rights.set(`${owner.userId} ${server.id}`, ['*']);
    this.consoles.set(server.id, new FakeConsole());
    return server;
  }

  consoleOf(serverId: string): FakeConsole {
    const console = this.consoles.get(serverId);
    if (!console) throw new Error('no such server in this test');
    return console;
  }

  count(name: string): number {
    return this.calls.filter((call) => call === name).length;
  }

  #called(name: string): void {
    this.calls.push(name);
    const failure = this.failing.get(name);
    if (failure) throw failure;
  }

  #identity() {
    return [
      fake(AuthServiceService, {
        authenticate: async (request) => {
          this.#called('authenticate');
          return this.#authenticate(request);
        },
        login: async (request) => {
          this.#called('login');
          if (request.password !== 'right') throw new AppError('unauthenticated', 'INVALID_CREDENTIALS', 'no');
          if (request.email === '2fa@example.com') {
            return { result: { $case: 'challenge', value: { token: 'challenge-token' } } };
          }
          const tokens = { accessToken: 'a', refreshToken: 'r', expiresInSeconds: 900, refreshExpiresInSeconds: 60 };
          return { result: { $case: 'tokens', value: tokens } };
        },
        verifyTwoFactor: async () => {
          this.#called('verifyTwoFactor');
          return {
            tokens: { accessToken: 'a', refreshToken: 'r', expiresInSeconds: 900, refreshExpiresInSeconds: 60 },
          };
        },
        refreshSession: async ({ refreshToken }) => {
          this.#called(`refreshSession ${refreshToken}`);
          return {
            tokens: { accessToken: 'b', refreshToken: 's', expiresInSeconds: 900, refreshExpiresInSeconds: 60 },
          };
        },
        endSession: async ({ refreshToken }) => {
          this.#called(`endSession ${refreshToken}`);
          return {};
        },
        logout: async (_request, context) => {
          this.#called('logout');
          this.sessions.delete(requireUser(context.actor).credentialId);
          return {};
        },
      }),
      fake(AccountServiceService, {
        getAccount: async (_request, context) => {
          this.#called('getAccount');
          const { userId } = requireUser(context.actor);
          return { user: userMessage(userId) };
        },
        beginTwoFactor: async () => ({ secret: 'S', otpauthUrl: 'otpauth://x', qrCode: 'data:' }),
        createApiKey: async (request, { idempotencyId }) => {
          this.creationIds.push(idempotencyId);
          this.#called('createApiKey');
          const apiKey = { ...request, id: randomUUID(), identifier: 'gsp_abc', createTime: new Date() };
          return { apiKey: { ...apiKey, lastUsedTime: undefined }, key: `gsp_${'x'.repeat(43)}` };
        },
        listSessions: async () => ({ sessions: [], page: emptyPage }),
      }),
    ];
  }

  #authenticate({ credential, ip }: AuthenticateRequest): AuthenticateResponse {
    const gone = () => new AppError('unauthenticated', 'SESSION_GONE', 'gone');
    if (credential?.$case === 'sessionId') {
      const user = this.sessions.get(credential.value);
      if (!user) throw gone();
      return proof(user, { sessionId: credential.value });
    }
    if (credential?.$case === 'apiKeyId') {
      const known = [...this.keys.values()].find(({ id }) => id === credential.value);
      if (!known) throw gone();
      return proof(known.user, { apiKeyId: known.id });
    }
    const key = this.keys.get(credential?.value ?? '');
    if (!key) throw gone();
    if (key.allowedIps.length > 0 && !key.allowedIps.includes(ip)) {
      throw new AppError('permission_denied', 'IP_NOT_ALLOWED', 'The key may not be used from this address.');
    }
    return proof(key.user, { apiKeyId: key.id });
  }

  #seen(serverId: string, { actor }: CallContext, asStaff = false): Server {
    const server = this.servers.get(serverId);
    const gone = () => new AppError('not_found', 'SERVER_NOT_FOUND', `no server ${serverId}`);
    if (!server) throw gone();
    if (actor.kind === 'service') return { ...server, permissions: ['*'] };
    const { userId, permissions } = requireUser(actor);
    if (asStaff) requirePermission(actor, 'servers.view');
    const granted = this.rights.get(`${userId} ${serverId}`) ?? (grants(permissions, 'servers.update') ? ['*'] : null);
    if (!granted) throw gone();
    return { ...server, permissions: granted, isOwner: server.userId === userId };
  }

  #serversService() {
    return [
      fake(ServerServiceService, {
        getServer: async ({ serverId, asStaff, asEncoded }, context) => {
          this.#called('getServer');
          const server = this.#seen(serverId, context, asStaff);
          return asEncoded ? { server: undefined, encoded: encodeServer(server) } : { server };
        },
        listServers: async (request, context) => {
          this.#called('listServers');
          const { userId } = requireUser(context.actor);
          const own = [...this.servers.values()].filter((server) => server.userId === userId);
          const answer = listOwn(own, request);
          if (answer.digest === request.knownDigest) this.#called('listServers, same page');
          return answer;
        },
        createServer: async (request, context) => {
          this.#called('createServer');
          requirePermission(context.actor, 'servers.create');
          return {
            server: this.addServer({ userId: request.userId, permissions: [], multiplier: 1 }, { name: request.name }),
          };
        },
        grantFileAccess: async ({ serverId, permission, unreachableAddress }, context) => {
          this.#called('grantFileAccess');
          const server = this.#seen(serverId, context);
          if (!grants(server.permissions, permission)) {
            throw new AppError('permission_denied', 'PERMISSION_MISSING', 'not granted');
          }
          const ofNode = this.filesAddressOfNode ?? this.addresses.files;
          const filesAddress = unreachableAddress === ofNode ? this.addresses.files : ofNode;
          return { filesAddress, grant: grantFor(permission, serverId), publicUrl: '' };
        },
      }),
      fake(ConsoleServiceService, {
        sendCommand: async ({ serverId, command }, context) => {
          this.#called('sendCommand');
          const { permissions, status } = this.#seen(serverId, context);
          if (!grants(permissions, 'control.console')) {
            throw new AppError('permission_denied', 'SERVER_FORBIDDEN', 'not granted');
          }
          const used = (this.commandsUsed.get(serverId) ?? 0) + 1;
          this.commandsUsed.set(serverId, used);
          const resetsAt = Date.now() + 42_000;
          const quota = { limit: this.commandLimit, used, resetsAt };
          if (used > this.commandLimit) {
            const exhausted = { name: 'console', max: this.commandLimit, remainingMs: 42_000 };
            const { kind, reason, message, metadata } = rateLimited('too many requests', exhausted);
            throw new AppError(kind, reason, message, { ...metadata, quota });
          }
          if (status === Server_Status.OFFLINE) {
            throw new AppError('failed_precondition', 'SERVER_OFFLINE', 'the server does not run', { quota });
          }
          this.commands.push({ serverId, command, userId: requireUser(context.actor).userId });
          return { quota: { limit: quota.limit, used, resetTime: new Date(resetsAt) } };
        },
        sendPowerAction: async ({ serverId }, context) => {
          this.#called('sendPowerAction');
          this.#seen(serverId, context);
          return { operationId: 'op-1' };
        },
        getResources: async ({ serverId }, context) => {
          this.#called('getResources');
          this.#seen(serverId, context);
          return { resources: Resources.create({ state: PowerState.RUNNING, memoryBytes: 1024 }) };
        },
        watchServer: (request, context) => {
          this.#called('watchServer');
          this.#seen(request.serverId, context);
          return this.consoleOf(request.serverId).watch(request, context.signal);
        },
      }),
      fake(NodeServiceService, { listNodes: async () => ({ nodes: [], page: emptyPage }) }),
      fake(AllocationServiceService, {}),
      fake(NestServiceService, {}),
      fake(EggServiceService, {
        exportEgg: async () => ({ content: '{"meta":{"version":"PTDL_v2"}}' }),
        importEgg: async (request) => {
          this.#called(`importEgg ${request.format} ${request.content.length}`);
          throw new AppError('invalid_argument', 'EGG_INVALID', 'no egg', { fields: { 'variables.0': ['is broken'] } });
        },
      }),
    ];
  }

  #billing() {
    return [
      fake(ProductServiceService, { listProducts: async () => ({ products: [], page: emptyPage }) }),
      fake(PaymentServiceService, {
        receiveWebhook: async (request) => {
          this.#called('receiveWebhook');
          this.webhooks.push(request);
          return {};
        },
      }),
    ];
  }

  #admin() {
    return [
      fake(SettingsServiceService, {
        getSettings: async () => {
          this.#called('getSettings');
          return { settings: this.settings };
        },
        updateSettings: async ({ settings }) => {
          this.settings = settings ?? this.settings;
          return { settings: this.settings };
        },
      }),
    ];
  }

  #files() {
    const { downloadLinks, files } = this;
    return [
      fakeFiles(FileServiceService, {
        listFileOperations: async () => ({ operations: [] }),
        listTrash: async () => ({ entries: [] }),
        listFileVersions: async () => ({ versions: [] }),
        listDirectory: async () => ({
          entries: [...files.keys()].map((name) => entryOf(name, files)),
          truncated: false,
          page: undefined,
        }),
        createDirectory: async ({ path }) => ({ entry: entryOf(path.split('/').at(-1) ?? '', files) }),
        writeFile: async (requests) => {
          const chunks: Buffer[] = [];
          let [path, isComplete, mustExist] = ['', false, false];
          for await (const { part } of requests) {
            if (part?.$case === 'start') ({ path, mustExist = false } = part.value);
            else if (part?.$case === 'chunk') chunks.push(part.value);
            else isComplete = true;
            if (path === '/full')
              throw new AppError('resource_exhausted', 'DISK_LIMIT', 'the disk is full', { limitBytes: 1 });
          }
          if (!isComplete) throw new AppError('aborted', 'UPLOAD_INCOMPLETE', 'the upload was cut');
          if (mustExist && !files.has(path)) throw new AppError('aborted', 'FILE_CHANGED', 'the file was removed');
          files.set(path, Buffer.concat(chunks));
          return { entry: entryOf(path, files), sha256: 'a'.repeat(64) };
        },
        exchangeUpload: this.uploads.exchange,
        renameFiles: async ({ root, files: renamed }) => {
          this.calls.push(`rename ${root} ${renamed.map(({ from, to }) => `${from}>${to}`).join()}`);
          return {};
        },
        createDownloadLink: async ({ path }, { actor }) =>
          downloadLinks.create(path, !files.has(path), requireUser(actor)),
        useDownloadLink: async ({ linkId }) => downloadLinks.use(linkId),
        releaseDownloadLink: async ({ linkId, claim }) => downloadLinks.release(linkId, claim),
        readDirectoryAsArchive: async function* ({ path }) {
          yield { chunk: Buffer.from(`archive of ${path}`) };
        },
        readFile: async function* ({ path, offsetBytes, limitBytes }) {
          const bytes = files.get(path);
          if (!bytes) throw new AppError('not_found', 'FILE_NOT_FOUND', 'no such file');
          yield { part: { $case: 'entry' as const, value: entryOf(path, files) } };
          const wanted = bytes.subarray(offsetBytes, limitBytes > 0 ? offsetBytes + limitBytes : bytes.length);
          for (let at = 0; at < wanted.length; at += 256 * 1024) {
            yield { part: { $case: 'chunk' as const, value: wanted.subarray(at, at + 256 * 1024) } };
          }
        },
      }),
    ];
  }
}

const roleId = randomUUID();
const emptyPage = { page: 1, perPage: 25, total: 0 };

function proof(user: TestUser, ids: { sessionId?: string; apiKeyId?: string }): AuthenticateResponse {
  return AuthenticateResponse.create({
    userId: user.userId,
    username: 'somebody',
    roleId,
    roleName: 'role',
    permissions: user.permissions,
    rateLimitMultiplier: user.multiplier,
    twoFactorRequired: user.mustSetUpTwoFactor ?? false,
    ...ids,
  });
}

function userMessage(id: string): User {
  return User.create({
    id,
    email: 'somebody@example.com',
    username: 'somebody',
    role: { id: roleId, name: 'user' },
    createTime: new Date(),
    updateTime: new Date(),
  });
}

function entryOf(path: string, files: ReadonlyMap<string, Buffer>): FileEntry {
  return FileEntry.create({
    name: path.slice(path.lastIndexOf('/') + 1),
    sizeBytes: files.get(path)?.length ?? 0,
    isFile: true,
    modifyTime: new Date(0),
  });
}

/** Numbered lines, a state, any number of watchers. */
export class FakeConsole {
  state = PowerState.RUNNING;
  readonly lines: { sequence: number; text: string; time: Date }[] = [];
  readonly #changed = new EventEmitter().setMaxListeners(0);
  watching = 0;
  #sequence = 0;

  print(...texts: string[]): void {
    const events = texts.map((text) => {
      const line = { sequence: ++this.#sequence, text, time: new Date() };
      this.lines.push(line);
      return { event: { $case: 'console' as const, value: line } };
    });
    this.emit(...events);
  }

  emit(...events: WatchEvent[]): void {
    this.#changed.emit('events', events);
  }

  setState(state: PowerState): void {
    this.state = state;
    this.emit({ event: { $case: 'powerState', value: { state } } });
  }

  /** Breaks all streams. */
  drop(error: AppError = new AppError('unavailable', 'STOPPING', 'stopping')): void {
    this.#changed.emit('drop', error);
  }

  async *watch({ historyLines }: WatchServerRequest, signal: AbortSignal): AsyncGenerator<WatchServerResponse> {
    const queue: WatchEvent[][] = [];
    let wake = () => {};
    let failure: AppError | null = null;
    const onEvents = (events: WatchEvent[]) => (queue.push(events), wake());
    const onDrop = (error: AppError) => ((failure = error), wake());
    const onAbort = () => wake();
    signal.addEventListener('abort', onAbort);
    this.#changed.on('events', onEvents).on('drop', onDrop);
    this.watching += 1;
    try {
      yield { events: [{ event: { $case: 'powerState', value: { state: this.state } } }] };
      const history = historyLines === 0 ? [] : this.lines.slice(-historyLines);
      yield { events: history.map((value) => ({ event: { $case: 'console' as const, value } })) };
      yield { events: [{ event: { $case: 'historyEnd', value: {} } }] };
      while (!signal.aborted) {
        if (failure) throw failure;
        const events = queue.shift();
        if (events) yield { events };
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.watching -= 1;
      this.#changed.off('events', onEvents).off('drop', onDrop);
    }
  }
}
