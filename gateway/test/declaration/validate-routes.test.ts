import { FileServiceService } from '@panel/protos/files';
import { AccountServiceService } from '@panel/protos/identity';
import { NodeServiceService } from '@panel/protos/servers';
import { expect } from 'chai';
import { z } from 'zod';
import { validateRoutes } from '../../src/declaration/validate-routes.js';
import {
  account,
  admin,
  empty,
  json,
  list,
  one,
  publicAccess,
  type Route,
  route,
  server,
} from '../../src/declaration/route.js';

const response = one(z.string());
const handler = async () => 'x';
const unsearchedQuery = z.object({ page: z.string(), per_page: z.string(), sort: z.string() });
const fine = route({
  method: 'GET',
  path: '/api/v1/x',
  summary: 'x',
  access: account(AccountServiceService.getAccount),
  rate: 'general',
  response,
  handler,
});

describe('validation of the route table', () => {
  it('accepts a complete declaration', () => {
    expect(validateRoutes([fine])).to.deep.equal([]);
  });

  const broken: [string, Route][] = [
    ['no access', { ...fine, access: undefined as never }],
    ['no rate class', { ...fine, rate: undefined as never }],
    ['no summary', { ...fine, summary: ' ' }],
    ['a path elsewhere', { ...fine, path: '/metrics' }],
    ['a public route outside /auth', { ...fine, access: publicAccess }],
    ['the auth class outside /auth', { ...fine, rate: 'auth' }],
    ['an admin path for everybody', { ...fine, path: '/api/v1/admin/x' }],
    ['an admin permission elsewhere', { ...fine, access: admin(NodeServiceService.listNodes) }],
    ['a server permission without a server', { ...fine, access: server(FileServiceService.listDirectory) }],
    ['a POST that does not say what it takes', { ...fine, method: 'POST' }],
    ['a GET with a body', { ...fine, body: json(z.object({})) }],
    ['a body with 204', { ...fine, status: 204 }],
    ['no body with 200', { ...fine, response: empty }],
    ['a list without list parameters', { ...fine, response: list(z.string()) }],
    ['a list that is not searched', { ...fine, response: list(z.string()), query: unsearchedQuery }],
  ];
  for (const [fact, which] of broken) {
    it(`reports ${fact}`, () => expect(validateRoutes([which])).to.have.length(1));
  }

  it('reports duplicate routes, with other parameter names too', () => {
    const [a, b] = ['{id}', '{other-id}'].map((id) => ({ ...fine, path: `/api/v1/x/${id}` }));
    expect(validateRoutes([a, b] as Route[])).to.have.length(1);
  });
});
