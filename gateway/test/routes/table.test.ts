import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { adminPermissions } from '@panel/protos/identity';
import { serverPermissions } from '@panel/protos/servers';
import { expect } from 'chai';
import { validateRoutes } from '../../src/declaration/validate-routes.js';
import { createDocument } from '../../src/openapi/document.js';
import { routes } from '../../src/routes/index.js';
import type { Route } from '../../src/declaration/route.js';

const root = new URL('../../../../', import.meta.url);
const documentation = fileURLToPath(new URL('docs/rest-api.md', root));
/** List of ordered endpoints, if present beside the checkout. */
const orderedList = fileURLToPath(new URL('../shared/spec/endpoints.json', root));

interface DocumentedRow {
  readonly name: string;
  readonly needs: string;
}

function documentedRows(): DocumentedRow[] {
  const row = /^\| (GET|POST|PUT|PATCH|DELETE) +\| (\S+) +\| ([^|]+) +\|/gm;
  return [...readFileSync(documentation, 'utf8').matchAll(row)].map(([, method, path, needs = '']) => ({
    name: `${method} ${path}`,
    needs: needs.trim(),
  }));
}

/** `server: control.start, .stop or .restart` names three; `server` and `server: any` none. Behind ` and ` is what is needed too. */
function serverPermissionsIn(needs: string): string[] {
  const [, list = 'any'] = /^server(?:: (.+))?$/.exec(needs) ?? [needs, needs];
  if (list === 'any') return [];
  const [first = '', ...others] = list.split(/, | or /);
  return [first, ...others.map((name) => (name.startsWith('.') ? `${first.split('.')[0]}${name}` : name))];
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

describe('route table', () => {
  it('lists every route', () => expect(validateRoutes(routes)).to.deep.equal([]));

  it('declares the same paging for every list', () => {
    const lists = routes.filter(({ method, response }) => method === 'GET' && response.kind === 'list');
    expect(lists.length).to.be.above(15);
    const right = [{}, { page: '3' }, { page: '1', per_page: '100' }];
    const wrong = ['0', '-1', '2.5', 'abc', '', '1e2', ' 1'].flatMap((text) => [{ page: text }, { per_page: text }]);
    for (const route of lists) {
      for (const query of right)
        expect(route.query?.safeParse(query).success, `${nameOf(route)} ${JSON.stringify(query)}`).to.equal(true);
      for (const query of [...wrong, { per_page: '101' }])
        expect(route.query?.safeParse(query).success, `${nameOf(route)} ${JSON.stringify(query)}`).to.equal(false);
    }
  });

  it('declares the sort fields and filters of the documentation', () => {
    const { paths } = createDocument(routes);
    const lists = routes.filter(({ method, response }) => method === 'GET' && response.kind === 'list');
    const declared = lists.map(({ path }) => {
      const parameters = paths[path]?.['get']?.parameters.filter((parameter) => parameter.in === 'query') ?? [];
      const sort = parameters.find(({ name }) => name === 'sort')?.description?.split(';')[0] ?? '';
      const common = ['page', 'per_page', 'search', 'sort'];
      const others = parameters.map(({ name }) => name).filter((name) => !common.includes(name));
      return [path, sort, others.join(', ')].join(' | ');
    });
    const [, section = ''] = readFileSync(documentation, 'utf8').split('| List ');
    const [table = ''] = section.split('\n\n');
    const documented = [...table.matchAll(/^\| (\/\S+) +\| (.*?) +\| (.*?) *\|$/gm)].map(
      ([, path, sort = '', others = '']) =>
        [`/api/v1${path}`, sort.replaceAll('`', ''), others.replaceAll('`', '')].join(' | '),
    );
    expect(documented).to.deep.equal(declared);
  });

  it('declares the endpoints of the documentation', () => {
    expect(routes.map(nameOf).sort()).to.deep.equal(
      documentedRows()
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('declares the permissions of the documentation', () => {
    const byName = new Map(routes.map((route) => [nameOf(route), route]));
    for (const { name, needs } of documentedRows()) {
      const access = byName.get(name)?.access;
      if (needs === 'public' || needs === 'account') expect(access?.kind, name).to.equal(needs);
      else if (needs.startsWith('`')) {
        const [permission, ...also] = needs.slice(1, -1).split('` and `');
        expect(access, name).to.deep.equal({ kind: 'admin', permission, ...(also.length > 0 ? { also } : {}) });
      } else {
        const [alternatives = '', ...also] = needs.split(' and ');
        const permissions = serverPermissionsIn(alternatives);
        expect(access, name).to.deep.equal({ kind: 'server', permissions, ...(also.length > 0 ? { also } : {}) });
      }
    }
  });

  it('declares every endpoint of the specification', function () {
    if (!existsSync(orderedList)) this.skip();
    const ordered = JSON.parse(readFileSync(orderedList, 'utf8')) as { method: string; path: string }[];
    const declared = new Set(routes.map(nameOf));
    expect(ordered.map(({ method, path }) => `${method} ${path}`).filter((name) => !declared.has(name))).to.deep.equal(
      [],
    );
    expect(ordered).to.have.length(101);
  });

  it('documents every permission it uses', () => {
    const text = readFileSync(documentation, 'utf8');
    for (const area of new Set([...adminPermissions, ...serverPermissions].map((name) => name.split('.')[0]))) {
      expect(text, area).to.contain(`${area}.`);
    }
  });
});
