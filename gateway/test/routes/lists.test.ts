import { expect } from 'chai';
import { errorEnvelope } from '../../src/middleware/error-envelope.js';
import type { Route } from '../../src/declaration/route.js';
import { validate } from '../../src/middleware/validate.js';
import { createDocument } from '../../src/openapi/document.js';
import { routes } from '../../src/routes/index.js';
import type { Services } from '../../src/services.js';
import { silent } from '../support/fake-service.js';
import { given, serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

/** Serves the access check of `validate`. */
const services = {
  servers: { getServer: async () => ({ server: { id: 'x', permissions: ['*'] } }) },
} as unknown as Services;

describe('every list', () => {
  const { paths } = createDocument(routes);
  const lists = routes.filter(({ method, response }) => method === 'GET' && response.kind === 'list');

  /** Required parameters of a list. */
  const required = ({ path }: Route): [string, string][] =>
    (paths[path]?.['get']?.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name, schema }) => [name, schema.format === 'uuid' ? '00000000-0000-4000-8000-000000000000' : '/x']);

  /** Documented names of `sort`. */
  const sortable = ({ path }: Route): string[] => {
    const sort = paths[path]?.['get']?.parameters.find(({ name }) => name === 'sort');
    return sort?.description?.split(';')[0]?.split(', ') ?? [];
  };

  for (const route of lists) {
    it(`takes page, per_page, search and sort, and nothing unknown: ${route.path}`, async () => {
      const middleware = [given({ params: { id: 'x' } }), errorEnvelope(silent), validate(services, route), showState];
      const { url, stop } = await serveMiddleware(...middleware);
      const ask = async (query: Record<string, string>) =>
        send(url, `/?${new URLSearchParams([...required(route), ...Object.entries(query)]).toString()}`);
      const problemOf = async (query: Record<string, string>, field: string) => {
        const { status, body } = await ask(query);
        expect([status, body.error?.code], JSON.stringify(body)).to.deep.equal([422, 'validation_error']);
        expect(Object.keys(body.error?.details ?? {})).to.deep.equal([field]);
        return String(body.error?.details?.[field]);
      };
      const names = sortable(route);
      expect(names).to.have.length.of.at.least(1);
      const all = names.map((name, index) => (index === 0 ? `-${name}` : name)).join(',');
      const fine = await ask({ page: '2', per_page: '100', search: '(a+)+$', sort: all });
      expect(fine.status, JSON.stringify(fine.body)).to.equal(200);
      expect(fine.body).to.have.nested.property('query.page', 2);
      expect(fine.body).to.have.nested.property('query.per_page', 100);
      expect(fine.body).to.have.nested.property('query.search', '(a+)+$');
      expect(await problemOf({ per_page: '101' }, 'per_page')).to.contain('from 1 to 100');
      expect(await problemOf({ page: '0' }, 'page')).to.contain('from 1 to');
      expect(await problemOf({ search: 'x'.repeat(101) }, 'search')).to.contain('at most 100');
      const said = await problemOf({ sort: 'password' }, 'sort');
      for (const name of names) expect(said).to.contain(name);
      expect(await problemOf({ serach: 'x' }, 'serach')).to.contain('is not a known parameter');
      await stop();
    });
  }
});
