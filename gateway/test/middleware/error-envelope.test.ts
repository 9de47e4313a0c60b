import { AppError } from '@panel/kit';
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
});
