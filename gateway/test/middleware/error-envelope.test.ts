import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { errorEnvelope } from '../../src/middleware/error-envelope.js';
import { silent } from '../support/fake-service.js';
import { given, serveMiddleware } from '../support/koa.js';
import { send } from '../support/request.js';

describe('error envelope', () => {
  it('contains every failure', async () => {
    let thrown: unknown;
    const { url, stop } = await serveMiddleware(given({}), errorEnvelope(silent), async () => {
      throw thrown;
    });
    const answerTo = async (error: unknown) => {
      thrown = error;
      return send(url, '/');
    };
    const notFound = await answerTo(new AppError('not_found', 'X', 'x'));
    expect(notFound.status).to.equal(404);
    expect(Object.keys(notFound.body)).to.deep.equal(['error']);
    expect(Object.keys(notFound.body.error ?? {})).to.deep.equal(['code', 'message', 'details']);
    const unauthorized = await answerTo(new AppError('unauthenticated', 'X', 'x'));
    expect(unauthorized.headers['www-authenticate']).to.equal('Bearer');
    const away = await answerTo(new AppError('unavailable', 'X', 'x'));
    expect(Number(away.headers['retry-after'])).to.be.greaterThan(0);
    expect((await answerTo(new TypeError('secret'))).status).to.equal(500);
    expect((await answerTo('not even an error')).status).to.equal(500);
    await stop();
  });

  it('reaches clients that send the whole body before they read', async () => {
    const refusal = new AppError('permission_denied', 'X', 'no entry');
    const { url, stop } = await serveMiddleware(given({}), errorEnvelope(silent), async () => {
      throw refusal;
    });
    for (const megabytes of [1, 24]) {
      const client = connect(Number(new URL(url).port), '127.0.0.1');
      await once(client, 'connect');
      client.pause();
      client.write(`PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${megabytes << 20}\r\n\r\n`);
      const piece = Buffer.alloc(1 << 20);
      for (let i = 0; i < megabytes; i += 1) {
        await new Promise<void>((resolve, reject) =>
          client.write(piece, (error) => (error ? reject(error) : resolve())),
        );
      }
      const answer = await text(client);
      expect(answer, `${megabytes} MiB`).to.match(/^HTTP\/1\.1 403 /);
      expect(answer).to.match(/no entry/i);
    }
    await stop();
  });
});
