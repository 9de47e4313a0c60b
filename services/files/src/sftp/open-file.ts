import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../context.js';
import { displayPath, replacement, type Segments } from '../domain/path.js';
import { grantFor, hasPermission, type SftpAccess } from '../domain/sftp-access.js';
import { chownNew } from '../jail/directories.js';
import { locate, type Location } from '../jail/location.js';
import { entryPath, handlePath, openForReading } from '../jail/node.js';
import type { OpenFile } from '../jail/open-file.js';
import { resolveOrMissing, type Resolved } from '../jail/resolve.js';
import { fail } from '../reasons.js';
import { withWorkspace, type Workspace } from '../workspace/workspace.js';
import { type DiskStats, FileWriter } from './file-writer.js';

/** pflags of the protocol. */
interface OpenFlags {
  readonly isRead: boolean;
  readonly isWrite: boolean;
  readonly isCreate: boolean;
  readonly isTruncate: boolean;
  readonly isExclusive: boolean;
}

interface SftpOpenInput {
  readonly access: SftpAccess;
  readonly signal: AbortSignal;
  readonly path: Segments;
  readonly flags: OpenFlags;
  /** Permission bits. */
  readonly mode: number;
}

interface OpenSftpFile {
  /** Closed by an existing writer, else by the caller. */
  readonly file: OpenFile;
  /** Null for read-only access. */
  readonly writer: FileWriter | null;
  /** Real path from the root. */
  readonly path: string;
  readonly isNew: boolean;
}

const newFileMode = 0o644;
const maxTries = 3;

/** Throws FILE_NOT_FOUND, FILE_EXISTS, NOT_A_FILE, FILE_DENIED, LINK_REFUSED, PERMISSION_MISSING. */
export async function openSftpFile(context: FilesContext, input: SftpOpenInput): Promise<OpenSftpFile> {
  const { access, flags, path, signal } = input;
  const grant = flags.isWrite ? writeGrant(access) : grantFor(access, 'file.read-content');
  return withWorkspace(context, { grant, signal }, async (workspace) => {
    workspace.guard.check(displayPath(path), false);
    for (let tries = 1; ; tries += 1) {
      const opened = (await createAtOnce(context, workspace, input)) ?? (await openOrCreate(context, workspace, input));
      if (opened) return opened;
      if (tries === maxTries) throw fail('FILE_CHANGED', 'the file comes and goes');
    }
  });
}

function writeGrant(access: SftpAccess): FileGrant {
  return grantFor(access, hasPermission(access, 'file.update') ? 'file.update' : 'file.create');
}

/** Fast path. Null when not permitted or not possible by this name. */
async function createAtOnce(
  context: FilesContext,
  { root }: Workspace,
  { access, flags, mode, path }: SftpOpenInput,
): Promise<OpenSftpFile | null> {
  const name = path.at(-1);
  if (!flags.isWrite || !flags.isCreate || !hasPermission(access, 'file.create')) return null;
  // may be another name's display form
  if (!name || name.includes(replacement)) return null;
  const parents = path.slice(0, -1);
  const file = await context.newFiles.create(root, { parents, name, flags: modeOf(flags), mode: permissionsOf(mode) });
  return file && openNewWriter(context, access, file, path);
}

/** Null on a concurrent change. */
async function openOrCreate(
  context: FilesContext,
  workspace: Workspace,
  input: SftpOpenInput,
): Promise<OpenSftpFile | null> {
  const { flags, path } = input;
  return resolveOrMissing<OpenSftpFile | null>(
    workspace.root,
    path,
    { followLast: true },
    {
      found: async (found) => {
        if (flags.isCreate && flags.isExclusive) throw fail('FILE_EXISTS', 'there is something of this name already');
        if (!found.stats.isFile()) throw fail('NOT_A_FILE', 'this is not a regular file');
        workspace.guard.check(displayPath(found.segments), false);
        return flags.isWrite ? openToWrite(context, found, input) : openToRead(found);
      },
      missing: async ({ directory, hasLinks, missing: [name, ...below], segments }) => {
        if (!flags.isWrite || !flags.isCreate) throw fail('FILE_NOT_FOUND', 'no such file or directory');
        // the last name may be a dangling link
        if (hasLinks) return createBehindLinks(context, workspace, input);
        if (!name || below.length > 0) throw fail('FILE_NOT_FOUND', 'no such file or directory');
        return createNew(context, workspace, input, { directory, name, segments: [...segments, name] });
      },
    },
  );
}

