import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { ApiError, createPanelClient } from '../src/index.js';

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

describe('the client of the API', () => {
  let server: Server;
  let answer: Answer;
  let baseUrl: string;

  beforeEach(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => answer(request, Buffer.concat(chunks).toString('utf8'), response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    baseUrl = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

  it('takes the envelope off, and keeps status, headers and meta', async () => {
    const meta = { current_page: 1, per_page: 25, total: 1, total_pages: 1 };
    answer = (_request, _body, response) =>
      json(response, 200, { data: [{ id: 'a' }], meta }, { 'x-request-id': 'r1' });
    const got = await createPanelClient({ baseUrl }).get('/servers', { query: { page: 1 } });
    expect(got.data).to.deep.equal([{ id: 'a' }]);
    expect(got.meta).to.deep.equal(meta);
    expect(got.headers.get('x-request-id')).to.equal('r1');
  });

  it('throws what the panel answers, also when it is no envelope', async () => {
    const error = { code: 'validation_error', message: 'no', details: { name: ['is missing'] } };
    answer = (_request, _body, response) =>
      json(response, 422, { error }, { 'x-request-id': 'r2', 'retry-after': '3' });
    const client = createPanelClient({ baseUrl });
    const known = await client
      .post('/admin/nests', { body: { name: '', author: 'me' } })
      .catch((thrown: unknown) => thrown);
    expect(known).to.be.instanceOf(ApiError);
    expect(known).to.deep.include({ status: 422, code: 'validation_error', requestId: 'r2', retryAfterSeconds: 3 });
    expect((known as ApiError).details).to.deep.equal({ name: ['is missing'] });
    answer = (_request, _body, response) => response.writeHead(502).end('<html>');
    const foreign = await client.get('/servers').catch((thrown: unknown) => thrown);
    expect(foreign).to.deep.include({ status: 502, code: 'unreadable' });
  });

  it('exchanges its refresh token once for many requests that answer 401', async () => {
    let refreshes = 0;
    let valid = 'a1';
    answer = (request, body, response) => {
      if (request.url?.endsWith('/auth/login')) return json(response, 200, { data: tokens('a0', 'r0') });
      if (request.url?.endsWith('/auth/refresh')) {
        refreshes += 1;
        expect(JSON.parse(body)).to.deep.equal({ refresh_token: 'r0' });
        return json(response, 200, { data: tokens(valid, 'r1') });
      }
      const isValid = request.headers.authorization === `Bearer ${valid}`;
      return json(response, isValid ? 200 : 401, isValid ? { data: 'ok' } : { error: { code: 'unauthorized' } });
    };
    const client = createPanelClient({ baseUrl });
    await client.login('a@b.example', 'x');
    const answers = await Promise.all(Array.from({ length: 10 }, async () => client.get('/account')));
    expect(answers.map(({ data }) => data)).to.deep.equal(Array.from({ length: 10 }, () => 'ok'));
    expect(refreshes).to.equal(1);
    valid = 'never';
    answer = (_request, _body, response) => json(response, 401, { error: { code: 'unauthorized', message: 'no' } });
    const refused = await client.get('/account').catch((thrown: unknown) => thrown);
    expect(refused).to.deep.include({ status: 401, code: 'unauthorized' });
  });

  it('tells why a console was refused', async () => {
    server.on('upgrade', (_request, socket) => {
      const body = JSON.stringify({ error: { code: 'not_found', message: 'nothing here', details: {} } });
      socket.end(`HTTP/1.1 404 Not Found\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
    });
    const client = createPanelClient({ baseUrl, token: 't' });
    const refused = await client.openConsole('s').catch((thrown: unknown) => thrown);
    expect(refused).to.be.instanceOf(ApiError);
    expect(refused).to.deep.include({ status: 404, code: 'not_found' });
  });
});

function tokens(access: string, refresh: string) {
  return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 900 };
}
