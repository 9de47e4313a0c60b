import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, link, mkdir, open, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { KeyedMutex } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import { createLogger, createTaskGroup } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import type { FileGrant } from '@panel/rpc';
import { createArchiveStorage } from '../../src/backups/archive/archive-storage.js';
import { openDiskBlobs } from '../../src/backups/archive/disk-blobs.js';
import { linkTree } from '../../src/backups/restic/link-tree.js';
import type { FilesContext } from '../../src/context.js';
import type { Backup } from '../../src/domain/backup.js';
import type { DiskProject } from '../../src/domain/disk-project.js';
import { parsePath } from '../../src/domain/path.js';
import type { TrashEntry } from '../../src/domain/trash-entry.js';
import type { Upload } from '../../src/domain/upload.js';
import { createFreeSpaceFloor } from '../../src/volumes/free-space.js';
import { openTrusted, withHandle } from '../../src/jail/node.js';
import { TempNames } from '../../src/jail/temp-names.js';
import { UsageMeter } from '../../src/volumes/usage.js';
import {
  deletedDirectory,
  openVolumes,
  restoresDirectory,
  transfersDirectory,
  uploadsDirectory,
} from '../../src/volumes/volumes.js';
import { createQuotaPrograms } from '../../src/quotas/quota-programs.js';
import type { TrashStore } from '../../src/models/trash-store.js';
import type { BackupDeps } from '../../src/backups/backup-deps.js';
import { startRestore } from '../../src/usecases/backups/restore-backup.js';
import { SharedRuns } from '../../src/backups/shared-runs.js';
import { createFile } from '../../src/usecases/files/create-file.js';
import { deleteFiles } from '../../src/usecases/files/delete-files.js';
import { renameFiles } from '../../src/usecases/files/rename-files.js';
import { withWorkspace } from '../../src/workspace/workspace.js';
import { createFreezeStore } from '../../src/freezes/freeze-store.js';
import { VolumeFreezes } from '../../src/freezes/volume-freezes.js';
import { startDiskQuotas } from '../../src/quotas/start-disk-quotas.js';
import { exportSteps } from '../../src/transfers/export-steps.js';
import { batchSteps } from '../../src/transfers/batch-steps.js';
import { type PullDeps, pullVolume } from '../../src/transfers/pull-volume.js';
import { createTransferStore } from '../../src/transfers/transfer-store.js';
import { restoreTrash } from '../../src/usecases/files/restore-trash.js';
import { createTrash } from '../../src/trash/trash.js';
import { appendUpload } from '../../src/uploads/append-upload.js';
import { createUpload } from '../../src/uploads/create-upload.js';
import { createUploadFiles } from '../../src/uploads/upload-files.js';
import { createVolume } from '../../src/usecases/volumes/create-volume.js';
import { scanning } from '../backups/scanning.js';

/*
 * Runs in a virtual machine with project quotas: two nodes, on ext4 and XFS, with in-memory records. Lines starting
 * with "fact" are observations.
 */

const run = promisify(execFile);
const mebibyte = 1024 * 1024;
const gameId = 988;
const programs = createQuotaPrograms();
const log = createLogger({ service: 'files', level: 'info' });
const tasks = createTaskGroup(log);
const { signal } = tasks;

type Node = Awaited<ReturnType<typeof startNode>>;

function partOf<T extends object>(part: Partial<T>): T {
  return part as T;
}

/** Unique across both file systems, as in one database. */
let lastProject = 1_048_576;

function projectsInMemory() {
  const projects = new Map<string, DiskProject>();
  const change = (match: (project: DiskProject) => boolean, changes: Partial<DiskProject>) => {
    for (const project of projects.values()) {
      if (match(project)) projects.set(project.serverId, { ...project, ...changes });
    }
  };
  return {
    assign: async (_nodeId: string, serverId: string) => {
      const known = projects.get(serverId);
      if (known) return known;
      lastProject += 1;
      const made = { id: lastProject, serverId, limitBytes: null, isComplete: false };
      projects.set(serverId, made);
      return made;
    },
    find: async (_nodeId: string, serverId: string) => projects.get(serverId) ?? null,
    list: async () => [...projects.values()],
    setLimit: async (_nodeId: string, serverId: string, limitBytes: number) =>
      change((one) => one.serverId === serverId, { limitBytes }),
    setComplete: async (id: number, isComplete: boolean) => change((one) => one.id === id, { isComplete }),
    delete: async (id: number) => {
      for (const project of projects.values()) if (project.id === id) projects.delete(project.serverId);
    },
  };
}