async function openToRead({ node, segments }: Resolved): Promise<OpenSftpFile> {
  return { file: await openForReading(node), writer: null, path: `/${displayPath(segments)}`, isNew: false };
}

async function openToWrite(
  context: FilesContext,
  { node, segments, stats }: Resolved,
  { access, flags }: SftpOpenInput,
): Promise<OpenSftpFile> {
  if (flags.isRead) grantFor(access, 'file.read-content');
  const grant = grantFor(access, 'file.update');
  const path = `/${displayPath(segments)}`;
  const opened = await openWriter(context, {
    grant,
    path,
    isNew: false,
    stats,
    // the checked inode, even if its name was reused
    file: await open(handlePath(node), modeOf(flags) | constants.O_NONBLOCK | constants.O_NOCTTY),
  });
  try {
    if (flags.isTruncate) await opened.writer.truncate(0);
  } catch (error) {
    await opened.writer.close();
    throw error;
  }
  return opened;
}

async function createBehindLinks(
  context: FilesContext,
  workspace: Workspace,
  input: SftpOpenInput,
): Promise<OpenSftpFile | null> {
  return locate(workspace.root, input.path, 'path', async (location) => {
    if (location.missing.length > 0) throw fail('FILE_NOT_FOUND', 'no such file or directory');
    if (location.found?.stats.isSymbolicLink())
      throw fail('LINK_REFUSED', 'this is a symbolic link that leads nowhere');
    return location.found ? null : createNew(context, workspace, input, location);
  });
}

/** Null on a concurrent creation. */
async function createNew(
  context: FilesContext,
  workspace: Workspace,
  { access, flags, mode }: SftpOpenInput,
  { directory, name, segments }: Pick<Location, 'directory' | 'name' | 'segments'>,
): Promise<OpenSftpFile | null> {
  grantFor(access, 'file.create');
  workspace.guard.check(displayPath(segments), false);
  const creation = modeOf(flags) | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await openUnlessTaken(entryPath(directory, name), creation);
  if (!file) return null;
  try {
    await Promise.all([chownNew(file, context.owner), file.chmod(permissionsOf(mode))]);
  } catch (error) {
    await file.close();
    throw error;
  }
  return openNewWriter(context, access, file, segments);
}

function permissionsOf(mode: number): number {
  return mode === 0 ? newFileMode : (mode & 0o777) | 0o600;
}

async function openNewWriter(
  context: FilesContext,
  access: SftpAccess,
  file: OpenFile,
  segments: Segments,
): Promise<OpenSftpFile> {
  return openWriter(context, {
    grant: grantFor(access, 'file.create'),
    file,
    path: `/${displayPath(segments)}`,
    isNew: true,
    stats: { size: 0n, blocks: 0n },
  });
}

async function openUnlessTaken(path: Buffer, flags: number): Promise<FileHandle | null> {
  try {
    return await open(path, flags, 0o600);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return null;
    throw error;
  }
}

interface WriterInput {
  readonly grant: FileGrant;
  readonly file: OpenFile;
  readonly path: string;
  readonly isNew: boolean;
  readonly stats: DiskStats;
}

async function openWriter(context: FilesContext, input: WriterInput) {
  const { grant, file, path, isNew } = input;
  try {
    const reservation = await context.usage.reserve(grant.serverId, grant.diskLimitBytes, grant.ownerId);
    const writer = new FileWriter({ context, ...input, reservation });
    return { file, writer, path, isNew };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function modeOf({ isRead }: OpenFlags): number {
  return isRead ? constants.O_RDWR : constants.O_WRONLY;
}
