import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { ApiError, createPanelClient, TwoFactorRequired } from '../src/node.js';
import { failureOf, FakePanel, json, refuse, tokens } from './support/panel.js';

const id = '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';

describe('API client', () => {
  let panel: FakePanel;

  beforeEach(async () => {
    panel = new FakePanel();
    await panel.start();
  });
  afterEach(() => panel.stop());

  const client = (options: { token?: string; timeoutMs?: number; waitOnRateLimitMs?: number } = {}) =>
    createPanelClient({ baseUrl: panel.baseUrl, ...options });

  it('returns the data of the envelope with status, headers and meta', async () => {
    const meta = { current_page: 1, per_page: 25, total: 1, total_pages: 1 };
    panel.answer((_asked, response) => json(response, 200, { data: [{ id: 'a' }], meta }, { 'x-request-id': 'r1' }));
    const got = await client().get('/servers', { query: { page: 1, search: 'a b&c', status: undefined } });
    expect(got.data).to.deep.equal([{ id: 'a' }]);
    expect(got.meta).to.deep.equal(meta);
    expect(got.headers.get('x-request-id')).to.equal('r1');
    expect(panel.asked[0]?.url).to.equal('/api/v1/servers?page=1&search=a+b%26c');
  });

  it('encodes ids in paths', async () => {
    panel.answer((_asked, response) => response.writeHead(204).end());
    await client().delete('/servers/{id}/allocations/{allocation-id}', {
      params: { id, allocation_id: '../../users?x=1#y' },
    });
    expect(panel.asked[0]?.url).to.equal(`/api/v1/servers/${id}/allocations/..%2F..%2Fusers%3Fx%3D1%23y`);
    for (const unfit of ['', '.', '..']) {
      const refused = await failureOf(client().get('/servers/{id}', { params: { id: unfit } }));
      expect(refused).to.be.instanceOf(TypeError);
    }
    expect(panel.asked).to.have.lengthOf(1);
  });

  it('sends JSON and byte bodies, and an idempotency key for creations', async () => {
    panel.answer((_asked, response) => json(response, 201, { data: { id } }));
    await client({ token: 't' }).post('/admin/nests', { body: { name: 'ä', author: 'me' }, idempotencyKey: 'k1' });
    expect(panel.asked[0]).to.deep.include({ method: 'POST', body: '{"name":"ä","author":"me"}' });
    expect(panel.asked[0]?.headers).to.include({
      'content-type': 'application/json',
      'idempotency-key': 'k1',
      authorization: 'Bearer t',
    });
    await client().post('/admin/eggs/import', { bytes: 'a: 1', type: 'application/yaml' });
    expect(panel.asked[1]).to.deep.include({ body: 'a: 1' });
    expect(panel.asked[1]?.headers).to.include({ 'content-type': 'application/yaml' });
    await client().post('/auth/logout');
    expect(panel.asked[2]?.headers).not.to.have.any.keys('content-type', 'authorization');
  });

  it('sends a stream in pieces and does not retry it', async () => {
    async function* pieces() {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    }
    const write = { params: { id }, query: { path: '/a' }, bytes: pieces() };
    panel.answer((_asked, response) => json(response, 200, { data: { path: '/a' } }));
    await client().put('/servers/{id}/files/write', write);
    expect(panel.asked[0]).to.deep.include({ body: 'one two' });
    expect(panel.asked[0]?.headers).to.include({ 'content-type': 'application/octet-stream' });
    panel.answer((_asked, response) => refuse(response, 429, 'rate_limit_exceeded', { 'retry-after': '1' }));
    const again = client({ waitOnRateLimitMs: 5_000 }).put('/servers/{id}/files/write', { ...write, bytes: pieces() });
    expect(await failureOf(again)).to.deep.include({ status: 429 });
    expect(panel.asked).to.have.lengthOf(2);
  });

  it('sets no time-out for streams', async () => {
    panel.answer((_asked, response) => json(response, 200, { data: { path: '/a' } }));
    async function* slow() {
      for (let piece = 0; piece < 3; piece++) {
        await wait(400);
        yield Buffer.from('x');
      }
    }
    const write = { params: { id }, query: { path: '/a' }, type: 'application/octet-stream' } as const;
    await client({ timeoutMs: 1_000 }).put('/servers/{id}/files/write', { ...write, bytes: slow() });
    expect(panel.asked[0]?.body).to.equal('xxx');
    const bounded = client().put('/servers/{id}/files/write', { ...write, bytes: slow(), timeoutMs: 100 });
    expect(await failureOf(bounded)).to.have.property('name', 'TimeoutError');
  });

  it('returns bytes as they arrive, with the requested range', async () => {
    panel.answer((_asked, response) => {
      response.writeHead(206, { 'content-type': 'application/octet-stream' }).write('first');
      // Longer than the wait for the beginning may be.
      setTimeout(() => response.end(' last'), 1_300);
    });
    const file = await client({ timeoutMs: 1_000 }).download('/servers/{id}/files/contents', {
      params: { id },
      query: { path: '/a' },
      headers: { range: 'bytes=0-9' },
    });
    expect([file.status, await file.text()]).to.deep.equal([206, 'first last']);
    expect(panel.asked[0]?.headers).to.include({ range: 'bytes=0-9', accept: 'application/octet-stream, */*;q=0.5' });
    panel.answer((_asked, response) => refuse(response, 404, 'not_found'));
    const missing = client().download('/admin/eggs/{id}/export', { params: { id } });
    expect(await failureOf(missing)).to.deep.include({ status: 404, code: 'not_found' });
  });

  it('throws the error of the panel, also without an envelope', async () => {
    const error = { code: 'validation_error', message: 'no', details: { name: ['is missing'] } };
    panel.answer((_asked, response) => json(response, 422, { error }, { 'x-request-id': 'r2', 'retry-after': '3' }));
    const known = await failureOf(client().post('/admin/nests', { body: { name: '', author: 'me' } }));
    expect(known).to.be.instanceOf(ApiError);
    expect(known).to.deep.include({ status: 422, code: 'validation_error', requestId: 'r2', retryAfterSeconds: 3 });
    expect((known as ApiError).fields).to.deep.equal({ name: ['is missing'] });
    panel.answer((_asked, response) => response.writeHead(502).end('<html>'));
    expect(await failureOf(client().get('/servers'))).to.deep.include({ status: 502, code: 'unreadable', fields: {} });
  });

  it('aborts at its time-out and by its signal', async () => {
    panel.answer(() => undefined);
    const late = await failureOf(client().get('/servers', { timeoutMs: 30 }));
    expect(late).to.have.property('name', 'TimeoutError');
    const lateBytes = client().download('/admin/eggs/{id}/export', { params: { id }, timeoutMs: 30 });
    expect(await failureOf(lateBytes)).to.have.property('name', 'TimeoutError');
    const error = await failureOf(client().get('/servers', { signal: AbortSignal.abort() }));
    expect(error).to.have.property('name', 'AbortError');
  });

  it('iterates over all pages of a list', async () => {
    panel.answer(({ url }, response) => {
      const page = Number(new URL(url, panel.baseUrl).searchParams.get('page'));
      const meta = { current_page: page, per_page: 100, total: 5, total_pages: 3 };
      json(response, 200, { data: page === 3 ? [{ id: '5' }] : [{ id: `${page}a` }, { id: `${page}b` }], meta });
    });
    const ids: string[] = [];
    for await (const user of client().pages('/admin/users', { query: { sort: 'email' } })) ids.push(user.id);
    expect(ids).to.deep.equal(['1a', '1b', '2a', '2b', '5']);
    expect(panel.asked.map(({ url }) => url)).to.deep.equal(
      [1, 2, 3].map((page) => `/api/v1/admin/users?per_page=100&sort=email&page=${page}`),
    );
    for await (const user of client().pages('/admin/users')) if (user.id === '1a') break;
    expect(panel.asked).to.have.lengthOf(4);
  });

  it('waits for a 429 where allowed and no longer than its limit', async () => {
    panel.answer(({ body }, response) => {
      if (panel.asked.length > 1) return json(response, 200, { data: { echoed: body } });
      return refuse(response, 429, 'rate_limit_exceeded', { 'retry-after': '1' });
    });
    const begin = performance.now();
    const patient = client({ waitOnRateLimitMs: 1_500 });
    const { data } = await patient.post('/servers/{id}/command', { params: { id }, body: { command: 'help' } });
    expect(data).to.deep.equal({ echoed: '{"command":"help"}' });
    expect(performance.now() - begin).to.be.above(950);
    panel.answer((_asked, response) => refuse(response, 429, 'rate_limit_exceeded', { 'retry-after': '2' }));
    expect(await failureOf(patient.get('/servers'))).to.deep.include({ status: 429, retryAfterSeconds: 2 });
    expect(await failureOf(client().get('/servers'))).to.deep.include({ status: 429 });
  });

  it('calls endpoints without types', async () => {
    panel.answer((_asked, response) => json(response, 200, { data: { brand: 'new' } }));
    const { data } = await client().call('POST', '/servers/x/new-thing', { body: { a: 1 }, query: { b: true } });
    expect(data).to.deep.equal({ brand: 'new' });
    expect(panel.asked[0]).to.deep.include({ url: '/api/v1/servers/x/new-thing?b=true', body: '{"a":1}' });
  });

  describe('signed-in client', () => {
    it('refreshes once for many requests that receive 401', async () => {
      let valid = 'a1';
      panel.answer(({ url, headers }, response) => {
        if (url.endsWith('/auth/login')) return json(response, 200, { data: tokens('a0', 'r0') });
        if (url.endsWith('/auth/refresh')) return json(response, 200, { data: tokens(valid, 'r1') });
        if (headers.authorization === `Bearer ${valid}`) return json(response, 200, { data: 'ok' });
        return refuse(response, 401, 'unauthorized');
      });
      const person = client();
      await person.login('a@b.example', 'x');
      const answers = await Promise.all(Array.from({ length: 10 }, async () => person.get('/account')));
      expect(answers.map(({ data }) => data)).to.deep.equal(Array.from({ length: 10 }, () => 'ok'));
      const exchanges = panel.asked.filter(({ url }) => url.endsWith('/auth/refresh'));
      expect(exchanges.map(({ body }) => body)).to.deep.equal(['{"refresh_token":"r0"}']);
      valid = 'never';
      panel.answer((_asked, response) => refuse(response, 401, 'unauthorized'));
      expect(await failureOf(person.get('/account'))).to.deep.include({ status: 401, code: 'unauthorized' });
      const before = panel.asked.length;
      expect(await failureOf(person.get('/account'))).to.deep.include({ status: 401 });
      expect(panel.asked.length - before, 'an ended session is not exchanged again').to.equal(1);
    });

    it('refreshes before a stream when its token is about to expire', async () => {
      panel.answer(({ url, headers }, response) => {
        if (url.endsWith('/auth/login')) return json(response, 200, { data: tokens('a0', 'r0', 0) });
        if (url.endsWith('/auth/refresh')) return json(response, 200, { data: tokens('a1', 'r1') });
        return json(response, 200, { data: { sha256: headers.authorization } });
      });
      const person = client();
      await person.login('a@b.example', 'x');
      const bytes = (async function* () {
        yield Buffer.from('x');
      })();
      const { data } = await person.put('/servers/{id}/files/write', { params: { id }, query: { path: '/a' }, bytes });
      expect(data.sha256).to.equal('Bearer a1');
    });

    it('answers a second-factor challenge or reports it', async () => {
      panel.answer(({ url, body }, response) => {
        if (url.endsWith('/auth/login')) return json(response, 200, { data: { requires_2fa: true, token: 'c' } });
        return json(response, 200, { data: tokens(body, 'r') });
      });
      const person = client();
      expect(await failureOf(person.login('a@b.example', 'x'))).to.be.instanceOf(TwoFactorRequired);
      expect(person.token()).to.equal(undefined);
      await person.login('a@b.example', 'x', () => ({ code: '123456' }));
      expect(person.token()).to.equal('{"token":"c","code":"123456"}');
    });

    it('drops its tokens at sign-out, for an ended session too', async () => {
      panel.answer(({ url }, response) =>
        url.endsWith('/auth/login')
          ? json(response, 200, { data: tokens('a0', 'r0') })
          : refuse(response, 401, 'unauthorized'),
      );
      const person = client();
      await person.login('a@b.example', 'x');
      await person.logout();
      expect(person.token()).to.equal(undefined);
      expect(await failureOf(person.refresh())).to.be.instanceOf(Error);
    });
  });
});