async function startNode(fileSystem: string) {
  const dataRoot = `/mnt/${fileSystem}/panel`;
  const nodeId = randomUUID();
  const clock = () => new Date();
  const owner = { uid: gameId, gid: gameId };
  const tempNames = new TempNames(new Date());
  const volumes = await openVolumes(dataRoot, owner);
  const files = createUploadFiles(uploadsDirectory(dataRoot));
  const projects = projectsInMemory();
  const quotas = await startDiskQuotas('required', {
    directory: path.join(dataRoot, 'servers'),
    store: projects,
    nodeId,
    volumes,
    uploadsOf: (serverId) => files.directoryOf(serverId),
    tasks,
    log,
  });
  const entries = new Map<string, TrashEntry>();
  const trash = createTrash({
    directory: deletedDirectory(dataRoot),
    store: partOf<TrashStore>({
      insert: async (entry) => void entries.set(entry.id, entry),
      remove: async (id) => entries.delete(id),
      find: async (_serverId, id) => entries.get(id) ?? null,
      setSize: async () => undefined,
    }),
    nodeId,
    quotas,
    tempNames,
    tasks,
    clock,
    systemClock: clock,
    // like jobs: counts failures and continues
    attempt: async (_job, itemId, work) =>
      work().then(
        () => true,
        (error: unknown) => {
          log.error({ err: error, itemId }, 'a swept entry failed');
          return false;
        },
      ),
    retentionMs: 3_600_000,
  });
  const freezes = await VolumeFreezes.open(createFreezeStore(transfersDirectory(dataRoot)), { clock });
  const volumeMutex = new KeyedMutex();
  const usage = new UsageMeter({ maxAgeMs: 0, patienceMs: 1_000, measure: async () => 0 });
  const freeSpace = createFreeSpaceFloor(async () => volumes.space(), 0);
  const uploads = new Map<string, Upload>();
  const shared = {
    quotas,
    volumes,
    freezes,
    usage,
    freeSpace,
    tempNames,
    owner,
    volumeMutex,
    clock,
    systemClock: clock,
    nodeId,
    tasks,
    log,
  };
  const context = partOf<FilesContext>({
    ...shared,
    trash,
    fileMutex: new KeyedMutex(),
    versions: partOf<FilesContext['versions']>({ save: async () => 0 }),
    uploads: partOf<FilesContext['uploads']>({
      files,
      nodeId,
      store: partOf<FilesContext['uploads']['store']>({
        insert: async (upload) => void uploads.set(upload.id, upload),
        countUnfinished: async () => 0,
        recordPiece: async () => undefined,
        setState: async () => undefined,
      }),
    }),
  });
  const blobs = await openDiskBlobs(path.join(dataRoot, 'backups'), 0);
  const storage = createArchiveStorage('node', blobs, signal);
  const backups = new Map<string, Backup>();
  const backupsContext = partOf<BackupDeps>({
    ...shared,
    store: partOf<BackupDeps['store']>({
      find: async (_serverId, id) => backups.get(id) ?? null,
      setRestored: async () => undefined,
    }),
    storages: partOf<BackupDeps['storages']>({ of: () => storage }),
    runs: new SharedRuns(tasks),
    readers: partOf<BackupDeps['readers']>({ enter: () => () => undefined }),
    restoresDirectory: restoresDirectory(dataRoot),
  });
  const transferParts = { ...shared, store: createTransferStore(transfersDirectory(dataRoot)) };
  const volumeOf = (serverId: string) => path.join(dataRoot, 'servers', serverId);
  return {
    fileSystem,
    dataRoot,
    projects,
    context,
    backups,
    backupsContext,
    storage,
    entries,
    transferParts,
    volumeOf,
  };
}

function fact(name: string, value: unknown): void {
  process.stdout.write(`fact ${name} ${JSON.stringify(value)}\n`);
}

function access(serverId: string, permission: string) {
  const grant: FileGrant = { serverId, permission, volume: `servers/${serverId}`, diskLimitBytes: 0, denylist: [] };
  return { grant, signal };
}

