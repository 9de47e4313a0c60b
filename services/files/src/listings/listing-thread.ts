import type { FileHandle } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import type { DirectoryPage } from '../jail/directory-page.js';
import { duplicate, withHandle } from '../jail/node.js';
import { type DirectoryReading, statEntrySync } from '../jail/tree.js';
import type { ThreadFailure } from '@panel/kit/threads';
import { failureOf } from '../threads/thread-failure.js';
import { type ListingQuery, readListing } from './read-listing.js';

export interface ListingJob extends ListingQuery {
  /** Both stay open until the response. */
  readonly rootFd: number;
  readonly directoryFd: number;
  /** Its first element is not 0 once no caller waits for the result. */
  readonly cancelled: Int32Array;
}

export type ListingResponse = { readonly kind: 'read'; readonly listing: DirectoryPage } | ThreadFailure;

parentPort?.on('message', (job: ListingJob) => {
  void respond(job).then((response) => parentPort?.postMessage(response, []));
});

async function respond(job: ListingJob): Promise<ListingResponse> {
  // the copy of a Buffer is a Uint8Array
  const segments = job.segments.map((name) => Buffer.from(name));
  const reading: DirectoryReading = {
    checkpoint: () => {
      if (Atomics.load(job.cancelled, 0) !== 0) throw new Error('cancelled');
    },
    stat: (directory, names) => names.map((name) => statEntrySync(directory, name)).filter((entry) => entry !== null),
  };
  const read = async (root: FileHandle, directory: FileHandle) =>
    readListing({ root, directory }, { ...job, segments }, reading);
  try {
    const listing = await withHandle(await duplicate({ fd: job.rootFd }), async (root) =>
      withHandle(await duplicate({ fd: job.directoryFd }), async (directory) => read(root, directory)),
    );
    return { kind: 'read', listing };
  } catch (error) {
    return failureOf(error);
  }
}
