import { createHash } from 'node:crypto';
import { RawReply } from '../../http/raw-reply.js';
import { createDocument } from '../../openapi/document.js';
import { publicAccess, raw, route, type Route } from '../../declaration/route.js';
import { renderPage } from './page.js';
import { styleSheet } from './style.js';

/** The page has no script and nothing from elsewhere: its one style sheet is named by its hash. */
const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(styleSheet).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The API described for programs and for people, from its own table. Made at the first request, then kept. */
export function documentationRoutes(described: readonly Route[]): readonly Route[] {
  const routes: Route[] = [];
  let document: string | null = null;
  let page: string | null = null;
  routes.push(
    route({
      method: 'GET',
      path: '/api/v1/openapi.json',
      summary: 'This API as an OpenAPI 3.1 document',
      access: publicAccess,
      rate: 'general',
      response: raw('application/json'),
      handler: async () => {
        document ??= JSON.stringify(createDocument([...described, ...routes]));
        return new RawReply('application/json', document);
      },
    }),
    route({
      method: 'GET',
      path: '/docs',
      summary: 'This API as a page to read',
      access: publicAccess,
      rate: 'general',
      response: raw('text/html'),
      handler: async () => {
        page ??= renderPage(createDocument([...described, ...routes]));
        return new RawReply('text/html', page, { headers: { 'Content-Security-Policy': pagePolicy } });
      },
    }),
  );
  return routes;
}