/** Until refused; returns the error and the size. */
async function write(file: string, megabytes: number, user: readonly string[] = gameUser) {
  const args = [...user, 'dd', 'if=/dev/zero', `of=${file}`, 'bs=64k', `count=${megabytes * 16}`];
  const child = spawn('setpriv', [...args, 'oflag=append', 'conv=notrunc'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number];
  return { isRefused: code !== 0, says: /: ([A-Z][^:\n]*)\n/.exec(said)?.[1] ?? '', bytes: (await stat(file)).size };
}

const gameUser = [`--reuid=${gameId}`, `--regid=${gameId}`, '--clear-groups'];
/** Root in a container with its engine's default capabilities. */
const containerRoot = ['--bounding-set=-sys_resource,-sys_admin'];

async function projectOf(file: string): Promise<number> {
  return withHandle(await open(file, 'r'), async (handle) => (await programs.projectsOf([handle]))[0] ?? -1);
}

/** In bytes. */
async function quotaOf(fileSystem: string, project: number): Promise<{ used: number; limit: number } | null> {
  await run('sync', []);
  const { stdout } = await run('repquota', ['-P', '-n', `/mnt/${fileSystem}`]);
  const line = stdout.split('\n').find((one) => one.startsWith(`#${project} `));
  const [, , used, , limit] = line?.split(/\s+/) ?? [];
  return line === undefined ? null : { used: Number(used) * 1024, limit: Number(limit) * 1024 };
}

async function waitFor<T>(what: string, ask: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  const probe = async () => {
    const value = await ask();
    return isDone(value) && { value };
  };
  return (await waitUntil(what, probe, 180_000)).value;
}

async function put(file: string, content: string | Buffer): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  await chown(file, gameId, gameId);
}

async function newServer(node: Node, megabytes: number) {
  const serverId = randomUUID();
  await createVolume(node.context, serverId, megabytes * mebibyte);
  const root = node.volumeOf(serverId);
  return { serverId, root, project: await projectOf(root) };
}

async function checkLimits(node: Node): Promise<void> {
  const { fileSystem, context } = node;
  const { serverId, root, project } = await newServer(node, 4);
  fact(`${fileSystem}.game`, await write(`${root}/world`, 8));
  await context.quotas.setLimits([{ serverId, limitBytes: 6 * mebibyte }]);
  fact(`${fileSystem}.raised`, await write(`${root}/world`, 8));
  await createVolume(context, serverId, 0);
  fact(`${fileSystem}.unlimited`, await write(`${root}/world`, 4));
  await createVolume(context, serverId, 12 * mebibyte);
  await mkdir(`${root}/sub`);
  fact(`${fileSystem}.container_root`, await write(`${root}/sub/core`, 8, containerRoot));
  fact(`${fileSystem}.inherited`, [project > 1_048_576, (await projectOf(`${root}/sub/core`)) === project]);
  fact(`${fileSystem}.api`, await reasonOf(writeByApi(node, serverId, 'more.bin', 2 * mebibyte)));
  const remove = await context.volumes.detach(serverId);
  await context.quotas.release(serverId);
  await remove?.(signal);
  const freed = await waitFor(
    'deleted',
    async () => quotaOf(fileSystem, project),
    (quota) => quota === null,
  );
  fact(`${fileSystem}.freed`, freed);
}

async function writeByApi(node: Node, serverId: string, name: string, bytes: number): Promise<void> {
  async function* chunks() {
    for (let at = 0; at < bytes; at += 65_536) yield Buffer.alloc(65_536, 1);
  }
  const file = { target: parsePath(name, 'path'), field: 'path', chunks };
  await withWorkspace(node.context, access(serverId, 'file.create'), async (workspace) =>
    createFile(node.context, workspace, file),
  );
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return isAppError(error) ? error.reason : String(error);
  }
}

