import { FileServiceService } from '@panel/protos/files';
import { selectPage } from '../../declaration/list-query.js';
import { isoTime, required } from '../../declaration/present.js';
import { empty, json, list, noBody, one, route, type Route, server } from '../../declaration/route.js';
import { contentsReply } from './contents-reply.js';
import { openFiles, readRecords } from './node-files.js';
import { fileContents, writtenFile } from './resource.js';
import {
  fileVersion,
  restoredTrash,
  restoreTrashBody,
  trashEntry,
  trashQuery,
  versionsQuery,
} from './recovery-resource.js';

const files = '/api/v1/servers/{id}/files';

const trashRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${files}/trash`,
    summary: 'Deleted files and directories that can be restored, newest first',
    access: server(FileServiceService.listTrash),
    rate: 'general',
    query: trashQuery,
    response: list(trashEntry.schema),
    handler: async ({ params, query, services, rpc }) => {
      const { entries } = await readRecords(
        services,
        params.id,
        FileServiceService.listTrash,
        rpc,
        async (files, grant, options) => services.files(files).listTrash({ grant }, options),
      );
      return selectPage(entries.map(trashEntry.present), query, ({ path }) => path);
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
    response: list(fileVersion.schema),
    handler: async ({ params, query, services, rpc }) => {
      const { versions } = await readRecords(
        services,
        params.id,
        FileServiceService.listFileVersions,
        rpc,
        async (files, grant, options) => services.files(files).listFileVersions({ grant, path: query.path }, options),
      );
      return selectPage(versions.map(fileVersion.present), query, ({ path }) => path);
    },
  }),
  route({
    method: 'GET',
    path: `${files}/versions/{version-id}`,
    summary: 'An earlier content of a text file',
    access: server(FileServiceService.readFileVersion),
    rate: 'general',
    response: one(fileContents),
    handler: async (request) => {
      const { params, services, rpc } = request;
      const { client, grant } = await openFiles(services, params.id, FileServiceService.readFileVersion, rpc);
      const response = await client.readFileVersion({ grant, versionId: params.version_id }, rpc);
      const { path, saveTime } = required(response.version, 'version');
      return contentsReply(request, response.content, { path, modifiedAt: isoTime(saveTime) });
    },
  }),
  route({
    method: 'POST',
    path: `${files}/versions/{version-id}/restore`,
    summary: 'Write an earlier content back; the current one becomes a version',
    access: server(FileServiceService.restoreFileVersion),
    rate: 'general',
    body: json(noBody),
    response: one(writtenFile.schema),
    handler: async ({ params, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.restoreFileVersion, rpc);
      return writtenFile.present(await client.restoreFileVersion({ grant, versionId: params.version_id }, rpc));
    },
  }),
];

export const fileRecoveryRoutes: readonly Route[] = [...trashRoutes, ...versionRoutes];
