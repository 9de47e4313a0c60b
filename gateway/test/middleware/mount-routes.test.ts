import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Route } from '../../src/declaration/route.js';
import { mountRoutes } from '../../src/middleware/mount-routes.js';
import type { RequestMiddleware } from '../../src/middleware/request-state.js';
import { documentedRoutes, routes } from '../../src/routes/index.js';
import { serveMiddleware } from '../support/koa.js';
import { send } from '../support/request.js';

const all = [
  ...new Map([...routes, ...documentedRoutes].map((each) => [`${each.method} ${each.path}`, each])).values(),
];
const methodsOf = (path: string) => all.filter((each) => each.path === path).map(({ method }) => method);
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Responds with the matched declaration. */
const showRoute = ({ method, path }: Route): RequestMiddleware[] => [
  (ctx) => {
    ctx.body = { data: `${method} ${path}` };
  },
];

describe('mounted routes', () => {
  let url: string;
  let stop: () => Promise<void>;
  before(async () => {
    ({ url, stop } = await serveMiddleware(mountRoutes(all, showRoute)));
  });
  after(async () => stop());

  const withIds = (path: string) => path.replace(/\{[^}]+\}/g, () => randomUUID());

  it('finds routes by their method and path', async () => {
    for (const { method, path } of all) {
      const { status, body } = await send(url, withIds(path), { method });
      expect([status, body.data]).to.deep.equal([200, `${method} ${path}`]);
    }
  });

  it('leave every other method of a known path to a 404 with Allow', async () => {
    let asked = 0;
    for (const path of new Set(all.map((each) => each.path))) {
      const known = methodsOf(path);
      const allowed = methods.filter((method) => known.includes(method));
      const expected = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
      for (const method of [...methods, 'OPTIONS', 'TRACE'].filter((each) => !known.some((one) => one === each))) {
        asked += 1;
        const { status, headers } = await send(url, withIds(path), { method });
        expect([status, headers['allow']], `${method} ${path}`).to.deep.equal([404, expected]);
      }
    }
    expect(asked).to.be.above(500);
  });
});
