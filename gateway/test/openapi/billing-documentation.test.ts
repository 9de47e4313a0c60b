import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createDocument } from '../../src/openapi/document.js';
import type { JsonSchema } from '../../src/openapi/json-schema.js';
import { routes } from '../../src/routes/index.js';

const reference = readFileSync(new URL('../../../../docs/rest-api.md', import.meta.url), 'utf8');

/** The section that describes store and billing field by field. */
function describedNames(): ReadonlySet<string> {
  const [, section = ''] = reference.split('#### Fields of the store and billing');
  const [own = ''] = section.split('\n### ');
  return new Set([...own.matchAll(/`([a-z][a-z0-9_]*)`/g)].map(([, name = '']) => name));
}

describe('fields of store and billing', () => {
  const document = createDocument(routes);
  const described = describedNames();

  function namesIn(schema: JsonSchema, seen: ReadonlySet<string> = new Set()): string[] {
    const { $ref: referred } = schema;
    if (referred !== undefined) {
      const name = referred.replace('#/components/schemas/', '');
      const target = document.components.schemas[name];
      return target === undefined || seen.has(name) ? [] : namesIn(target, new Set([...seen, name]));
    }
    const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.items ? [schema.items] : [])];
    const own = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [name, ...namesIn(each, seen)]);
    return [...own, ...parts.flatMap((part) => namesIn(part, seen))];
  }

  const paths = Object.keys(document.paths).filter((path) => /\/(store|billing|credits)(\/|$)/.test(path));

  for (const path of paths) {
    for (const [method, operation] of Object.entries(document.paths[path] ?? {})) {
      it(`describes each field of ${method.toUpperCase()} ${path}`, () => {
        const sent = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => namesIn(schema));
        const queries = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
        const asked = queries.filter(
          (name) => !['page', 'per_page', 'search', 'sort', 'status', 'user_id', 'egg_id'].includes(name),
        );
        const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
        const { content = {} }: { content?: Record<string, { schema: JsonSchema }> } = success ?? {};
        const data = Object.values(content).map(({ schema }) => schema.properties?.['data'] ?? {});
        const names = new Set([...sent, ...asked, ...data.flatMap((each) => namesIn(each))]);
        expect([...names].filter((name) => !described.has(name))).to.deep.equal([]);
      });
    }
  }
});
