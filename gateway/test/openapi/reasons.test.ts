import { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { toErrorResponse } from '@panel/rpc';
import type { Route } from '../../src/declaration/route.js';
import { errorEnvelope } from '../../src/middleware/error-envelope.js';
import { undocumentedFailure } from '../../src/openapi/check-failure.js';
import { createDocument } from '../../src/openapi/document.js';
import { reasonsOf } from '../../src/openapi/reasons/index.js';
import { documentedRoutes } from '../../src/routes/index.js';
import { silent } from '../support/fake-service.js';
import { given, serveMiddleware } from '../support/koa.js';
import { send } from '../support/request.js';

describe('reasons of errors', () => {
  const power = documentedRoutes.find(({ method, path }) => `${method} ${path}` === 'POST /api/v1/servers/{id}/power');
  if (!power) throw new TypeError('the route is not there');

  it('documents the reasons of errors of each operation and status', () => {
    const document = createDocument(documentedRoutes);
    const { schemas: _, ...components } = document.components;
    for (const route of documentedRoutes) {
      const responses = document.paths[route.path]?.[route.method.toLowerCase()]?.responses ?? {};
      for (const [status, reasons] of reasonsOf(route)) {
        const said = JSON.stringify(responses[`${status}`]);
        const name = /#\/components\/responses\/(\w+)/.exec(said)?.[1];
        const text = name ? JSON.stringify((components.responses as Record<string, object>)[name]) : said;
        expect(text, `${route.method} ${route.path} ${status}`).to.contain(`"enum":${JSON.stringify(reasons)}`);
        for (const reason of reasons) expect(text).to.contain(`\`${reason}\``);
      }
      if (!reasonsOf(route).has(409)) expect(responses, `${route.method} ${route.path}`).not.to.have.property('409');
    }
  });

  it('closes exactly files, backups, dumps and the console of a suspended server to readers', () => {
    const reads = documentedRoutes.filter(
      ({ method, path }) => method === 'GET' && path.startsWith('/api/v1/servers/{id}'),
    );
    const isClosed = (path: string) => /\/(files|backups)(\/|$)|\/export$|\/ws$/.test(path);
    const closed = reads.filter((route) => reasonsOf(route).get(409)?.includes('server_suspended'));
    expect(closed.map(({ path }) => path)).to.deep.equal(reads.map(({ path }) => path).filter(isClosed));
  });

  it('reports a reason that is not listed for the endpoint and status as a defect, where answers are checked', async () => {
    const statusOf = async (checkResponses: boolean, error: AppError) => {
      const { url, stop } = await serveMiddleware(
        given({ route: power }),
        errorEnvelope(silent, { checkResponses }),
        async () => {
          throw error;
        },
      );
      const { status } = await send(url, '/');
      await stop();
      return status;
    };
    const unlisted = new AppError('failed_precondition', 'NODE_IN_USE', 'x');
    const withAnotherStatus = new AppError('permission_denied', 'ALREADY_RUNNING', 'x');
    const listed = new AppError('failed_precondition', 'ALREADY_RUNNING', 'x');
    expect(await statusOf(false, unlisted)).to.equal(409);
    expect(await statusOf(true, unlisted)).to.equal(500);
    expect(await statusOf(true, withAnotherStatus)).to.equal(500);
    expect(await statusOf(true, listed)).to.equal(409);
  });

  it('fails an answer with a status that the document does not list, where answers are checked', async () => {
    const [range, missing] = [
      new AppError('invalid_argument', 'RANGE_NOT_SATISFIABLE', 'x', { sizeBytes: 1 }),
      new AppError('not_found', 'NOT_FOUND', 'x'),
    ];
    const statusOf = (route: Route, error: AppError) =>
      undocumentedFailure(route, toErrorResponse(error))?.message ?? toErrorResponse(error).status;
    expect(statusOf(power, missing)).to.equal(404);
    expect(statusOf(power, range)).to.contain('POST /api/v1/servers/{id}/power').and.to.contain('416');
    expect(statusOf({ ...power, refusals: [416] }, range)).to.equal(416);
    expect(statusOf({ ...power, path: '/api/v1/servers' }, missing)).to.contain('404');
  });
});
