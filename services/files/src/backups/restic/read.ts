import { feedProgram, outputOf, startProgram } from '../storage/backup-program.js';
import type { BackupContent, BackupEntry, BackupRef, ExtractTarget, ReportShare } from '../storage/backup-storage.js';
import { childrenOf } from '../storage/children-of.js';
import { extractArchive } from '../storage/tar-archive.js';
import { entriesOf } from './output.js';
import type { ResticRepositories } from './repository.js';
import { verifyTree } from './verify.js';

type Reading = Pick<ResticRepositories, 'restic' | 'readers'>;

export async function verifySnapshot(
  { restic, readers }: Reading,
  backup: BackupRef,
  signal: AbortSignal,
  onVerified: ReportShare,
): Promise<void> {
  onVerified(0);
  await readers.run(backup.serverId, signal, async () => verifyTree({ restic }, snapshotOf(backup), signal));
  onVerified(1);
}

/** restic verifies checksums. */
export async function extractSnapshot(
  { restic, readers }: Reading,
  backup: BackupRef,
  target: ExtractTarget,
): Promise<void> {
  await readers.run(backup.serverId, target.signal, async () => {
    target.onExtracted(0);
    await extractArchive(dumpOf(restic, backup, target.signal), target, { decompressor: null, prefix: '' });
    target.onExtracted(1);
  });
}

export async function openSnapshot(
  { restic, readers }: Reading,
  backup: BackupRef,
  signal: AbortSignal,
): Promise<BackupContent> {
  const leave = await readers.enter(backup.serverId, signal);
  try {
    // `dump` silently omits entries below a damaged directory
    await verifyTree({ restic }, snapshotOf(backup), signal);
    const gzip = startProgram(['gzip', '-1'], { signal });
    // its failure also ends the output of gzip
    const fed = feedProgram(gzip, dumpOf(restic, backup, signal));
    fed.catch((error: Error) => gzip.stdout.destroy(error)).finally(leave);
    return { totalBytes: null, chunks: outputOf(gzip) };
  } catch (error) {
    leave();
    throw error;
  }
}

export async function listSnapshot(
  { restic, readers }: Reading,
  backup: BackupRef,
  { directory, max }: { readonly directory: string; readonly max: number },
  signal: AbortSignal,
): Promise<BackupEntry[]> {
  const { serverId, id } = snapshotOf(backup);
  const args = ['ls', '--json', '--no-lock', id, `/${directory}`];
  return readers.run(serverId, signal, async () =>
    childrenOf(entriesOf(restic.lines(serverId, args, { signal })), directory, max),
  );
}

/** A backup's checksum is its snapshot id. */
function snapshotOf({ serverId, checksum }: BackupRef) {
  return { serverId, id: checksum.replace(/^sha256:/, '') };
}

function dumpOf(restic: Reading['restic'], backup: BackupRef, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { serverId, id } = snapshotOf(backup);
  return restic.output(serverId, ['dump', '--no-lock', '--archive', 'tar', id, '/'], { signal });
}
