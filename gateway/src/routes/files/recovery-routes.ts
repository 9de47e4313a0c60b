import { type FileVersion, FileServiceService, type TrashEntry } from '@panel/protos/files';
import type { z } from 'zod';
import { selectPage } from '../../declaration/list-query.js';
import { isoTime, required } from '../../declaration/present.js';
import { empty, json, list, noBody, one, route, type Route, server } from '../../declaration/route.js';
import { openFiles, readRecords } from './node-files.js';
import { presentContents, presentEntry } from './present.js';
import { fileContents, writtenFile } from './schema.js';
import {
  fileVersion,
  restoredTrash,
  restoreTrashBody,
  trashEntry,
  trashQuery,
  versionsQuery,
} from './recovery-schema.js';

const files = '/api/v1/servers/{id}/files';

const trashRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${files}/trash`,
    summary: 'Deleted files and directories that can be restored, newest first',
    access: server(FileServiceService.listTrash),
    rate: 'general',
    query: trashQuery,
    response: list(trashEntry),
    handler: async ({ params, query, services, rpc }) => {
      const { entries } = await readRecords(
        services,
        params.id,
        FileServiceService.listTrash,
        rpc,
        async (files, grant, options) => services.files(files).listTrash({ grant }, options),
      );
      return selectPage(entries.map(presentTrashEntry), query, ({ path }) => path);
    },
  }),
  route({
    method: 'POST',
    path: `${files}/trash/{trash-id}/restore`,
    summary: 'Move a deleted entry back to where it was, or elsewhere',
    access: server(FileServiceService.restoreTrash),
    rate: 'general',
    body: json(restoreTrashBody),
    response: one(restoredTrash),
    handler: async ({ params, body, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.restoreTrash, rpc);
      const { path } = await client.restoreTrash({ grant, trashId: params.trash_id, to: body.to ?? '' }, rpc);
      return { path };
    },
  }),
  route({
    method: 'DELETE',
    path: `${files}/trash`,
    summary: 'Free all deleted files of the server',
    access: server(FileServiceService.emptyTrash),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.emptyTrash, rpc);
      await client.emptyTrash({ grant }, rpc);
    },
  }),
];

const versionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${files}/versions`,
    summary: 'Earlier contents of a text file, newest first',
    access: server(FileServiceService.listFileVersions),
    rate: 'general',
    query: versionsQuery,
    response: list(fileVersion),
    handler: async ({ params, query, services, rpc }) => {
      const { versions } = await readRecords(
        services,
        params.id,
        FileServiceService.listFileVersions,
        rpc,
        async (files, grant, options) => services.files(files).listFileVersions({ grant, path: query.path }, options),
      );
      return selectPage(versions.map(presentVersion), query, ({ path }) => path);
    },
  }),
  route({
    method: 'GET',
    path: `${files}/versions/{version-id}`,
    summary: 'An earlier content of a text file',
    access: server(FileServiceService.readFileVersion),
    rate: 'general',
    response: one(fileContents),
    handler: async ({ params, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.readFileVersion, rpc);
      const response = await client.readFileVersion({ grant, versionId: params.version_id }, rpc);
      const { path, saveTime } = required(response.version, 'version');
      return presentContents(path, { modifyTime: saveTime }, response.content);
    },
  }),
  route({
    method: 'POST',
    path: `${files}/versions/{version-id}/restore`,
    summary: 'Write an earlier content back; the current one becomes a version',
    access: server(FileServiceService.restoreFileVersion),
    rate: 'general',
    body: json(noBody),
    response: one(writtenFile),
    handler: async ({ params, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.restoreFileVersion, rpc);
      const restored = await client.restoreFileVersion({ grant, versionId: params.version_id }, rpc);
      const { path, sha256 } = restored;
      return { ...presentEntry(required(restored.entry, 'entry')), path, sha256 };
    },
  }),
];

function presentTrashEntry(entry: TrashEntry): z.input<typeof trashEntry> {
  return {
    id: entry.id,
    path: entry.path,
    is_directory: entry.isDirectory,
    size: entry.sizeBytes,
    deleted_at: isoTime(entry.deleteTime),
    expires_at: isoTime(entry.expireTime),
  };
}

function presentVersion({ id, path, sizeBytes, sha256, saveTime }: FileVersion): z.input<typeof fileVersion> {
  return { id, path, size: sizeBytes, sha256, saved_at: isoTime(saveTime) };
}

export const fileRecoveryRoutes: readonly Route[] = [...trashRoutes, ...versionRoutes];
