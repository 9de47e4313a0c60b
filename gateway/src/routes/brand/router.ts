import { createHash } from 'node:crypto';
import type { BrandSettings } from '@panel/protos/admin';
import { z } from 'zod';
import { one, publicAccess, raw, route, type Route, type RouteRequest } from '../../declaration/route.js';
import { time } from '../../declaration/present.js';
import { RawReply } from '../../http/raw-reply.js';
import { notFound } from '../../reasons.js';

const colour = z.string().nullable().describe("like #1a2b3c; null: the console's own");

const brand = z
  .strictObject({
    name: z.string(),
    logo: z.string().nullable().describe('path of the image; null without one'),
    colours: z.strictObject({ primary: colour, accent: colour }),
    test_clock: time.nullable().describe('time of an installation whose staff may move it; null: real time'),
  })
  .meta({ id: 'Brand' });

const imageTypes = ['image/png', 'image/webp', 'image/jpeg'] as const;
const logoPath = '/api/v1/brand/logo';

interface Logo {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Second check after admin: only these types are served. */
function logoOf(settings: BrandSettings | undefined): Logo | null {
  const [, type, base64 = ''] = /^data:([a-z]+\/[a-z]+);base64,(.+)$/.exec(settings?.logo ?? '') ?? [];
  const found = imageTypes.find((known) => known === type);
  return found === undefined ? null : { type: found, bytes: Buffer.from(base64, 'base64') };
}

const readBrand = async ({ panelSettings }: Pick<RouteRequest, 'panelSettings'>) => panelSettings.readWithLogo();

/** Public: the sign-in page shows it. */
export const brandRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/brand',
    summary: 'Name, logo and colours of this panel',
    access: publicAccess,
    rate: 'general',
    response: one(brand),
    handler: async (request) => {
      const { brand: settings, general } = await readBrand(request);
      const logo = logoOf(settings);
      // Changes with the image, against stale caches.
      const version = logo === null ? '' : createHash('sha256').update(logo.bytes).digest('hex').slice(0, 16);
      return {
        name: settings?.name || general?.name || 'Panel',
        logo: logo === null ? null : `${logoPath}?v=${version}`,
        colours: { primary: settings?.primaryColour || null, accent: settings?.accentColour || null },
        test_clock: request.testTime()?.toISOString() ?? null,
      };
    },
  }),
  route({
    method: 'GET',
    path: logoPath,
    summary: 'The logo of this panel',
    access: publicAccess,
    rate: 'general',
    query: z.object({ v: z.string().max(64).optional().describe('of the address in `logo`') }),
    response: raw(...imageTypes),
    refusals: [404],
    headers: ['Cache-Control'],
    handler: async (request) => {
      const logo = logoOf((await readBrand(request)).brand);
      if (logo === null) throw notFound();
      return new RawReply(logo.type, logo.bytes, { headers: { 'Cache-Control': 'public, max-age=86400' } });
    },
  }),
];
