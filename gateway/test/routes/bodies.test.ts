import { describeProblems, issueMessages } from '@panel/kit/errors';
import { expect } from 'chai';
import { z } from 'zod';
import type { Route } from '../../src/declaration/route.js';
import { routes } from '../../src/routes/index.js';

function bodyOf(name: string): z.ZodType {
  const found = routes.find(({ method, path }) => `${method} ${path}` === name);
  if (found?.body?.kind !== 'json') throw new Error(`${name} takes no JSON`);
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
