import { ConsoleServiceService } from '@panel/protos/servers';
import { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { z } from 'zod';
import { errorEnvelope } from '../../src/middleware/error-envelope.js';
import { validate } from '../../src/middleware/validate.js';
import { json, one, publicAccess, type Route, route, server } from '../../src/declaration/route.js';
import type { Services } from '../../src/services.js';
import { silent } from '../support/fake-service.js';
import { given, serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

const schema = z.strictObject({ name: z.string().trim(), count: z.int().default(3) });
const declared = {
  method: 'POST',
  summary: 'x',
  rate: 'general',
  body: json(schema),
  response: one(z.unknown()),
} as const;
const handler = async () => null;
const noServer = {
  servers: {
    getServer: async () => {
      throw new AppError('not_found', 'SERVER_NOT_FOUND', 'no such server');
    },
  },
} as unknown as Services;

describe('validation', () => {
  const serve = async (which: Route, body: unknown) =>
    serveMiddleware(given({ body, params: { id: 'x' } }), errorEnvelope(silent), validate(noServer, which), showState);

  it('passes the parsed value to the handler', async () => {
    const { url, stop } = await serve(route({ ...declared, path: '/api/v1/auth/x', access: publicAccess, handler }), {
      name: ' a ',
    });
    expect(((await send(url, '/')).body as { body: unknown }).body).to.deep.equal({ name: 'a', count: 3 });
    await stop();
  });

  it('names the fields', async () => {
    const { url, stop } = await serve(route({ ...declared, path: '/api/v1/auth/x', access: publicAccess, handler }), {
      isAdmin: true,
    });
    const { status, body } = await send(url, '/');
    expect(status).to.equal(422);
    expect(body.error?.details).to.deep.equal({ name: ['is required'], isAdmin: ['is not a known field'] });
    await stop();
  });

  it('checks access to the server before the body', async () => {
    const access = server(ConsoleServiceService.sendCommand);
    const { url, stop } = await serve(route({ ...declared, path: '/api/v1/servers/{id}/x', access, handler }), {});
    expect((await send(url, '/')).status).to.equal(404);
    await stop();
  });
});
