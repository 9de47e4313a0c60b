import { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { connect } from 'node:net';
import { Fixture } from '../support/fixture.js';
import { gatewayFor, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';

const path = '/api/v1/billing/webhooks/stripe';

describe('webhooks of payment providers', () => {
  const fixture = new Fixture();
  let gateway: TestGateway;

  before(async () => {
    await fixture.start();
    gateway = await gatewayFor(fixture);
  });
  after(async () => {
    await gateway.running.stop();
    await fixture.stop();
  });

  const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': 't=1,v1=ab' };
  const postRaw = async (text: string): Promise<string> => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.end(text);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };

  it('passes webhooks to billing byte for byte, with their signature only', async () => {
    const body = Buffer.from('{ "id":"evt_1",\r\n  "amount": 1.0, "name":"\u00e9\\u00e9" } \n');
    const response = await send(gateway.url, path, { body, headers: { ...headers, cookie: 'a=b', 'x-other': 'c' } });
    expect(response.status).to.equal(204);
    const received = fixture.webhooks.at(-1);
    expect(Buffer.from(received?.rawBody ?? []).equals(body)).to.equal(true);
    expect(received).to.deep.include({ gateway: 'stripe', headers: { 'stripe-signature': 't=1,v1=ab' } });
  });

  it('accepts webhooks without a sign-in, and ignores an invalid token', async () => {
    const response = await send(gateway.url, path, { body: '{}', headers, token: 'wrong' });
    expect(response.status).to.equal(204);
  });

  it('passes webhooks without a signature to billing, which refuses them', async () => {
    fixture.failing.set(
      'receiveWebhook',
      new AppError('invalid_argument', 'WEBHOOK_INVALID', 'the webhook is not valid'),
    );
    const response = await send(gateway.url, path, { body: '{}', headers: { 'content-type': 'application/json' } });
    fixture.failing.delete('receiveWebhook');
    expect(response.status).to.be.within(400, 422);
    expect(fixture.webhooks.some(({ rawBody }) => rawBody.length === 0)).to.equal(false);
  });

  it('refuses a webhook with a duplicate signature header', async () => {
    const calls = fixture.count('receiveWebhook');
    const answer = await postRaw(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n` +
        'Stripe-Signature: a\r\nSTRIPE-signature: b\r\nConnection: close\r\n\r\n{}',
    );
    expect(answer).to.match(/^HTTP\/1\.1 400 /);
    expect(fixture.count('receiveWebhook')).to.equal(calls);
  });

  it('refuses a webhook above 1 MiB, with and without a declared length', async () => {
    const calls = fixture.count('receiveWebhook');
    const response = await send(gateway.url, path, { body: Buffer.alloc(1024 * 1024 + 1, 0x20), headers });
    expect(response.status).to.equal(400);
    const chunk = ' '.repeat(64 * 1024);
    const chunks = `${(64 * 1024).toString(16)}\r\n${chunk}\r\n`.repeat(17);
    const answer = await postRaw(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n` +
        `Connection: close\r\n\r\n${chunks}0\r\n\r\n`,
    );
    expect(answer).to.match(/^HTTP\/1\.1 400 /);
    expect(fixture.count('receiveWebhook')).to.equal(calls);
  });

  it('refuses a webhook with another content type, compressed, or without a body', async () => {
    const changes: Record<string, string>[] = [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }];
    for (const change of changes) {
      const response = await send(gateway.url, path, { body: '{}', headers: { ...headers, ...change } });
      expect(response.status).to.equal(400);
    }
    expect((await send(gateway.url, path, { method: 'POST', headers })).status).to.equal(400);
  });

  it('gives each payment provider a webhook address of its own', async () => {
    expect((await send(gateway.url, '/api/v1/billing/webhooks/paypal', { body: '{}', headers })).status).to.equal(204);
    const unknown = await send(gateway.url, '/api/v1/billing/webhooks/other', { body: '{}', headers });
    expect(unknown.status).to.equal(404);
  });

  it('takes the form of Mollie and its signed events, and answers them with 200', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const event = { 'content-type': 'application/json', 'x-mollie-signature': 'sha256=ab' };
    for (const [body, sent] of [
      ['id=tr_d0b0E3EA3v', form],
      ['{"entityId":"tr_1"}', event],
    ] as const) {
      const response = await send(gateway.url, '/api/v1/billing/webhooks/mollie', { body, headers: sent });
      expect([response.status, response.text]).to.deep.equal([200, 'OK']);
      const { gateway: name, rawBody, headers: passed } = fixture.webhooks.at(-1) ?? {};
      expect([name, Buffer.from(rawBody ?? []).toString()]).to.deep.equal(['mollie', body]);
      expect(passed).to.deep.equal(sent === event ? { 'x-mollie-signature': 'sha256=ab' } : {});
    }
    expect((await send(gateway.url, path, { body: 'id=1', headers: form })).status).to.equal(400);
  });

  it('limits webhooks per address', async () => {
    const limited = await gatewayFor(fixture, {
      rateLimits: { general: 3, auth: 1000, upload: 1000, backup: 1000 },
    });
    const statuses = [];
    for (let index = 0; index < 5; index += 1) {
      statuses.push((await send(limited.url, path, { body: '{}', headers })).status);
    }
    await limited.running.stop();
    expect(statuses).to.deep.equal([204, 204, 204, 429, 429]);
  });
});
