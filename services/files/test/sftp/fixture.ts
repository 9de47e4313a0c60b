import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '@panel/kit/errors';
import { type ActivityEvent, ActivityServiceService } from '@panel/protos/admin';
import { AuthServiceService } from '@panel/protos/identity';
import { ServerServiceService } from '@panel/protos/servers';
import type { FileGrant, GrpcServer } from '@panel/rpc';
import ssh2, { type Client, type SFTPWrapper } from 'ssh2';
import type { ChangeLimits } from '../../src/sftp/change-paces.js';
import { fileGrant, newVolume, type RunningFiles, startTestFiles } from '../harness.js';
import { fake, orStop, startFakes } from '../support/fake-service.js';

const userId = '11111111-1111-4111-8111-111111111111';
export const password = 'right password';

/** Changed by tests. */
export interface Authority {
  permissions: string[];
  more: Partial<FileGrant>;
  isPasswordAllowed: boolean;
  /** Null: none. */
  refusal: AppError | null;
  rechecks: number;
  /** The admin service is unavailable. */
  isAdminUnavailable: boolean;
  readonly events: ActivityEvent[];
}

export interface SftpFixture {
  readonly running: RunningFiles;
  readonly authority: Authority;
  readonly serverId: string;
  readonly directory: string;
  readonly port: number;
  readonly username: string;
  readonly key: string;
  readonly keyFile: string;
  /** Of the same user. */
  addServer(): Promise<OtherServer>;
  readonly local: string;
  /** By the library; ended at stop. */
  connect(options?: { username?: string; password?: string; privateKey?: string }): Promise<Client>;
  open(): Promise<Sftp>;
  disconnect(): void;
  /** Returns exit code and output. */
  run(program: string, args: readonly string[], input?: string): Promise<Finished>;
  /** Key sign-in for OpenSSH. */
  readonly options: readonly string[];
  /** Commands of sftp(1). */
  sftp(...commands: string[]): Promise<Finished>;
  stop(): Promise<void>;
}

interface OtherServer {
  readonly username: string;
  readonly directory: string;
}

export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

/** Two lengths, `ssh-ed25519` and 32 bytes. */
const usableBlobLength = 4 + 11 + 4 + 32;

/** About 1 in 200 pairs from ssh2 is malformed. */
export function generateUsableKeys(): { readonly private: string; readonly public: string } {
  let keys = ssh2.utils.generateKeyPairSync('ed25519');
  while (Buffer.from(keys.public.split(' ')[1] ?? '', 'base64').length !== usableBlobLength) {
    keys = ssh2.utils.generateKeyPairSync('ed25519');
  }
  return keys;
}

export async function startSftpFixture(sftpChanges?: ChangeLimits): Promise<SftpFixture> {
  const keys = generateUsableKeys();
  const authority: Authority = {
    permissions: ['*'],
    more: {},
    isPasswordAllowed: true,
    refusal: null,
    rechecks: 0,
    isAdminUnavailable: false,
    events: [],
  };
  const serverIds: string[] = [];
  const fakes = await startOthers(authority, serverIds, publicBlob(keys.public));
  const running = await orStop(
    fakes,
    startTestFiles({
      ...(sftpChanges && { sftpChanges }),
      env: {
        SFTP_LISTEN: '127.0.0.1:0',
        IDENTITY_ADDRESS: fakes.address,
        SERVERS_ADDRESS: fakes.address,
        ADMIN_ADDRESS: fakes.address,
      },
    }),
  );
  const { directory, serverId } = await newVolume(running);
  serverIds.push(serverId);
  const local = await mkdtemp(path.join(tmpdir(), 'panel-sftp-client-'));
  const keyFile = path.join(local, 'key');
  await writeFile(keyFile, keys.private, { mode: 0o600 });
  const port = Number(running.sftp.split(':')[1]);
  const username = usernameOf(serverId);
  const clients: Client[] = [];
  const none = '/dev/null';
  const options = [
    '-F',
    none,
    '-o',
    `IdentityFile=${keyFile}`,
    '-o',
    'IdentitiesOnly=yes',
    '-o',
    'BatchMode=yes',
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    `UserKnownHostsFile=${none}`,
    '-o',
    'LogLevel=ERROR',
  ];
  const connect: SftpFixture['connect'] = async (given = { privateKey: keys.private }) => {
    const client = new ssh2.Client();
    clients.push(client);
    return new Promise((resolve, reject) => {
      client.once('ready', () => resolve(client));
      client.on('error', reject);
      client.connect({ host: '127.0.0.1', port, username, ...given });
    });
  };
  const run: SftpFixture['run'] = async (program, args, input) => runProgram(program, args, input);
  return {
    running,
    authority,
    serverId,
    directory,
    port,
    username,
    key: keys.private,
    keyFile,
    addServer: async () => {
      const other = await newVolume(running);
      serverIds.push(other.serverId);
      return { username: usernameOf(other.serverId), directory: other.directory };
    },
    local,
    options,
    connect,
    open: async () => new Sftp(await openWrapper(await connect())),
    run,
    disconnect: () => {
      for (const client of clients.splice(0)) client.destroy();
    },
    sftp: async (...commands) =>
      run('sftp', [...options, '-P', String(port), '-b', '-', `${username}@127.0.0.1`], `${commands.join('\n')}\n`),
    stop: async () => {
      for (const client of clients) client.destroy();
      await running.stop();
      await fakes.stop(0);
      await rm(local, { recursive: true, force: true });
    },
  };
}

