import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { expect } from 'chai';
import { newVolume, type RunningFiles, startTestFiles } from '../harness.js';

type Row = Readonly<Record<string, unknown>> & { readonly _id: string };

describe('damaged record', () => {
  let running: RunningFiles;
  let mongo: MongoConnection;
  let serverId: string;
  let nodeId: unknown;
  before(async () => {
    running = await startTestFiles();
    mongo = await connectMongo(running.mongoUrl, { appName: 'test' });
  });
  beforeEach(async () => {
    let directory;
    ({ serverId, directory } = await newVolume(running));
    // a trash entry has the node's id
    await writeFile(path.join(directory, 'b'), 'x');
    await running.files.deleteFiles({ grant: grant('file.delete'), root: '', files: ['/b'] });
    nodeId = (await mongo.collection<Row>('trash_entries').findOne({ serverId }))?.['nodeId'];
  });
  after(async () => {
    await mongo.close();
    await running.stop();
  });

  const at = new Date();
  // Set at load time, long before the tests.
  const soon = new Date(Date.now() + 86_400_000);
  const grant = (permission: string) => running.grant(serverId, permission);
  const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
  /** By collection: filter fields, fields of a valid record, and the list. */
  const lists: [string, () => object, () => object, () => Promise<string[]>][] = [
    [
      'trash_entries',
      () => ({ nodeId, deletedAt: at }),
      () => ({ path: '/a', isDirectory: false, sizeBytes: 1 }),
      async () => idsOf((await running.files.listTrash({ grant: grant('file.read') })).entries),
    ],
    [
      'file_versions',
      () => ({ path: '/a', nodeId }),
      () => ({ sizeBytes: 1, sha256: 'x', savedAt: at }),
      async () => idsOf((await running.files.listFileVersions({ grant: grant('file.read'), path: '/a' })).versions),
    ],
    [
      'file_operations',
      () => ({ nodeId, startedAt: at, bytesDone: 'many' }),
      () => ({
        kind: 'pull',
        state: 'completed',
        path: 'a',
        bytesDone: 1,
        bytesTotal: 1,
        entriesDone: 0,
        entriesSkipped: 0,
        errorReason: '',
        errorMessage: '',
        endedAt: at,
      }),
      async () => idsOf((await running.files.listFileOperations({ grant: grant('file.read') })).operations),
    ],
    [
      'uploads',
      () => ({ nodeId, expiresAt: soon }),
      () => ({
        path: '/a',
        sizeBytes: 1,
        offsetBytes: 0,
        overwrite: true,
        state: 'receiving',
        metadata: '{}',
        createdAt: at,
        madeWith: null,
      }),
      async () =>
        (await running.files.listUploads({ grant: grant('file.read') })).uploads.map(({ uploadId }) => uploadId),
    ],
    [
      'backups',
      () => ({ nodeIds: [nodeId], createdAt: at }),
      () => ({
        name: 'a backup',
        state: 'completed',
        isLocked: false,
        storage: 'node',
        slot: 1,
        replacedBy: null,
        ignoredFiles: [],
        databases: [],
        sizeBytes: 1,
        contentBytes: 1,
        entries: 1,
        checksum: 'x',
        errorReason: '',
        errorMessage: '',
        completedAt: at,
        confirmBy: null,
        restoredAt: null,
        restoreError: '',
        warning: '',
      }),
      async () => idsOf((await running.backups.listBackups({ grant: grant('backup.read') })).backups),
    ],
  ];
  for (const [collection, found, rest, list] of lists) {
    it(`lists all other records of ${collection} beside a damaged one`, async () => {
      const [good, bad] = [randomUUID(), randomUUID()];
      await mongo.collection<Row>(collection).insertMany([
        { _id: good, serverId, ...found(), ...rest() },
        { _id: bad, serverId, ...found() },
      ]);
      expect(await list()).to.include(good);
    });
  }
});