async function checkTrash(node: Node): Promise<void> {
  const { fileSystem, context, entries } = node;
  const { serverId, root, project } = await newServer(node, 8);
  await put(`${root}/saves/world/region`, Buffer.alloc(3 * mebibyte, 7));
  await symlink('region', `${root}/saves/world/current`);
  await put(`${root}/big`, Buffer.alloc(2 * mebibyte, 8));
  await put(`${root}/twice`, Buffer.alloc(mebibyte, 9));
  await link(`${root}/twice`, `${root}/again`);
  await symlink('big', `${root}/pointer`);
  const names = ['saves', 'big', 'twice', 'pointer'];
  const paths = names.map((name) => parsePath(name, 'files'));
  await deleteFiles(context, { ...access(serverId, 'file.delete'), paths });
  const used = async () => (await quotaOf(fileSystem, project))?.used ?? 0;
  await waitFor('the trash is not counted', used, (bytes) => bytes < 1.5 * mebibyte);
  fact(`${fileSystem}.trash.kept_name`, (await projectOf(`${root}/again`)) === project);
  fact(`${fileSystem}.trash.game`, (await write(`${root}/game`, 12)).bytes / mebibyte);
  await run('rm', [`${root}/game`]);
  for (const trashId of entries.keys()) {
    await restoreTrash(context, { ...access(serverId, 'file.create'), trashId, to: '' });
  }
  fact(`${fileSystem}.trash.restored`, [
    (await readFile(`${root}/saves/world/region`)).equals(Buffer.alloc(3 * mebibyte, 7)),
    await readlink(`${root}/pointer`),
    await readlink(`${root}/saves/world/current`),
    (await projectOf(`${root}/saves/world/region`)) === project,
    (await projectOf(`${root}/big`)) === project,
    (await used()) >= 6 * mebibyte,
  ]);
  await move(node, serverId, 'big', 'saves/world/big');
  fact(`${fileSystem}.trash.moved`, (await stat(`${root}/saves/world/big`)).size);
}

async function move({ context }: Node, serverId: string, from: string, to: string): Promise<void> {
  const moves = [{ from: parsePath(from, 'from'), to: parsePath(to, 'to'), field: 'to' }];
  await renameFiles(context, { ...access(serverId, 'file.update'), moves });
}

async function checkUpload(node: Node): Promise<void> {
  const { context, dataRoot, fileSystem } = node;
  const { serverId, root, project } = await newServer(node, 8);
  const content = Buffer.alloc(mebibyte, 3);
  const about = { id: randomUUID(), path: 'up.bin', sizeBytes: content.length, overwrite: false, condition: null };
  const input = { ...access(serverId, 'file.create'), ...about, metadata: {}, madeWith: null };
  const upload = await createUpload(context, input);
  const { ino } = await stat(path.join(dataRoot, 'uploads', serverId, upload.id));
  const body = Readable.from([content]);
  const piece = { upload, offsetBytes: 0, body, onBytes: () => undefined };
  await appendUpload(context, { ...access(serverId, 'file.create'), ...piece });
  fact(`${fileSystem}.upload`, [
    (await readFile(`${root}/up.bin`)).equals(content),
    (await stat(`${root}/up.bin`)).ino === ino,
    (await projectOf(`${root}/up.bin`)) === project,
  ]);
}

async function checkRestore(node: Node): Promise<void> {
  const { fileSystem, backupsContext } = node;
  const { serverId, root, project } = await newServer(node, 8);
  const noise = Buffer.alloc(5 * mebibyte, 'not the same again and again ');
  await put(`${root}/saves/world`, noise);
  const backupId = await backUp(node, serverId, root);
  await put(`${root}/saves/world`, Buffer.alloc(5 * mebibyte, 1));
  await put(`${root}/kept`, Buffer.alloc(mebibyte, 2));
  const request = { serverId, backupId, operationId: randomUUID(), isTruncating: false, paths: [] };
  await startRestore(backupsContext, { ...request, diskLimitBytes: 8 * mebibyte }).result;
  fact(`${fileSystem}.restore`, [
    (await readFile(`${root}/saves/world`)).equals(noise),
    (await stat(`${root}/kept`)).size,
    (await projectOf(root)) === project,
    (await projectOf(`${root}/saves/world`)) === project,
  ]);
  const held = await waitFor(
    'the limit is held again',
    async () => quotaOf(fileSystem, project),
    (quota) => quota?.limit === 8 * mebibyte,
  );
  fact(`${fileSystem}.restore.limit`, held?.limit);
  fact(`${fileSystem}.restore.game`, (await write(`${root}/game`, 8)).isRefused);
  const links = path.join(node.dataRoot, 'links');
  await mkdir(links);
  await withHandle(await openTrusted(root), async (handle) =>
    linkTree(scanning(handle), links, { signal, onArchived: () => undefined }),
  );
  fact(`${fileSystem}.links`, (await stat(`${links}/saves/world`)).ino === (await stat(`${root}/saves/world`)).ino);
}

