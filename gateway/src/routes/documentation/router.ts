import { publicAccess, raw, route, type Route } from '../../declaration/route.js';
import { RawReply } from '../../http/raw-reply.js';
import { createDocument } from '../../openapi/document.js';
import { type ViewerAsset, viewerAssets, viewerPage, viewerPolicy } from './viewer.js';

/** Assets change with panel versions only. */
const cacheable = { 'Cache-Control': 'public, max-age=3600' };

/** The document covers `described` and these routes. */
export function documentationRoutes(described: readonly Route[]): readonly Route[] {
  const routes: Route[] = [];
  let document: string | null = null;
  routes.push(
    route({
      method: 'GET',
      path: '/api/v1/openapi.json',
      summary: 'This API as an OpenAPI 3.1 document',
      access: publicAccess,
      rate: 'general',
      response: raw('application/json'),
      handler: async () => {
        // Lazily: it takes a second.
        document ??= JSON.stringify(createDocument([...described, ...routes]));
        return new RawReply('application/json', document);
      },
    }),
    route({
      method: 'GET',
      path: '/docs',
      summary: 'This API in a viewer, with requests to try out',
      access: publicAccess,
      rate: 'general',
      response: raw('text/html'),
      headers: ['Content-Security-Policy'],
      handler: async () =>
        new RawReply('text/html', viewerPage, { headers: { 'Content-Security-Policy': viewerPolicy } }),
    }),
  );
  return routes;
}

/** No part of the API. */
export const viewerRoutes: readonly Route[] = viewerAssets.map(assetRoute);

function assetRoute({ path, type, content }: ViewerAsset): Route {
  return route({
    method: 'GET',
    path,
    summary: 'A file of the documentation viewer',
    access: publicAccess,
    rate: 'general',
    response: raw(type),
    headers: ['Cache-Control'],
    handler: async () => new RawReply(type, await content(), { headers: cacheable }),
  });
}
