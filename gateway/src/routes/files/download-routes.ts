import { isAppError } from '@panel/kit/errors';
import { asAttachment } from '@panel/kit/http';
import { FileServiceService, type UseDownloadLinkResponse } from '@panel/protos/files';
import type { CallOptions } from '@panel/rpc';
import { z } from 'zod';
import { isoTime, time } from '../../declaration/present.js';
import { downloadHeaders } from '../../declaration/response-headers.js';
import { one, publicAccess, raw, route, type Route, type RouteRequest, server } from '../../declaration/route.js';
import { downloadHeadersOf } from '../../http/download-headers.js';
import { RawReply } from '../../http/raw-reply.js';
import { streamedBody } from '../../http/streamed-body.js';
import { notFound } from '../../reasons.js';
import { contentsAsBytes } from './contents.js';
import { type GrantedFiles, openFiles } from './node-files.js';
import { fileContentsQuery } from './resource.js';

const downloadLink = z
  .strictObject({
    url: z.string().describe('path of the API, or address at the node; for one download, without credentials'),
    name: z.string().describe('of the file that is downloaded; a directory is a tar.gz'),
    expires_at: time.nullable().describe('until when the download has to begin'),
  })
  .meta({ id: 'DownloadLink' });

type LinkRequest = RouteRequest<{ readonly id: string; readonly link_id: string }>;

export const downloadRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/servers/{id}/files/download',
    summary: 'A link for one download of a file, or of a directory as a tar.gz',
    access: server(FileServiceService.createDownloadLink),
    rate: 'general',
    query: fileContentsQuery,
    response: one(downloadLink),
    carriesSecrets: true,
    handler: async ({ params, query, services, rpc }) => {
      const { client, grant, publicUrl } = await openFiles(
        services,
        params.id,
        FileServiceService.createDownloadLink,
        rpc,
      );
      const link = await client.createDownloadLink({ grant, path: query.path }, rpc);
      const { directPath, expireTime, linkId, name } = link;
      const isDirect = publicUrl !== '' && directPath !== '';
      const url = isDirect ? `${publicUrl}/${directPath}` : `/api/v1/downloads/${params.id}/${linkId}`;
      return { url, name, expires_at: isoTime(expireTime) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/downloads/{id}/{link-id}',
    summary: 'The download of a link, with ranges for a file',
    access: publicAccess,
    rate: 'general',
    isPathSecret: true,
    response: raw('application/octet-stream', 'application/gzip'),
    otherStatuses: [206],
    refusals: [416],
    requestHeaders: ['If-Range', 'Range'],
    headers: downloadHeaders,
    handler: async (request) => {
      // Link previews use HEAD: they must not consume the link.
      if (request.rawExchange.request.method === 'HEAD') throw notFound();
      try {
        return await download(request);
      } catch (error) {
        throw isAppError(error) && refusals.has(error.kind) ? notFound() : error;
      }
    },
  }),
];

/** Hides server, files and creator. */
const refusals: ReadonlySet<string> = new Set([
  'unauthenticated',
  'permission_denied',
  'not_found',
  'failed_precondition',
]);

/** With its creator's current rights. */
async function download(request: LinkRequest): Promise<RawReply> {
  const { params, services, asGateway, rawExchange, ip } = request;
  const { range } = downloadHeadersOf(rawExchange.request);
  const node = await openFiles(services, params.id, FileServiceService.useDownloadLink, asGateway);
  const use = { grant: node.grant, linkId: params.link_id, ip, isRange: range !== undefined };
  const link = await node.client.useDownloadLink(use, asGateway);
  try {
    return await downloadOf(request, link);
  } catch (error) {
    // Nothing was sent. The refusal says more than a failure here, after which the link stays used.
    const release = { grant: node.grant, linkId: params.link_id, claim: link.claim };
    if (link.claim !== '') await node.client.releaseDownloadLink(release, asGateway).catch(() => undefined);
    throw error;
  }
}

async function downloadOf(request: LinkRequest, link: UseDownloadLinkResponse): Promise<RawReply> {
  const { params, services, rawExchange, signal } = request;
  const { range, ifRange } = downloadHeadersOf(rawExchange.request);
  if (!link.credential) throw new TypeError('the files service answered without the credential of the maker');
  const rpc = { ...(await request.rpcOfMaker(link.credential)), signal };
  const method = link.isDirectory ? FileServiceService.readDirectoryAsArchive : FileServiceService.readFile;
  const files = await openFiles(services, params.id, method, rpc);
  if (link.isDirectory) return archiveOf(files, link, rpc);
  const wanted = { type: 'application/octet-stream', range, ifRange, ifNoneMatch: undefined, name: link.name };
  return contentsAsBytes(files, link.path, rpc, wanted);
}

async function archiveOf(
  { client, grant }: GrantedFiles,
  { name, path }: UseDownloadLinkResponse,
  rpc: CallOptions,
): Promise<RawReply> {
  // No deadline: the reader sets the pace; ends with the request.
  const options = { ...rpc, timeoutMs: undefined };
  const parts = client.readDirectoryAsArchive({ grant, path }, options)[Symbol.asyncIterator]();
  const first = await parts.next();
  const chunks = async function* () {
    for (let part = first; !part.done; part = await parts.next()) yield part.value.chunk;
  };
  return new RawReply('application/gzip', streamedBody(chunks()), {
    headers: { 'Content-Disposition': asAttachment(name) },
  });
}