async function backUp({ storage, backups }: Node, serverId: string, root: string): Promise<string> {
  const id = randomUUID();
  const tree = { excluded: [], contentBytes: 5 * mebibyte, entries: 2 };
  const progress = { onArchived: () => undefined, onVerified: () => undefined };
  const stored = await withHandle(await openTrusted(root), async (handle) =>
    storage.create({ id, serverId, checksum: '' }, { root: handle, scan: async () => tree, signal, ...progress }),
  );
  backups.set(id, partOf<Backup>({ id, serverId, state: 'completed', contentBytes: 5 * mebibyte, ...stored }));
  return id;
}

/** From before quotas. */
async function makeLegacy(fileSystem: string, serverId: string): Promise<string> {
  const root = `/mnt/${fileSystem}/panel/servers/${serverId}`;
  await put(`${root}/a/b/old`, Buffer.alloc(mebibyte, 5));
  await symlink('a/b/old', `${root}/old`);
  await chown(root, gameId, gameId);
  return root;
}

async function checkLegacy(node: Node, serverId: string, root: string): Promise<void> {
  const { fileSystem, context, projects } = node;
  tasks.run('repair', async () => context.quotas.repair(signal));
  const isCounted = async () => (await projects.find('', serverId))?.isComplete === true;
  await waitFor('volumes of before are counted', isCounted, (done) => done);
  await move(node, serverId, 'old', 'a/link');
  fact(`${fileSystem}.legacy.link`, await readlink(`${root}/a/link`));
  await context.quotas.setLimits([{ serverId, limitBytes: 3 * mebibyte }]);
  const project = await projectOf(root);
  const entries = ['a', 'a/b', 'a/b/old'].map(async (name) => (await projectOf(`${root}/${name}`)) === project);
  fact(`${fileSystem}.legacy.counted`, await Promise.all(entries));
  fact(`${fileSystem}.legacy.game`, (await write(`${root}/game`, 8)).isRefused);
}

async function checkTransfer(source: Node, target: Node): Promise<void> {
  const { serverId, root } = await newServer(source, 8);
  await put(`${root}/a/first`, Buffer.alloc(2 * mebibyte, 4));
  await link(`${root}/a/first`, `${root}/second`);
  const progress = { bytesDone: 0, bytesTotal: 0, entriesDone: 0, entriesTotal: 0, bytesVerified: 0 };
  const request = { serverId, operationId: randomUUID(), sourceAddress: 'the other node', grant: '' };
  const parts = { ...target.transferParts, connectTo: () => connectionTo(source, serverId) };
  await pullVolume(parts, request, { phase: 'measuring', ...progress }, signal);
  await target.context.quotas.setLimits([{ serverId, limitBytes: 4 * mebibyte }]);
  const there = target.volumeOf(serverId);
  const project = await projectOf(there);
  fact(`${source.fileSystem}.transfer`, [
    project !== 0 && (await projectOf(`${there}/second`)) === project,
    (await stat(`${there}/second`)).nlink,
    (await quotaOf(target.fileSystem, project))?.limit,
    (await write(`${there}/game`, 8)).isRefused,
  ]);
}

function connectionTo({ context, volumeOf }: Node, serverId: string): ReturnType<PullDeps['connectTo']> {
  const client = {
    exportVolume: async function* () {
      const root = await openTrusted(volumeOf(serverId));
      const options = { afterPath: Buffer.alloc(0), tempNames: context.tempNames, partial: undefined };
      yield* batchSteps(exportSteps(root, options), { keepAliveMs: 1_000 });
      await root.close();
    },
  };
  return { client: () => client, close: () => undefined } as unknown as ReturnType<PullDeps['connectTo']>;
}

async function main(): Promise<void> {
  const fileSystems = ['ext4', 'xfs'];
  const legacyId = randomUUID();
  const legacy = await Promise.all(fileSystems.map(async (one) => makeLegacy(one, legacyId)));
  const nodes: Node[] = [];
  for (const one of fileSystems) nodes.push(await startNode(one));
  for (const [i, node] of nodes.entries()) {
    await checkLegacy(node, legacyId, legacy[i] ?? '');
    await checkLimits(node);
    await checkTrash(node);
    await checkUpload(node);
    await checkRestore(node);
  }
  const [ext4, xfs] = nodes;
  if (ext4 && xfs) {
    await checkTransfer(ext4, xfs);
    await checkTransfer(xfs, ext4);
  }
  fact('done', true);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    fact('failed', error instanceof Error ? error.stack : String(error));
    process.exit(1);
  },
);