export class Sftp {
  constructor(readonly raw: SFTPWrapper) {}

  open = async (name: string, flags: ssh2.OpenMode) => this.#call<Buffer>((done) => this.raw.open(name, flags, done));
  close = async (handle: Buffer) => this.#call<void>((done) => this.raw.close(handle, done));
  readFile = async (name: string) => this.#call<Buffer>((done) => this.raw.readFile(name, done));
  writeFile = async (name: string, data: string | Buffer) =>
    this.#call<void>((done) => this.raw.writeFile(name, data, done));
  write = async (handle: Buffer, data: Buffer, position: number) =>
    this.#call<void>((done) => this.raw.write(handle, data, 0, data.length, position, done));
  read = async (handle: Buffer, length: number) =>
    this.#call<number>((done) => this.raw.read(handle, Buffer.alloc(length), 0, length, 0, done));
  fstat = async (handle: Buffer) => this.#call<ssh2.Stats>((done) => this.raw.fstat(handle, done));
  fchmod = async (handle: Buffer, mode: number) => this.#call<void>((done) => this.raw.fchmod(handle, mode, done));
  opendir = async (name: string) => this.#call<Buffer>((done) => this.raw.opendir(name, done));
  readdir = async (handle: Buffer) => this.#call<{ filename: string }[]>((done) => this.raw.readdir(handle, done));
  truncate = async (name: string, length: number) =>
    this.#call<void>((done) => this.raw.setstat(name, { size: length }, done));
  list = async (name: string) =>
    (await this.#call<{ filename: string }[]>((done) => this.raw.readdir(name, done))).map(({ filename }) => filename);
  unlink = async (name: string) => this.#call<void>((done) => this.raw.unlink(name, done));
  rename = async (from: string, to: string) => this.#call<void>((done) => this.raw.rename(from, to, done));
  replace = async (from: string, to: string) => this.#call<void>((done) => this.raw.ext_openssh_rename(from, to, done));
  mkdir = async (name: string) => this.#call<void>((done) => this.raw.mkdir(name, done));
  rmdir = async (name: string) => this.#call<void>((done) => this.raw.rmdir(name, done));
  chmod = async (name: string, mode: number) => this.#call<void>((done) => this.raw.chmod(name, mode, done));
  symlink = async (target: string, name: string) => this.#call<void>((done) => this.raw.symlink(target, name, done));
  stat = async (name: string) => this.#call<ssh2.Stats>((done) => this.raw.stat(name, done));
  realpath = async (name: string) => this.#call<string>((done) => this.raw.realpath(name, done));

  async #call<T>(start: (done: (error: Error | null | undefined, value?: unknown) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      start((error, value) => (error ? reject(error) : resolve(value as T)));
    });
  }
}

export async function openWrapper(client: Client): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp))));
}

/** The error message; "none" on success. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'none',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

function usernameOf(serverId: string): string {
  return `alex.smith.${serverId.slice(0, 8)}`;
}

function publicBlob(line: string): Buffer {
  return Buffer.from(line.split(' ')[1] ?? '', 'base64');
}

async function startOthers(authority: Authority, serverIds: readonly string[], key: Buffer): Promise<GrpcServer> {
  const refused = () => new AppError('unauthenticated', 'INVALID_CREDENTIALS', 'these credentials are not right');
  const identity = fake(AuthServiceService, {
    authenticateSftp: async ({ proof, username }) => {
      const isKey = (proof?.$case === 'publicKey' || proof?.$case === 'offeredKey') && key.equals(proof.value);
      const isPassword = proof?.$case === 'password' && proof.value === password && authority.isPasswordAllowed;
      if (proof?.$case === 'continued') authority.rechecks += 1;
      else if (username !== 'alex.smith' || (!isKey && !isPassword)) throw refused();
      return { userId, username: 'alex.smith', permissions: [], sessionEpoch: 1, sshKeyId: '' };
    },
  });
  const servers = fake(ServerServiceService, {
    grantSftpAccess: async ({ serverShortId }) => {
      if (authority.refusal) throw authority.refusal;
      const serverId = serverIds.find((one) => one.startsWith(serverShortId));
      if (serverId === undefined) throw new AppError('not_found', 'SERVER_NOT_FOUND', 'no such server');
      return { serverId, permissions: authority.permissions, grant: fileGrant(serverId, 'file.sftp', authority.more) };
    },
  });
  const admin = fake(ActivityServiceService, {
    recordActivity: async ({ events }) => {
      if (authority.isAdminUnavailable) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'away');
      authority.events.push(...events);
      return {};
    },
  });
  return startFakes(identity, servers, admin);
}

async function runProgram(program: string, args: readonly string[], input = ''): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-100_000));
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
