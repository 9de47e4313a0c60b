import { describeProblems, issueMessages } from '@panel/kit/errors';
import { expect } from 'chai';
import { z } from 'zod';
import type { Route } from '../../src/declaration/route.js';
import { routes } from '../../src/routes/index.js';

function bodyOf(name: string): z.ZodType {
  const found = routes.find(({ method, path }) => `${method} ${path}` === name);
  if (found?.body?.kind !== 'json' && found?.body?.kind !== 'upload') throw new Error(`${name} takes no JSON`);
  return found.body.schema;
}

function problemsOf(name: string, value: unknown) {
  const result = bodyOf(name).safeParse(value, { reportInput: true });
  return describeProblems(issueMessages(result.error?.issues ?? []));
}

const nobody = '00000000-0000-4000-8000-000000000000';

describe('bodies', () => {
  it('names rules between fields together with the fields that are wrong', () => {
    const fieldsOf = (name: string, value: unknown) => Object.keys(problemsOf(name, value).fields).sort();
    expect(fieldsOf('POST /api/v1/admin/servers', { node_id: nobody, memory: 'x' })).to.deep.equal([
      'allocation_id',
      'cpu',
      'disk',
      'egg_id',
      'memory',
      'name',
      'user_id',
    ]);
    expect(fieldsOf('POST /api/v1/admin/billing/products', { price: 1, plans: [], name: 5 })).to.deep.equal([
      'name',
      'plans',
      'server',
    ]);
    expect(fieldsOf('POST /api/v1/auth/2fa/verify', {})).to.deep.equal(['code', 'token']);
  });

  it('names rules of the service together with the fields that are wrong', () => {
    const plan = { name: 'a', price: 5, interval: 'free' };
    const metered = { price: 5, interval: 'metered' };
    const server = { egg_id: nobody, memory: 512, cpu: 0, disk: 0, docker_image: 'not an image' };
    const path = '/api/v1/servers/{id}';
    for (const [name, value, expected] of [
      [
        'POST /api/v1/admin/servers',
        { name: 'a\nb', external_id: 'a\nb', description: '\u0007' },
        ['description', 'external_id', 'name'],
      ],
      [
        'PUT /api/v1/admin/servers/{id}',
        { docker_image: 'not an image', timezone: 'Mars/Olympus' },
        ['docker_image', 'timezone'],
      ],
      ['POST /api/v1/admin/servers/{id}/transfer', { has_files: true, backup_id: nobody }, ['has_files']],
      [
        'POST /api/v1/admin/servers/{id}/transfer',
        { allocation_id: nobody, additional_allocation_ids: [nobody] },
        ['additional_allocation_ids'],
      ],
      ['POST /api/v1/admin/billing/coupons', { code: 'a b c', type: 'percent', value: 101 }, ['code', 'value']],
      [
        'PUT /api/v1/admin/billing/coupons/{id}',
        { starts_at: '2026-12-02T00:00:00Z', expires_at: '2026-12-01T00:00:00Z' },
        ['expires_at'],
      ],
      [
        'PUT /api/v1/admin/billing/products/{id}',
        { plans: [plan, metered, { price: 5, usage_rates: {} }], slug: 'A', server },
        ['plans.0.price', 'plans.1.price', 'plans.1.usage_rates', 'plans.2.usage_rates', 'server.docker_image', 'slug'],
      ],
      [`PUT ${path}/files/write`, { path: '/../a' }, ['path']],
      [`POST ${path}/files/delete`, { root: '/a\\b', files: ['\u0000'] }, ['files.0', 'root']],
      [`POST ${path}/backups/{backup-id}/restore`, { truncate: true, paths: ['/a'] }, ['truncate']],
      [`POST ${path}/schedules`, { timezone: 'Mars/Olympus' }, ['timezone']],
    ] as const) {
      const found = Object.keys(problemsOf(name, { ...value, misspelt: 1 }).fields);
      expect(found, name).to.include.members([...expected, 'misspelt']);
    }
  });

  it('says nothing of rules between fields that are wrong themselves', () => {
    const fieldsOf = (name: string, value: unknown) => Object.keys(problemsOf(name, value).fields);
    const plans = [{ price: 'x', setup_fee: {}, interval: 'sometimes', usage_rates: {} }];
    expect(fieldsOf('PUT /api/v1/admin/billing/products/{id}', { plans })).not.to.include('plans.0.usage_rates');
    const times = { starts_at: 'later', expires_at: 'sooner' };
    expect(problemsOf('PUT /api/v1/admin/billing/coupons/{id}', times).fields['expires_at']).to.have.length(1);
    const restore = 'POST /api/v1/servers/{id}/backups/{backup-id}/restore';
    expect(fieldsOf(restore, { truncate: true, paths: 5 })).to.deep.equal(['paths']);
    const transfer = 'POST /api/v1/admin/servers/{id}/transfer';
    expect(fieldsOf(transfer, { node_id: nobody, additional_allocation_ids: 5 })).to.deep.equal([
      'additional_allocation_ids',
    ]);
  });

  it('refuses a file that is not in its encoding', () => {
    const broken = { content: 'AAAA=BBBB', encoding: 'base64' };
    for (const [name, value] of [
      ['PUT /api/v1/servers/{id}/files/write', { path: '/a', ...broken }],
      ['POST /api/v1/servers/{id}/databases/{db-id}/import', broken],
    ] as const) {
      expect(problemsOf(name, value).fields, name).to.deep.equal({ content: ['is not base64'] });
      expect(problemsOf(name, { ...value, content: 'AAAA' }).fields, name).to.deep.equal({});
    }
  });

  it('names the part of a price that is wrong', () => {
    const price = { amount: 1.5, currency: 'EUR' };
    const { fields, reasons } = problemsOf('PUT /api/v1/admin/billing/products/{id}', { price });
    expect(fields).to.deep.equal({ 'price.amount': ['must be an integer'] });
    expect(reasons).to.deep.equal({ 'price.amount': ['wrong_type'] });
  });

  it('refuses two forms of one thing at once', () => {
    const path = '/api/v1/servers/{id}/schedules';
    for (const name of [`POST ${path}`, `PUT ${path}/{schedule-id}`]) {
      const both = problemsOf(name, { name: 'x', cron: { hour: '4' }, minute: '5' });
      expect(both.reasons, name).to.deep.equal({ cron: ['conflicting'] });
      expect(problemsOf(name, { name: 'x', cron: { hour: '4', second: '1' } }).reasons).to.deep.equal({
        'cron.second': ['unknown_field'],
      });
      expect(problemsOf(name, { name: 'x', hour: '4', minute: '5' }).fields).to.deep.equal({});
    }
  });

  it('takes the identity token of a registry under both of its names, not at once', () => {
    const path = '/api/v1/admin/registries';
    for (const name of [`POST ${path}`, `PUT ${path}/{id}`]) {
      for (const token of ['identity_token', 'identitytoken'])
        expect(problemsOf(name, { host: 'ghcr.io', [token]: 'x' }).fields, name).to.deep.equal({});
      const both = problemsOf(name, { host: 'ghcr.io', identity_token: 'x', identitytoken: 'x' });
      expect(both.reasons, name).to.deep.equal({ identitytoken: ['conflicting'] });
    }
  });

  it('takes the role of a subuser as an id and as it is read', () => {
    const path = '/api/v1/servers/{id}/subusers';
    for (const role of ['viewer', { id: 'viewer', name: 'Viewer' }, { id: 'viewer' }]) {
      expect(problemsOf(`POST ${path}`, { email: 'a@example.com', role }).fields).to.deep.equal({});
      expect(problemsOf(`PUT ${path}/{subuser-id}`, { role }).fields).to.deep.equal({});
    }
    const both = { permissions: ['file.read'], role: { id: 'viewer', name: 'Viewer' } };
    expect(problemsOf(`PUT ${path}/{subuser-id}`, both).reasons)
      .to.have.property('role')
      .that.includes('conflicting');
    expect(Object.keys(problemsOf(`PUT ${path}/{subuser-id}`, { role: { name: 'Viewer' } }).fields)).to.deep.equal([
      'role.id',
    ]);
  });

  it('names a permission that does not exist', () => {
    const value = { email: 'a@example.com', permissions: ['file.read', 'file.fly'] };
    expect(problemsOf('POST /api/v1/servers/{id}/subusers', value).fields).to.deep.equal({
      'permissions.1': ['is no permission of a server: file.fly'],
    });
  });

  describe('of changes', () => {
    for (const { name, shown, sent } of updates()) {
      it(`takes back null where it was read: ${name}`, () => {
        expect(nullsRefused(shown, sent, '')).to.deep.equal([]);
      });
    }
  });
});

function updates() {
  return routes.flatMap((route: Route) => {
    const { method, path, body, response } = route;
    if (method !== 'PUT' || body?.kind !== 'json' || response.kind !== 'one') return [];
    return [{ name: path, shown: response.schema, sent: body.schema }];
  });
}

/** Without what may be left out. */
function inner(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return inner(schema.unwrap() as z.ZodType);
  }
  return schema;
}

function nullsRefused(shown: z.ZodType, sent: z.ZodType, at: string): string[] {
  const [from, to] = [inner(shown), inner(sent)];
  if (from instanceof z.ZodArray && to instanceof z.ZodArray) {
    return nullsRefused(from.element as z.ZodType, to.element as z.ZodType, `${at}[]`);
  }
  if (!(from instanceof z.ZodObject) || !(to instanceof z.ZodObject)) return [];
  return Object.entries(to.shape).flatMap(([name, field]) => {
    const read = from.shape[name] as z.ZodType | undefined;
    if (read === undefined) return [];
    const path = `${at}.${name}`;
    const isRefused = read.safeParse(null).success && !(field as z.ZodType).safeParse(null).success;
    return [...(isRefused ? [path] : []), ...nullsRefused(read, field as z.ZodType, path)];
  });
}
