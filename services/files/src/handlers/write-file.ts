import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { FileServiceService, WriteFileRequest, WriteFileResponse, WriteFileStart } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { entryOf, mimetypeOfOpenFile } from '../jail/entries.js';
import { withDirectories } from '../jail/make.js';
import { type NewFile, withNewFile } from '../jail/new-file.js';
import { closing, openForReading } from '../jail/node.js';
import { displayPath, parsePath } from '../jail/path.js';
import { locate, type Place, requireRegular } from '../jail/place.js';
import { openByName } from '../jail/resolve.js';
import type { Reservation } from '../jail/usage.js';
import { presentEntry } from '../present.js';
import { fail } from '../reasons.js';
import { untilAborted } from '../until-aborted.js';
import { withWorkspace, type Workspace } from '../workspace.js';

const newFileMode = 0o644;

/** Replace a file's content as a whole, or make it. */
export function writeFile(context: FilesContext): Handler<FileServiceService['writeFile']> {
  return async (request, { signal }) => {
    const locked = new AbortController();
    const parts = untilAborted(request, AbortSignal.any([signal, locked.signal]));
    try {
      const start = startOf((await parts.next()).value);
      const access = { grant: start.grant, permission: 'file.update', signal } as const;
      return await withWorkspace(context, access, async (workspace) => {
        workspace.signal.addEventListener('abort', () => locked.abort(workspace.signal.reason), { once: true });
        return locatePlace(workspace, start.path, async (place) => writeAt(context, workspace, place, start, parts));
      });
    } finally {
      await parts.return(undefined);
    }
  };
}

function startOf(request: WriteFileRequest | undefined): WriteFileStart {
  if (request?.part?.$case !== 'start') throw invalidFields({ part: ['the first message must be the start'] });
  const start = request.part.value;
  if (start.sizeBytes < 0) throw invalidFields({ size_bytes: ['must be 0 or more'] });
  if (!/^([0-9a-f]{64})?$/.test(start.ifMatchSha256)) {
    throw invalidFields({ if_match_sha256: ['must be a SHA-256 in hex'] });
  }
  return start;
}

async function locatePlace<T>({ root, denylist }: Workspace, path: string, use: (place: Place) => Promise<T>) {
  const asked = parsePath(path, 'path');
  denylist.check(displayPath(asked), false);
  return locate(root, asked, 'path', async (place) => {
    if (place.found) requireRegular(place.found.stats);
    denylist.check(displayPath(place.segments), false);
    return use(place);
  });
}

/** What of the disk limit is held for a file: nothing for what the old one had. */
interface Held {
  readonly reservation: Reservation;
  readonly heldUpTo: number;
  readonly oldBytes: number;
}

async function writeAt(
  context: FilesContext,
  { grant }: Workspace,
  place: Place,
  start: WriteFileStart,
  parts: AsyncIterable<WriteFileRequest>,
): Promise<WriteFileResponse> {
  const { usage, owner, temporaries, lock } = context;
  const before = place.found?.stats;
  const oldBytes = Number(before?.size ?? 0);
  const mode = before ? Number(before.mode) & 0o777 : newFileMode;
  const limitBytes = grant.uploadLimitBytes ?? 0;
  if (isBeyond(start.sizeBytes, limitBytes)) throw tooLarge(limitBytes);
  const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes);
  try {
    reservation.hold(Math.max(0, start.sizeBytes - oldBytes));
    return await withNewFile({ directory: place.directory, mode, owner, temporaries }, async (file) => {
      const held = { reservation, heldUpTo: Math.max(oldBytes, start.sizeBytes), oldBytes };
      await receive(parts, file, held, limitBytes);
      await lock(`${grant.serverId}/${displayPath(place.segments)}`, async () => {
        if (start.ifMatchSha256 !== '') await requireContent(place, start.ifMatchSha256);
        await withDirectories(place.directory, place.missing, owner, async (parent) =>
          file.replace(parent, place.name),
        );
      });
      reservation.settle(file.size() - oldBytes);
      return answer(place.name, file);
    });
  } finally {
    reservation.release();
  }
}

/** 0 means no limit. */
function isBeyond(sizeBytes: number, limitBytes: number): boolean {
  return limitBytes > 0 && sizeBytes > limitBytes;
}

function tooLarge(limitBytes: number) {
  return fail('UPLOAD_TOO_LARGE', `the node takes files of at most ${limitBytes} bytes`, { limitBytes });
}

/**
 * Take the bytes, holding room for what goes beyond the old file before it is written. Returns only after the sender has
 * said that this was all: the end of the stream proves nothing, because a cancelled one ends just like a complete one.
 */
async function receive(
  parts: AsyncIterable<WriteFileRequest>,
  file: NewFile,
  { reservation, heldUpTo, oldBytes }: Held,
  limitBytes: number,
): Promise<void> {
  for await (const { part } of parts) {
    if (part?.$case === 'finish') {
      if (part.value.sizeBytes === file.size()) return;
      throw fail('UPLOAD_INCOMPLETE', 'some of the bytes that were sent have not arrived', { received: file.size() });
    }
    if (part?.$case !== 'chunk')
      throw invalidFields({ part: ['after the start there are chunks and then the finish'] });
    const size = file.size() + part.value.length;
    if (isBeyond(size, limitBytes)) throw tooLarge(limitBytes);
    if (size > heldUpTo) reservation.hold(size - oldBytes);
    await file.write(part.value);
  }
  throw fail('UPLOAD_INCOMPLETE', 'the upload ended before it was complete', { received: file.size() });
}

/** Throws FILE_CHANGED unless the file there now has this content. */
async function requireContent(place: Place, sha256: string): Promise<void> {
  const named = place.missing.length === 0 ? await openByName(place.directory, place.name) : null;
  if (!named) throw fail('FILE_CHANGED', 'the file is not there any more');
  await closing(named.node, async (node) => {
    requireRegular(await node.stat({ bigint: true }));
    const now = await closing(await openForReading(node), hashOf);
    if (now !== sha256) throw fail('FILE_CHANGED', 'the file has changed meanwhile', { sha256: now });
  });
}

async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of file.createReadStream({ autoClose: false, start: 0 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function answer(name: Buffer, file: NewFile): Promise<WriteFileResponse> {
  const stats = await file.handle.stat({ bigint: true });
  const entry = entryOf(name, stats, await mimetypeOfOpenFile(name, file.handle));
  return { entry: presentEntry(entry), sha256: file.digest() };
}
