import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { errorEnvelope } from '../../src/middleware/error-envelope.js';
import { BodyBudget } from '../../src/http/body-budget.js';
import { readBody } from '../../src/middleware/read-body.js';
import { JsonThreads } from '../../src/threads/json-threads.js';
import { json, one, publicAccess, route } from '../../src/declaration/route.js';
import { silent } from '../support/fake-service.js';
import { given, serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

const declared = { method: 'POST', path: '/api/v1/auth/x', summary: 'x', access: publicAccess, rate: 'auth' } as const;
const response = one(z.unknown());
const handler = async () => null;

describe('request bodies', () => {
  const dependencies = { bodyBudget: new BodyBudget(1024 ** 3), jsonThreads: new JsonThreads() };
  const serve = async (which: Parameters<typeof readBody>[1]) =>
    serveMiddleware(given({}), errorEnvelope(silent), readBody(dependencies, which), showState);

  it('reads JSON objects, and an absent body as an empty one', async () => {
    const { url, stop } = await serve(route({ ...declared, body: json(z.object({})), response, handler }));
    const bodyOf = async (options: object) => (await send(url, '/', options)).body as { body?: unknown };
    expect((await bodyOf({ json: { a: 1 } })).body).to.deep.equal({ a: 1 });
    const typed = { body: '{"a":2}', headers: { 'content-type': 'Application/JSON; Charset="UTF-8"' } };
    expect((await bodyOf(typed)).body).to.deep.equal({ a: 2 });
    expect((await bodyOf({ method: 'POST' })).body).to.deep.equal({});
    await stop();
  });

  it('refuses a body above the limit without a declared length', async () => {
    const { url, stop } = await serve(route({ ...declared, body: json(z.object({})), response, handler }));
    const { port } = new URL(url);
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      const request = httpRequest({ port, method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on('error', reject);
      for (let i = 0; i < 40; i++) request.write('x'.repeat(32 * 1024));
      request.end();
    });
    expect(status).to.equal(400);
    await stop();
  });

  it('reads a large file inside JSON as a small one: decoded, for any encoding', async () => {
    const body = { kind: 'upload' as const, schema: z.object({}) };
    const { url, stop } = await serve(route({ ...declared, body, response, handler }));
    for (const length of [10, 1024 ** 2]) {
      const bytes = Buffer.alloc(length, 'grüße ');
      for (const encoding of ['base64', 'utf-8'] as const) {
        const read = (await send(url, '/', { json: { encoding, content: bytes.toString(encoding) } })).body as {
          body: { value: unknown; content: { data: readonly number[] } };
        };
        expect(read.body.value).to.deep.equal({ encoding, content: '' });
        expect(Buffer.from(read.body.content.data).toString()).to.equal(bytes.toString());
      }
    }
    await stop();
  });

  it('passes bodies of the declared types on as bytes', async () => {
    const body = { kind: 'bytes' as const, types: ['application/yaml'], maxBytes: 10 };
    const { url, stop } = await serve(route({ ...declared, body, response, handler }));
    const post = async (text: string, type: string) =>
      send(url, '/', { body: text, headers: { 'content-type': type } });
    const taken = (await post('a: 1', 'application/yaml; charset=utf-8')).body as { body: { type: string } };
    expect(taken.body.type).to.equal('application/yaml');
    expect((await post('a: 1', 'application/json')).status).to.equal(400);
    expect((await post('a: 1234567890', 'application/yaml')).status).to.equal(400);
    expect((await send(url, '/', { method: 'POST' })).status).to.equal(400);
    await stop();
  });
});
